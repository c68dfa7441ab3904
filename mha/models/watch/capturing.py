"""Asking transformers for attentions or hidden states without leaving its hooks on the model.

transformers puts a forward hook on every layer the first time `output_attentions` or `output_hidden_states` is asked
for, and leaves them there. Inside `capturing` they may be added; the end of the last overlapping block removes all
added hooks.
"""

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mha.models.imported import PreTrainedModel

FLAG = "_output_capturing_hooks_installed"
HOOK = "output_capturing_hook"
OURS = __name__.partition(".")[0]


@dataclass
class _Before:
    hooks: dict[int, set[int]]  # by identity of the module
    flagged: set[int]
    holders: int = 0


_lock = threading.Lock()
_before: weakref.WeakKeyDictionary[PreTrainedModel, _Before] = weakref.WeakKeyDictionary()


@contextmanager
def capturing(model: PreTrainedModel) -> Iterator[None]:
    """Let transformers capture outputs of this model inside the block."""
    with _lock:
        state = _before.get(model)
        if state is None:
            state = _before[model] = _state(model)
        state.holders += 1
    try:
        yield
    finally:
        with _lock:
            state.holders -= 1
            if state.holders == 0:
                _restore(model, state)
                del _before[model]


def let_go(copy: PreTrainedModel) -> None:
    """Remove the hooks from a copy of a model, because the copy may have been made during a pass.

    Our own hooks are removed, too: they would keep the outputs of the copy for good.
    """
    _restore(copy, _Before({}, set()))
    module: Any
    for module in copy.modules():
        for hooks in (module._forward_hooks, module._forward_pre_hooks):
            for number, hook in list(hooks.items()):
                if (getattr(hook, "__module__", None) or "").startswith(f"{OURS}."):
                    del hooks[number]


def _state(model: PreTrainedModel) -> _Before:
    modules = list(model.modules())
    return _Before(
        hooks={id(module): set(module._forward_hooks) for module in modules},
        flagged={id(module) for module in modules if FLAG in vars(module)},
    )


def _restore(model: PreTrainedModel, state: _Before) -> None:
    module: Any
    for module in model.modules():
        hook_ids = state.hooks.get(id(module), set())
        for number, hook in list(module._forward_hooks.items()):
            if number not in hook_ids and HOOK in getattr(hook, "__qualname__", ""):
                del module._forward_hooks[number]
        if FLAG in vars(module) and id(module) not in state.flagged:
            delattr(module, FLAG)
