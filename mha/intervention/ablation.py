"""Interventions on a head (ablate it, replace its output, cut its links), and passes in which variants grow.

All of it happens inside the recording attention function, for each row of a batch by itself. A head is ablated by zero
(its output before W_O times 0) or by its mean (its output is replaced by its mean over the bundled corpus and
positions; Michel et al. 2019 use zero, the mean is the default here). The kinds disagree, so every number names its
kind.

Variants of one text share the layers before their difference. Row 0 of a batch is the untouched text. A variant that
changes heads from layer l on is a copy of row 0 that joins at layer l: the layers below are computed once for all. With
the heads of every layer as variants this is the arithmetic minimum: each layer computes 1 + the variants that began at
or below it. A variant that changes the cross-attention of an encoder–decoder joins behind the encoder.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from mha.cuts import Cut, Cuts, cut_refusal
from mha.errors import AttentionUnavailable, InputError
from mha.intervention.bank import head_means
from mha.intervention.subject import Subject, in_this_thread, subject
from mha.maps import HeadId, Recording
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.attention import Intervention, Site
from mha.models.watch.generating import writes
from mha.models.watch.inputs import masked, without_end
from mha.models.watch.recording import listening, record
from mha.models.watch.tokens import Encoded
from mha.stepwise import Steps
from mha.words import accept

POSITIONS = ("all", "predicting")
Heads = Sequence[HeadId | tuple[int, int] | str]


def are_given(*choices: Heads | Cuts) -> bool:
    """Return whether any heads or cuts are given; heads may be an array, as `numpy.argwhere` returns it."""
    return any(choice is not None and len(choice) for choice in choices)


@dataclass(frozen=True, eq=False)
class Change:
    """What happens to one head: output · ``scale`` + ``add`` [query or 1, d_head], after some of its links are ``cut``.

    The head may be of the cross-attention.

    The output changes at one ``position``, or at all if not given.
    """

    head: HeadId
    scale: float = 1.0
    add: Tensor | None = None
    position: int | None = None
    cut: Cut | None = None

    @property
    def queries(self) -> slice:
        """The rows of the head's output that change."""
        return slice(None) if self.position is None else slice(self.position, self.position + 1)


KINDS = ("mean", "zero")


def check_kind(kind: str) -> None:
    """Raise InputError unless ``kind`` is a kind of ablation."""
    if kind not in KINDS:
        raise InputError(f"A head is ablated by {' or '.join(KINDS)}; this is {kind!r}.")


class HeadChanges:
    """The intervention that makes changes, by row of the batch; rows that are not named stay as they are.

    ``stack`` is that of all heads but those of the cross-attention.
    """

    def __init__(self, stack: str, rows: Mapping[int, Sequence[Change]]) -> None:
        self.at: dict[tuple[str, int], list[tuple[int, Change]]] = {}  # by stack and layer: (row, change)
        for row, changes in rows.items():
            for change in changes:
                self.at.setdefault((change.head.stack or stack, change.head.layer), []).append((row, change))

    def weights(self, site: Site, weights: Tensor) -> Tensor | None:
        """Return the weights [row, head, query, key] with cut links at 0 and their rows rescaled to the former sums."""
        row_cuts = [(row, change.cut) for row, change in self._changes_at(site) if change.cut is not None]
        if not row_cuts:
            return None
        visible, changed = site.visible(weights), weights.clone()
        for row, cut in row_cuts:
            queries, keys = (slice(first, last + 1) for first, last in (cut.queries, cut.keys))
            total_before = weights[row, cut.head.head, queries].float()  # [query, key]
            changed[row, cut.head.head, queries, keys] = 0
            total_after = changed[row, cut.head.head, queries].float()
            scale = total_before.sum(dim=-1, keepdim=True) / total_after.sum(dim=-1, keepdim=True)
            if not (visible[row, cut.head.head, queries, keys].all() and scale.isfinite().all()):
                raise InputError(
                    f"{cut} is masked in this model, or has all the weight of its row, so it cannot be cut."
                )
            changed[row, cut.head.head, queries] = (total_after * scale).to(weights)
        return changed

    def output(self, site: Site, output: Tensor) -> Tensor | None:
        """Return the head outputs [row, query, head, d_head] scaled and replaced."""
        row_changes = [
            (row, change) for row, change in self._changes_at(site) if change.scale != 1 or change.add is not None
        ]
        if not row_changes:
            return None
        changed = output.clone()
        for row, change in row_changes:
            if change.scale != 1:
                changed[row, change.queries, change.head.head] *= change.scale
            if change.add is not None:
                changed[row, change.queries, change.head.head] += change.add
        return changed

    def _changes_at(self, site: Site) -> list[tuple[int, Change]]:
        return self.at.get((site.stack, site.layer), [])


def ablation_changes(experiment: Subject, heads: Heads, kind: str, position: int | None = None) -> tuple[Change, ...]:
    """Return the changes that ablate these heads of a model, at one position or at all.

    Raises:
        InputError: no such head, or no such kind of ablation.
    """
    check_kind(kind)
    ablated_heads = experiment.chosen(heads)
    if kind == "zero":
        return tuple(Change(head, 0.0, position=position) for head in ablated_heads)
    model, stacks = experiment.model, {head.stack == "cross" for head in ablated_heads}
    means = {cross: torch.as_tensor(head_means(experiment, cross)).to(model.device, model.dtype) for cross in stacks}
    return tuple(
        Change(head, 0.0, means[head.stack == "cross"][head.layer, head.head][None], position) for head in ablated_heads
    )


def cutting(
    experiment: Subject, cut: Cuts, n_tokens: int, ablated: Sequence[HeadId] = (), n_written: float = math.inf
) -> tuple[Change, ...]:
    """Return the changes that cut links in a text of ``n_tokens`` tokens, each once; ``n_written`` as `cut_refusal`.

    Raises:
        InputError: no such head or link, more than four, a row would be empty, or a head is ``ablated`` as well.
    """
    cuts = Cut.parse_all(cut)
    experiment.chosen([link.head for link in cuts])
    refusal = cut_refusal(cuts, n_tokens, experiment.causal, experiment.name, ablated, n_written)
    if refusal:
        raise InputError(refusal)
    return tuple(Change(link.head, cut=link) for link in cuts)


def ablated_position(loaded: LoadedModel, positions: str, predicting: int) -> int | None:
    """Return the position at which heads are ablated: None if ``positions`` is "all", else the predicting one.

    Raises:
        InputError: neither "all" nor "predicting", or the model is an encoder–decoder, which predicts in its decoder.
    """
    if positions not in POSITIONS:
        raise InputError(f"Heads are ablated at positions {' or '.join(map(repr, POSITIONS))}; this is {positions!r}.")
    if positions == "all":
        return None
    if loaded.row.two_sided:
        raise InputError(
            f"{loaded.row.short} predicts in its decoder, and heads of its encoder are ablated: choose positions='all'."
        )
    return predicting


def ablate(
    text: str,
    heads: Heads = (),
    kind: str = "mean",
    model: str | LoadedModel = DEFAULT,
    keep: Sequence[str] = (),
    positions: str = "all",
    cut: Cuts = (),
) -> Recording:
    """Return the recording of a text with heads ablated, links cut, or both; ``keep`` as `mha.record`.

    Weights of later layers change; an ablated head's own weights stay as they are. Heads are ablated at all
    ``positions``, or at the "predicting" one: the last token of the text, or the one typed ``[MASK]`` of a masked
    model, which then reads its mask there.

    A link is the weight of one head from a query token to a key token. A ``cut`` sets it to 0 and divides the rest of
    the row by its sum, times the sum before: with weights .8, .1, .1 and the first cut, the row is 0, .5, .5. At most
    four cuts, as "L23H4:5-4": head, then the positions of query and key among the tokens of the recording, from 0;
    "L23H4:5-3.4" cuts the links to tokens 3 and 4. The recording has the rescaled row. Heads of an encoder–decoder are
    ``E0H7`` and ``C1H2``, as in `mha.translate`; here the decoder reads the text itself.

    >>> row = ablate("moon fish table moon fish", model="copier", cut=["L1H2:5-3"]).maps["L1H2"][5]
    >>> f"{row[3]:.0%} {row.sum():.0%}"
    '0% 100%'

    Raises:
        InputError: no such head, kind or positions, or the text has no word; or no single mask is typed, or an
            encoder–decoder is to be ablated at the predicting position; or a cut is not written so, is one of more than
            four, is outside the text, leads to a later token of a causal model or outside a window, leaves no weight in
            its row, or is of an ablated head.
        AttentionUnavailable: the model's heads cannot be reached, or it predicts no words.
    """
    experiment = subject(model)
    accepted = accept(text)
    if ablated_position(experiment.loaded, positions, 0) is None:
        encoded, position = experiment.encoded(accepted.text), None
    else:
        encoded, position = _predicting_text(experiment, accepted.text)
    n_tokens = len(encoded.tokens)
    cuts = cutting(experiment, cut, n_tokens, experiment.chosen(heads), n_tokens)
    changes = HeadChanges(experiment.stack, {0: (*ablation_changes(experiment, heads, kind, position), *cuts)})
    inputs: dict[str, Any] = dict(encoded.inputs)
    recording = record(
        experiment.model,
        text=accepted.text,
        tokens=encoded.tokens,
        name=experiment.name,
        revision=experiment.loaded.row.revision,
        origin=experiment.loaded.row.origin,
        keep=keep,
        intervention=changes,
        **inputs,
    )
    return dataclasses.replace(recording, notes=accepted.notes + encoded.notes)


def _predicting_text(experiment: Subject, text: str) -> tuple[Encoded, int]:
    """Return a text as the model reads it, with its mask if it is a masked model, and the position that predicts."""
    loaded = experiment.loaded
    if loaded.model.get_output_embeddings() is None:
        raise AttentionUnavailable(f"{loaded.row.short} predicts no words, so no position predicts: choose 'all'.")
    if writes(loaded):
        encoded = experiment.encoded(text)
        return encoded, len(without_end(encoded).tokens) - 1
    encoded, masks = masked(loaded.tokenizer, text, loaded.max_tokens)
    if len(masks) != 1:
        raise InputError(f"The text has {len(masks)} masks; type one, at which the heads are ablated.")
    return encoded, masks[0]


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
    reached_states: list[Tensor] = []

    def join_rows(block: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Let the rows join whose first changed layer is in this block; end the pass where it stops."""
        layer = call.n_layers_run.get(experiment.stack, 0)
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
            hooks.callback(block.register_forward_pre_hook(in_this_thread(join_rows), with_kwargs=True).remove)
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
        try:
            return through(experiment, single_pass, [first_layer(variant) for variant in variants], changes)
        except RuntimeError:  # a block needs more of a row than its input, as in NeoMME: all rows run from the start
            inputs = {
                name: value.expand(1 + len(variants), *value.shape[1:]) if isinstance(value, Tensor) else value
                for name, value in single_pass.inputs.items()
            }
            return through(experiment, dataclasses.replace(single_pass, inputs=inputs), (), changes)


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
