"""A server that loads no compiler, no optimiser and no cluster before somebody asks for them.

Transformers imports names of all three when it loads any model, and uses them for what no page does: compiling a model,
losses of training, tensors that lie on several machines. They take 107 MB of 525. Here such a name is a promise:
whoever imports it gets a stand-in, and the module behind it is loaded when the stand-in is called, subclassed or looked
into, or when anybody imports something else of that module. Only what needs several machines stays out, for good.

This is for a process that serves pages: in a notebook nothing of it happens.
"""

from __future__ import annotations

import functools
import importlib
import operator
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

# Module: the names that may be promised. Of any other name, the module is loaded at once.
PROMISED: dict[str, frozenset[str]] = {
    "sympy": frozenset({"Basic"}),
    "scipy.optimize": frozenset({"linear_sum_assignment"}),
    "torch._dynamo": frozenset(),
    "torch._dynamo._trace_wrapped_higher_order_op": frozenset({"TransformGetItemToIndex"}),
    "torch.fx.experimental.symbolic_shapes": frozenset(),
}
# Decorators that only the compiler looks at: without it, a function is what it is.
MARKS: dict[str, frozenset[str]] = {"torch._dynamo": frozenset({"disable", "allow_in_graph", "assume_constant_result"})}
# Questions about symbols in place of sizes, with their answers for plain sizes and truths: while nobody has loaded the
# module there is no symbol, but PyTorch asks for every model whose weights it lays out before it reads them.
PLAIN: dict[str, dict[str, Callable[..., Any]]] = {
    "torch.fx.experimental.symbolic_shapes": {
        "expect_true": bool,
        "guard_or_false": bool,
        "guard_or_true": bool,
        "guard_size_oblivious": bool,
        "guarding_hint_or_throw": lambda size: size,
        "has_guarding_hint": lambda size: True,
        "is_nested_int": lambda size: False,
        "sym_and": lambda *truths: functools.reduce(operator.and_, truths),
        "sym_eq": lambda one, other: tuple(one) == tuple(other) if isinstance(one, Sequence) else one == other,
        "sym_or": lambda *truths: functools.reduce(operator.or_, truths),
    }
}
ASKS_FOR_A_CLUSTER = "transformers.modeling_utils"  # the first module that imports what several machines need

_waiting: set[str] = set()  # modules that were promised and are not loaded


def load_when_asked() -> None:
    """Promise the names above from now on; modules that are loaded already stay as they are."""
    if not any(isinstance(finder, _Promises) for finder in sys.meta_path):
        _waiting.update(name for name in PROMISED if name not in sys.modules)
        sys.meta_path.insert(0, _Promises())


def waiting(module: str) -> bool:
    """Return whether a module was promised and has not been loaded."""
    return module in _waiting


class _Promises(MetaPathFinder, Loader):
    """Finds a promised module without running it."""

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name == ASKS_FOR_A_CLUSTER:
            _on_one_machine()
        if name in _waiting:
            return ModuleSpec(name, self, is_package=True)
        parent = name.rpartition(".")[0]
        if parent in _waiting:  # a part of it that nobody promised
            return PathFinder.find_spec(name, _loaded(parent).__path__)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Unloaded(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing: the module is loaded when something of it is used."""


class _Unloaded(ModuleType):
    """A promised module: its promised names are stand-ins, and any other one loads it."""

    def __getattr__(self, name: str) -> Any:
        module = self.__name__
        if module in _waiting:
            if name in PROMISED[module]:
                return Promise(name, (), {"__module__": module})
            if name in MARKS.get(module, ()):
                return _mark(module, name)
            if name in PLAIN.get(module, ()):
                return _plain(module, name)
            if name.startswith("__"):  # what the import system and `inspect` look for
                raise AttributeError(name)
        return getattr(_loaded(module), name)


class Promise(type):
    """A class or function of a module that is not loaded: whatever is done with it is done with the real one.

    Nothing is an instance of a class whose module nobody has loaded, so asking that loads nothing.
    """

    def __new__(cls, name: str, bases: tuple[Any, ...], members: dict[str, Any]) -> Any:
        if any(isinstance(base, Promise) for base in bases):  # a subclass: of the real one
            real = tuple(_real(base) if isinstance(base, Promise) else base for base in bases)
            return type(real[0])(name, real, members)
        return super().__new__(cls, name, bases, members)

    def __call__(cls, *given: Any, **named: Any) -> Any:
        return _real(cls)(*given, **named)

    def __getattr__(cls, name: str) -> Any:
        return getattr(_real(cls), name)

    def __instancecheck__(cls, thing: object) -> bool:
        return cls.__module__ not in _waiting and isinstance(thing, _real(cls))

    def __subclasscheck__(cls, other: type) -> bool:
        return cls.__module__ not in _waiting and issubclass(other, _real(cls))


def _mark(module: str, name: str) -> Callable[..., Any]:
    """Return a decorator that leaves a function as it is, and is the real one as soon as its module is loaded."""

    def mark(function: Any = None, *given: Any, **named: Any) -> Any:
        if module not in _waiting:
            return getattr(_loaded(module), name)(function, *given, **named)
        return mark if function is None else function

    return mark


def _plain(module: str, name: str) -> Callable[..., Any]:
    """Return a function that answers for a plain number itself, and is the real one for anything else."""

    def answer(*given: Any, **named: Any) -> Any:
        if module in _waiting and not named and _is_plain(given):
            return PLAIN[module][name](*given)
        return getattr(_loaded(module), name)(*given, **named)

    return answer


def _is_plain(value: Any) -> bool:
    """Return whether something is a truth or a size, or a shape of them, with no symbol in it."""
    return all(map(_is_plain, value)) if isinstance(value, (tuple, list)) else type(value) in (bool, int)


def _real(promise: Promise) -> Any:
    """Return what a stand-in stands for."""
    return getattr(_loaded(promise.__module__), promise.__name__)


def _loaded(module: str) -> ModuleType:
    """Return a module, loaded now with all that was promised of its parts.

    No lock is held meanwhile but the import system's own: a module that is just being imported may ask for this one.
    """
    if module in _waiting:
        for part in [each for each in _waiting if each == module or each.startswith(f"{module}.")]:
            _waiting.discard(part)
            if isinstance(sys.modules.get(part), _Unloaded):
                del sys.modules[part]
    return importlib.import_module(module)


def _on_one_machine() -> None:
    """Let transformers take the way it has for a PyTorch without `torch.distributed`; it asks once and remembers."""
    import torch.distributed
    from transformers.utils import import_utils

    there = torch.distributed.is_available
    torch.distributed.is_available = lambda: False
    try:
        getattr(import_utils, "is_torch_distributed_available", bool)()
    finally:
        torch.distributed.is_available = there
