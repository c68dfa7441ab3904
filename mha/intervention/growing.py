"""Forward passes with a growing batch: variants of one text share the layers before their difference.

Row 0 of the batch is the untouched text. A variant that changes heads from layer l on is a copy of row 0 that joins at
layer l: the layers below are computed once for all. With the heads of every layer as variants this is the arithmetic
minimum: each layer computes 1 + the variants that began at or below it. A variant that changes the cross-attention of
an encoder–decoder joins behind the encoder.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from mha.errors import AttentionUnavailable
from mha.intervention.ablation import Change, HeadChanges
from mha.intervention.subject import Subject
from mha.models.watch.attention import Intervention
from mha.models.watch.recording import listening
from mha.stepwise import Steps

Variant = tuple[Change, ...]

BEHIND = 1_000_000  # the layers of a cross-attention follow any layer of the encoder
MOST_BYTES = 2**27  # of the largest arrays that one batch needs
MOST_ROWS = 96
MOST_TOKENS = 1024  # of the rows of one batch, through MiniLM: a third of a second, most of them join on the way


@dataclass(frozen=True, eq=False)
class Pass:
    """One forward pass of one text: its inputs, its reading function, its last block output, and its module.

    ``read`` gets the hidden states [row, token, d_model] at block output ``stop``, or, without ``stop``, the result of
    ``runs`` (by default the model's body), and returns [row, …].
    """

    inputs: dict[str, Any]
    read: Callable[[Any], Tensor]
    stop: int | None = None
    runs: Any = None


class _BlockReached(Exception):
    """The block output that was asked for is there; nothing after it is needed."""


def through(
    experiment: Subject, single_pass: Pass, joining: Sequence[int] = (), intervention: Intervention | None = None
) -> Tensor:
    """Return the read numbers of one pass, [row, …]; a row joins before each layer of ``joining``.

    Gradients are the caller's choice.
    """
    thread = threading.get_ident()
    reached_states: list[Tensor] = []

    def join_rows(block: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Let the rows join whose first changed layer is in this block; end the pass where it stops."""
        if threading.get_ident() != thread:
            return None  # another visitor's pass through the same model
        layer = call.seen.get(experiment.stack, 0)
        hidden = args[0] if args else options["hidden_states"]  # [row, token, d_model]
        if layer == single_pass.stop:
            reached_states.append(hidden)
            raise _BlockReached
        reached = layer + experiment.spans[id(block)]
        rows = sum(layer <= first < reached for first in joining)
        if not rows:
            return None
        grown = torch.cat([hidden, hidden[:1].expand(rows, *hidden.shape[1:])])
        return ((grown, *args[1:]), options) if args else (args, options | {"hidden_states": grown})

    with listening(experiment.model, (), intervention) as call, ExitStack() as hooks:
        for block in experiment.blocks:
            hooks.callback(block.register_forward_pre_hook(join_rows, with_kwargs=True).remove)
        try:
            result = (experiment.body if single_pass.runs is None else single_pass.runs)(**single_pass.inputs)
        except _BlockReached:
            return single_pass.read(reached_states[0])
        if single_pass.stop is not None:
            raise AttentionUnavailable(f"{experiment.name} has no block output {single_pass.stop} that could be read.")
        if behind := sum(first >= BEHIND for first in joining):
            states = result.last_hidden_state  # [row, token, d_model]
            result.last_hidden_state = torch.cat([states, states[:1].expand(behind, *states.shape[1:])])
        return single_pass.read(result)


def variants_in_parts(
    experiment: Subject, single_pass: Pass, variants: Sequence[Variant], rows: int | None = None
) -> Iterator[tuple[float, list[int], Tensor]]:
    """Yield the number of the untouched text, and the numbers of some variants with their values, float64 [variant].

    Variants that begin in low layers come first; batches have ``rows``, or as many as `rows_at_once`.
    """
    if single_pass.stop is not None:  # later layers cannot affect the result
        variants = [tuple(change for change in variant if change.head.layer < single_pass.stop) for variant in variants]
    order = sorted(range(len(variants)), key=lambda number: first_layer(variants[number]))
    size = rows or rows_at_once(experiment, single_pass.inputs)
    for start in range(0, max(len(order), 1), size):
        part = order[start : start + size]
        values = run_variants(experiment, single_pass, [variants[number] for number in part])
        yield float(values[0]), part, values[1:].double().cpu()


def run_variants(experiment: Subject, single_pass: Pass, variants: Sequence[Variant]) -> Tensor:
    """Return the values of the untouched text and of some variants after one pass, [1 + variant, …].

    Variants are in the order of their `first_layer`.
    """
    changes = HeadChanges(experiment.stack, dict(enumerate(variants, start=1)))
    with torch.inference_mode():
        return through(experiment, single_pass, [first_layer(variant) for variant in variants], changes)


def first_layer(variant: Variant) -> int:
    """Return the lowest layer that a variant changes: below it, it equals the untouched text.

    Layers of a cross-attention count from `BEHIND`.
    """
    return min((change.head.layer + BEHIND * (change.head.stack == "cross") for change in variant), default=0)


def gathering_parts(parts: Iterator[tuple[float, list[int], Tensor]], count: int) -> Steps[tuple[float, Tensor]]:
    """Find the number of the untouched text and those of all variants, float64 [variant], a part in each step."""
    values = torch.empty(count, dtype=torch.float64)
    untouched = float("nan")
    for untouched, part, part_values in parts:  # noqa: B007
        values[part] = part_values
        yield len(part)
    return untouched, values


def rows_at_once(experiment: Subject, inputs: dict[str, Any]) -> int:
    """Return the number of variants of one batch, by memory and by the wait of other requests.

    Counted are the numbers of a feed-forward layer and of three maps, and tokens, by how large the model is.
    """
    n_tokens = inputs["input_ids"].shape[1]
    d_model = experiment.model.get_input_embeddings().weight.shape[1]
    row = 4 * n_tokens * (8 * d_model + 3 * experiment.n_heads * n_tokens)
    tokens = MOST_TOKENS / max(1.0, experiment.size)
    return int(max(1, min(MOST_ROWS, MOST_BYTES // row, tokens // n_tokens)))
