"""Inputs and outputs of one attention layer, and its W_O: all numbers of a cell.

W_O is not looked up by name: it is the matrix that the model hands the layer's head outputs to. Queries and keys before
a rotation are the output of a part of the layer that has the same lengths, because rotations keep lengths.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mha.errors import AttentionUnavailable, InputError
from mha.maps import Recording
from mha.models.files.loading import LoadedModel
from mha.models.imported import Conv1D
from mha.models.watch.anatomy import anatomy
from mha.models.watch.attention import NAME, AttentionCall, attention_named
from mha.models.watch.inputs import inputs_of, prepared
from mha.models.watch.recording import run
from mha.words import accept

CLOSE = 1e-4  # of the largest number: equal, in float32
CLOSE_IN_HALF = 3e-2
HALF = (torch.float16, torch.bfloat16)


@dataclass(eq=False)
class Layer:
    """One layer of one stack in one pass; tensors of the first batch item, as the model has them.

    ``query`` and ``output`` are [head, query, d_head], ``key`` and ``value`` [group, key, d_head], ``weights`` [head,
    query, key]; ``options`` has the other arguments of the attention function. ``matrix`` is W_O, ``added`` [query,
    d_model] its image of the output; ``parts`` are outputs of the layer's own parts, by name.
    """

    module: Any
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    options: dict[str, Any]
    weights: Tensor
    output: Tensor
    matrix: Any = None
    added: Tensor | None = None
    parts: dict[str, Tensor] = field(default_factory=dict)

    @property
    def n_heads(self) -> int:
        """Number of query heads."""
        return self.query.shape[0]

    def for_each_head(self, tensor: Tensor) -> Tensor:
        """Return keys or values once for each head that shares them."""
        return tensor.repeat_interleave(self.n_heads // tensor.shape[0], dim=0)

    def through_output(self, rows: Tensor, head: int) -> Tensor:
        """Return what W_O makes of vectors [row, d_head] of one head, without its bias, float64 [row, d_model].

        Raises:
            AttentionUnavailable: no matrix takes the heads' findings as they are.
        """
        if self.matrix is None:
            raise AttentionUnavailable(
                "This model applies another step between its heads and W_O, so its result is not available."
            )
        kind = next(self.matrix.parameters())
        padded = torch.zeros(len(rows) + 1, self.n_heads, rows.shape[-1], dtype=kind.dtype, device=kind.device)
        padded[:-1, head] = rows.to(kind.device, kind.dtype)
        with torch.inference_mode():
            images = self.matrix(padded.flatten(1)).double()
        return images[:-1] - images[-1]


class _Watching(AttentionCall):
    """A call that keeps every layer of one stack as it was handed to the attention function."""

    def __init__(self, stack_of: Any, stack: str, close: float) -> None:
        super().__init__(stack_of, keep=())
        self.stack = stack
        self.close = close
        self.layers_seen: list[Layer] = []
        self.parts: dict[int, dict[str, Tensor]] = {}
        self.thread = threading.get_ident()

    def attend(
        self, module: Any, eager: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        output, weights = super().attend(module, eager, arguments, options)
        if self.stack_of[id(module)] == self.stack:
            query, key, value, mask = arguments[:4]
            self.layers_seen.append(
                Layer(
                    module,
                    query[0],
                    key[0],
                    value[0],
                    None if mask is None else mask[0],
                    dict(options),
                    weights[0],
                    output[0].transpose(0, 1),
                    parts=self.parts.pop(id(module), {}),
                )
            )
        return output, weights

    def part(self, owner: int, name: str, _module: Any, _arguments: Any, output: Any) -> None:
        """Keep the output of a part of an attention module."""
        if threading.get_ident() == self.thread and isinstance(output, Tensor):
            self.parts.setdefault(owner, {})[name] = output

    def matrix(self, module: Any, arguments: tuple[Any, ...], output: Any) -> None:
        """Take a matrix that is handed the last layer's head outputs, side by side."""
        if threading.get_ident() != self.thread or not self.layers_seen or not arguments:
            return
        last = self.layers_seen[-1]
        rows = arguments[0]
        if last.matrix is not None or rows.numel() != last.output.numel():
            return
        expected = last.output.transpose(0, 1).flatten(1)  # [query, head · d_head]
        rows = rows.detach().reshape(-1, rows.shape[-1])
        if rows.shape == expected.shape and _near(rows, expected, self.close):
            last.matrix = module
            last.added = output.detach().reshape(expected.shape[0], -1)


def layers_of(model: Any, ready: dict[str, Any], stack: str) -> tuple[list[Layer], Any]:
    """Return every layer of a stack in one pass over `prepared` inputs, and the model's own result.

    Raises:
        InputError: the model has no such stack.
        AttentionUnavailable: the model does not use transformers' attention interface.
    """
    model_anatomy = anatomy(model)
    if not model_anatomy.checked:
        run(model, ready)
    if model_anatomy.way != NAME:
        raise AttentionUnavailable(
            f"{type(model).__name__} does not use transformers' attention interface: its weights are recorded, its "
            f"queries, keys and values are not available."
        )
    half = model.dtype in HALF
    call = _Watching(model_anatomy.stack_of, stack, CLOSE_IN_HALF if half else CLOSE)
    with (
        torch.inference_mode(),
        _hooked(model, call),
        attention_named(model_anatomy.configs, call=call),
    ):
        outputs = model(**ready)
    if not call.layers_seen:
        raise InputError(f"{type(model).__name__} has {', '.join(call.n_layers_run)}; there is no {stack!r}.")
    return call.layers_seen, outputs


def layers_again(loaded: LoadedModel, recording: Recording, stack: str, target: str | None = None) -> list[Layer]:
    """Return every layer of a stack in one more pass over a text that was recorded, with the same ``target``."""
    aim = None if target is None else accept(target).text
    _, inputs, _ = inputs_of(loaded, recording.maps.text, recording.maps.pair, aim)
    return layers_of(loaded.model, prepared(loaded.model, inputs), stack)[0]


@contextmanager
def _hooked(model: Any, call: _Watching) -> Iterator[None]:
    with ExitStack() as hooks:
        for module in model.modules():
            if isinstance(module, torch.nn.Linear | Conv1D):
                hooks.callback(module.register_forward_hook(call.matrix).remove)
            if "Attention" in type(module).__name__:
                for name, part in module.named_children():
                    hooks.callback(part.register_forward_hook(partial(call.part, id(module), name)).remove)
        yield


def _near(first: Tensor, second: Tensor, close: float) -> bool:
    size = max(1.0, float(second.abs().max()))
    return float((first - second).abs().max()) <= close * size


def before_rotation(layer: Layer, tensor: Tensor) -> Tensor | None:
    """Return queries or keys [head or group, token, d_head] as they were before they were rotated, or None.

    It is the last output of the layer's own parts whose vectors have the same lengths, token by token and head by head.
    """
    n_heads, n_tokens, d_head = tensor.shape
    lengths = tensor.double().norm(dim=-1)
    for part in reversed(list(layer.parts.values())):
        if part.numel() != tensor.numel():
            continue
        vectors = _by_head(part.detach()[0], n_heads, n_tokens, d_head)
        if vectors is not None and np.allclose(
            vectors.double().norm(dim=-1).cpu(), lengths.cpu(), rtol=1e-3, atol=1e-4
        ):
            return vectors
    return None


def _by_head(part: Tensor, n_heads: int, n_tokens: int, d_head: int) -> Tensor | None:
    """Return a part's output, of one text, as [head, token, d_head], for every layout of a model."""
    if tuple(part.shape) == (n_heads, n_tokens, d_head):
        return part
    if tuple(part.shape) in ((n_tokens, n_heads * d_head), (n_tokens, n_heads, d_head)):
        return part.reshape(n_tokens, n_heads, d_head).transpose(0, 1)
    return None
