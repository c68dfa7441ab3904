"""Interventions on a head: ablate it, scale or replace its output, cut its links.

All of it happens inside the recording attention function, for each row of a batch by itself. A head is ablated by zero
(its output before W_O times 0) or by its mean (its output is replaced by its mean over the bundled corpus and
positions; Michel et al. 2019 use zero, the mean is the default here). The kinds disagree, so every number names its
kind.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from mha.cuts import Cut, Cuts, cut_refusal
from mha.errors import AttentionUnavailable, InputError
from mha.intervention.bank import head_means
from mha.intervention.subject import Subject, subject
from mha.maps import HeadId, Recording
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.attention import Site
from mha.models.watch.generating import writes
from mha.models.watch.inputs import masked, without_end
from mha.models.watch.recording import record
from mha.models.watch.tokens import Encoded
from mha.words import accept

POSITIONS = ("all", "predicting")
Heads = Sequence[HeadId | tuple[int, int] | str]


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
    cuts = tuple(dict.fromkeys(map(Cut.of, cut)))
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
