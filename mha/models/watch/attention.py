"""The attention function that records (``"parallax"``), and the context that sets it in a config.

It calls the module's own `eager_attention_forward`, so that position biases, soft caps, sink logits and sliding windows
are exactly the model's, shows the result to the `AttentionCall` of the current context, and lets that call's
intervention change it. Without a current call it is the eager function.

Models read the name of their attention function from their config at every layer, so all threads read the name that
one thread sets. Calls with the same name share it: the first call sets the name, the last one restores the former name.
A call with another name waits until the config is free.
"""

import functools
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from mha.errors import AttentionUnavailable
from mha.models.imported import AttentionInterface, AttentionMaskInterface, PreTrainedModel, eager_mask

NAME = "parallax"
POSITIONAL_NAMES = (
    "query",
    "key",
    "value",
    "attention_mask",
)  # first arguments of an attention function, in this order
FIELD = "_attn_implementation_internal"  # written past the public setter, which would write into sub-configs too


@dataclass(frozen=True)
class Site:
    """The attention layer at which an intervention is called; ``stack`` is as in `mha.maps.Recording`."""

    stack: str
    layer: int
    mask: Tensor | None = None

    def visible(self, weights: Tensor) -> Tensor:
        """Return which keys each query may look at, as bool of the shape of ``weights``."""
        if self.mask is None:
            return torch.ones_like(weights, dtype=torch.bool)
        mask = self.mask[..., : weights.shape[-1]]
        allowed = mask if mask.dtype == torch.bool else mask > torch.finfo(mask.dtype).min / 2
        return allowed.expand_as(weights)


class Intervention(Protocol):
    """An intervention of a call; each batch item may get a change of its own. It returns None if nothing changes."""

    def weights(self, site: Site, weights: Tensor) -> Tensor | None:
        """Return other weights [batch, head, query, key]; the head outputs then follow from them."""

    def output(self, site: Site, output: Tensor) -> Tensor | None:
        """Return other head outputs [batch, query, head, d_head], before W_O."""


class PassComplete(Exception):
    """All layers that an `AttentionCall` needs have run: the rest of the pass is not needed."""


@dataclass(eq=False)
class AttentionCall:
    """Recordings and interventions of one forward pass.

    ``stack_of`` maps the identity of each module to its stack: modules of other models are left alone. ``keep`` names
    the kept tensors of each layer ("weights", "query", "key", "value", "output"), as float32 on the CPU, of the first
    batch item, or with the batch axis in front if ``batched``. ``n_layers`` has the expected number of layers of each
    stack; their arrays are allocated once. The pass ends with `PassComplete` after ``n_layers_to_run`` layers of a
    stack. ``n_layers_run`` counts the layers of each stack that ran, in the order in which they began; ``layouts`` has
    the heads, key groups and window of each layer, ``n_parts`` the number of windows, frames or channels that attention
    sees side by side, of which the first is kept.
    """

    stack_of: Mapping[int, str]
    keep: tuple[str, ...] = ("weights",)
    intervention: Intervention | None = None
    batched: bool = False
    n_layers: Mapping[str, int] = field(default_factory=dict)
    n_layers_to_run: int | None = None
    n_layers_run: dict[str, int] = field(default_factory=dict, init=False)
    layouts: dict[str, list[tuple[int, int, int | None]]] = field(default_factory=dict, init=False)
    n_parts: int = field(default=1, init=False)
    _kept: dict[tuple[str, str], Any] = field(default_factory=dict, init=False)

    def stacked(self, stack: str, tensor_name: str = "weights") -> Tensor:
        """Return the kept tensors as one tensor, layer first, without a copy if the number of layers was known."""
        tensors = self._kept[stack, tensor_name]
        return tensors[: self.n_layers_run[stack]] if isinstance(tensors, Tensor) else stack_layers(tensors)

    def attend(
        self, module: Any, eager: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Run the module's own attention, apply the intervention, keep the requested tensors, and return the output."""
        query, key, value, mask = arguments[:4]
        # [batch, query, head, d_head], [batch, head, query, key]
        output, weights = eager(module, *arguments, **options)
        stack = self.stack_of[id(module)]
        layer = self.n_layers_run.get(stack, 0)
        if self.intervention is not None:
            output, weights = _changed(self.intervention, Site(stack, layer, mask), value, output, weights)
        if self.keep:
            tensors = {"weights": weights, "query": query, "key": key, "value": value, "output": output.transpose(1, 2)}
            for tensor_name in self.keep:
                self._keep_tensor(stack, tensor_name, layer, _for_each_head(tensors[tensor_name], weights.shape[1]))
        self.n_layers_run[stack] = layer + 1
        self.n_parts = max(self.n_parts, len(query))
        window = options.get("sliding_window")
        self.layouts.setdefault(stack, []).append((query.shape[1], key.shape[1], window or None))
        if layer + 1 == self.n_layers_to_run:
            raise PassComplete
        return output, weights

    def _keep_tensor(self, stack: str, tensor_name: str, layer: int, tensor: Tensor) -> None:
        part = tensor.detach() if self.batched else tensor.detach()[0]
        buffer = self._kept.get((stack, tensor_name))
        if buffer is None:
            expected = self.n_layers.get(stack)
            buffer = []
            if expected is not None:  # numpy asks for large pages, which halves the time to fill them
                buffer = torch.from_numpy(np.empty((expected, *part.shape), dtype=np.float32))
            self._kept[stack, tensor_name] = buffer
        if len(buffer) and buffer[0].shape != part.shape:
            raise AttentionUnavailable(
                "The layers of this model have different numbers of heads or positions, so one grid cannot show "
                "them. If the model contains several models, pass one of them."
            )
        if isinstance(buffer, list):
            buffer.append(part.to("cpu", torch.float32, copy=True))
        elif layer < len(buffer):
            buffer[layer].copy_(part)
        else:  # more layers than the last time: go on with a list
            self._kept[stack, tensor_name] = [*buffer, part.to("cpu", torch.float32, copy=True)]


_current: ContextVar[AttentionCall | None] = ContextVar("parallax_call", default=None)


def stack_layers(layers: list[Tensor]) -> Tensor:
    """Return the tensors of a stack's layers as one, layer first.

    Raises:
        AttentionUnavailable: they differ in shape, as in a model whose image windows grow.
    """
    if len({layer.shape for layer in layers}) > 1:
        unequal = next(layer for layer in layers if layer.shape != layers[0].shape)
        shapes = " and ".join(str(list(layer.shape)) for layer in (layers[0], unequal))
        raise AttentionUnavailable(
            f"The attention of the layers has different shapes ({shapes}), so one map cannot hold it."
        )
    return torch.stack(layers)


def recording_attention(module: Any, *arguments: Any, **options: Any) -> Any:
    """The attention function itself: eager attention, seen by the current call if the module is one of its own."""
    module_class: Any = type(module)
    eager = eager_of(module_class)
    arguments += tuple(
        options.pop(name, None) for name in POSITIONAL_NAMES[len(arguments) :]
    )  # some models name the mask
    call = _current.get()
    if call is None or id(module) not in call.stack_of:
        return eager(module, *arguments, **options)
    return call.attend(module, eager, arguments, options)


@functools.cache
def eager_of(module_class: type) -> Callable[..., Any]:
    """Return the eager attention function in the module of this class, or of a class that it derives from.

    Raises:
        AttentionUnavailable: the function does not exist.
    """
    for ancestor in module_class.__mro__:
        function = getattr(sys.modules.get(ancestor.__module__), "eager_attention_forward", None)
        if function is not None:
            return function
    raise AttentionUnavailable(f"{module_class.__name__} has no attention function that could be recorded.")


def _changed(
    intervention: Intervention, site: Site, value: Tensor, output: Tensor, weights: Tensor
) -> tuple[Tensor, Tensor]:
    replacement = intervention.weights(site, weights)
    if replacement is not None:
        values = _for_each_head(value, weights.shape[1])
        if not torch.allclose(
            (weights @ values).transpose(1, 2), output, rtol=0.02, atol=0.02 * float(output.abs().max())
        ):
            raise AttentionUnavailable("The model changes head outputs after its weights act, so no link can be cut.")
        weights = replacement
        output = (weights @ values).transpose(1, 2)  # [batch, query, head, d_head]
    replaced = intervention.output(site, output)
    return (output if replaced is None else replaced).contiguous(), weights


def _for_each_head(tensor: Tensor, n_heads: int) -> Tensor:
    """Return keys or values [batch, group, token, d_head] once for each query head that shares them."""
    groups = tensor.shape[1]
    return tensor if groups == n_heads else tensor.repeat_interleave(n_heads // groups, dim=1)


AttentionInterface.register(NAME, recording_attention)
AttentionMaskInterface.register(NAME, eager_mask)


def own_attention(config: Any) -> str:
    """Return the name of the attention function of a config, the name that the config has when no recording runs."""
    with _config_released:
        hold = _held_configs.get(id(config))
        return str(getattr(config, FIELD, None) if hold is None else hold.former_name)


def check_attention_functions(configs: Sequence[Any]) -> None:
    """Raise AttentionUnavailable if a config names an attention function that is not transformers' own."""
    for name in map(own_attention, configs):
        function: Any = AttentionInterface().get(name)
        module = getattr(getattr(function, "func", function), "__module__", None) or ""
        if function is not None and not module.startswith("transformers."):
            raise AttentionUnavailable(
                f"The model has the registered attention function {name[:40]!r}, whose weights are not recorded. "
                'set_attn_implementation("eager") lets those of eager attention be recorded.'
            )


@dataclass
class _Hold:
    config: Any
    name: str
    former_name: Any
    holders: int = 0


_config_released = threading.Condition()
_held_configs: dict[int, _Hold] = {}  # by identity of the config: two models may share one


@contextmanager
def attention_named(configs: Sequence[Any], name: str = NAME, call: AttentionCall | None = None) -> Iterator[None]:
    """Set this attention function in all configs inside the context; a ``call`` is its call, and calls do not nest."""
    if call is not None and _current.get() is not None:
        raise RuntimeError("a recording is under way in this context; recordings do not nest")
    with _config_released:
        _config_released.wait_for(
            lambda: all(_held_configs[id(item)].name == name for item in configs if id(item) in _held_configs)
        )
        for config in configs:
            hold = _held_configs.get(id(config))
            if hold is None:
                hold = _held_configs[id(config)] = _Hold(config, name, getattr(config, FIELD, None))
                setattr(config, FIELD, name)
            hold.holders += 1
    token = None if call is None else _current.set(call)
    try:
        yield
    finally:
        if token is not None:
            _current.reset(token)
        with _config_released:
            for config in configs:
                hold = _held_configs[id(config)]
                hold.holders -= 1
                if hold.holders == 0:
                    setattr(config, FIELD, hold.former_name)
                    del _held_configs[id(config)]
            _config_released.notify_all()


# transformers puts a forward hook on every layer the first time `output_attentions` or `output_hidden_states` is asked
# for, and leaves them there. Inside `removing_capture_hooks` they may be added; the end of the last overlapping context
# removes them.
FLAG = "_output_capturing_hooks_installed"
HOOK = "output_capturing_hook"
OURS = __name__.partition(".")[0]


@dataclass
class _FormerHooks:
    hooks: dict[int, set[int]]  # by identity of the module
    flagged: set[int]
    holders: int = 0


_lock = threading.Lock()
_former_hooks: weakref.WeakKeyDictionary[PreTrainedModel, _FormerHooks] = weakref.WeakKeyDictionary()


@contextmanager
def removing_capture_hooks(model: PreTrainedModel) -> Iterator[None]:
    """Let transformers add its capture hooks inside the context; remove them at its end."""
    with _lock:
        state = _former_hooks.get(model)
        if state is None:
            state = _former_hooks[model] = _read_hooks(model)
        state.holders += 1
    try:
        yield
    finally:
        with _lock:
            state.holders -= 1
            if state.holders == 0:
                _restore(model, state)
                del _former_hooks[model]


def remove_copied_hooks(copy: PreTrainedModel) -> None:
    """Remove the hooks from a copy of a model, because the copy may have been made during a pass.

    Our own hooks are removed, too: they would keep the outputs of the copy for good.
    """
    _restore(copy, _FormerHooks({}, set()))
    module: Any
    for module in copy.modules():
        for hooks in (module._forward_hooks, module._forward_pre_hooks):
            for number, hook in list(hooks.items()):
                if (getattr(hook, "__module__", None) or "").startswith(f"{OURS}."):
                    del hooks[number]


def _read_hooks(model: PreTrainedModel) -> _FormerHooks:
    modules = list(model.modules())
    return _FormerHooks(
        hooks={id(module): set(module._forward_hooks) for module in modules},
        flagged={id(module) for module in modules if FLAG in vars(module)},
    )


def _restore(model: PreTrainedModel, state: _FormerHooks) -> None:
    module: Any
    for module in model.modules():
        hook_ids = state.hooks.get(id(module), set())
        for number, hook in list(module._forward_hooks.items()):
            if number not in hook_ids and HOOK in getattr(hook, "__qualname__", ""):
                del module._forward_hooks[number]
        if FLAG in vars(module) and id(module) not in state.flagged:
            delattr(module, FLAG)
