"""What can be done to a head: silence it, scale it, replace its output.

All of it happens inside the recording attention function, for each row of a batch by itself. A head is silenced by
zero (its output before W_O times 0), by its mean (output replaced by its mean over the bundled corpus and positions;
Michel et al. 2019 use zero, the mean is the default here) or by even weights over the keys it may see. The kinds
disagree, so that every number names its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from mha.errors import InputError
from mha.intervention.bank import DONORS, donors, head_means, outputs_of
from mha.intervention.subject import Subject, subject
from mha.maps import HeadId, Recording
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.attention import Site
from mha.models.watch.recording import record
from mha.pairs import OTHER
from mha.words import accept

MOST_STRENGTH = 3.0
Heads = Sequence[HeadId | tuple[int, int] | str]


@dataclass(frozen=True, eq=False)
class Change:
    """What happens to one head: its weights made even, then output · ``scale`` + ``add`` [query or 1, d_head]."""

    head: HeadId
    scale: float = 1.0
    add: Tensor | None = None
    even: bool = False


KINDS = {  # how a head is silenced: what is put in the place of its output, and what is asked so
    "mean": "means",  # of the bank, [layer, head, 1, d_head]: does it matter what it says here?
    "zero": "",  # nothing: does it matter that it says anything?
    "uniform": "",  # what even weights give: does it matter where it looks?
    "resample": "donor",  # another sentence's, [layer, head, token, d_head]: is it about this one?
}


def needs(kind: str) -> str:
    """Return what a kind of silencing is given: "means", "donor" or nothing; raise InputError for no such kind."""
    if kind not in KINDS:
        raise InputError(f"A head is silenced by {', '.join(KINDS)}; this is {kind!r}.")
    return KINDS[kind]


def scaled(head: HeadId, strength: float) -> Change:
    """Return the change that multiplies a head's output; raise InputError beyond 0 to 3."""
    if not 0 <= strength <= MOST_STRENGTH:
        raise InputError(f"A head's strength lies between 0 and {MOST_STRENGTH:g}; you asked for {strength:g}.")
    return Change(head, scale=float(strength))


class HeadChanges:
    """The intervention that makes changes, by row of the batch; rows that are not named stay as they are."""

    def __init__(self, stack: str, rows: Mapping[int, Sequence[Change]]) -> None:
        self.stack = stack
        self.at: dict[int, list[tuple[int, Change]]] = {}  # by layer: (row, change)
        for row, changes in rows.items():
            for change in changes:
                self.at.setdefault(change.head.layer, []).append((row, change))

    def weights(self, site: Site, weights: Tensor) -> Tensor | None:
        """Return the weights [row, head, query, key] with heads evened out."""
        here = [(row, change.head.head) for row, change in self._here(site) if change.even]
        if not here:
            return None
        visible = site.visible(weights)  # [row, head, query, key]
        changed = weights.clone()
        for row, head in here:
            seen = visible[row, head].to(weights.dtype)
            changed[row, head] = seen / seen.sum(dim=-1, keepdim=True).clamp(min=1)
        return changed

    def output(self, site: Site, output: Tensor) -> Tensor | None:
        """Return the head outputs [row, query, head, d_head] scaled and replaced."""
        here = [(row, change) for row, change in self._here(site) if change.scale != 1 or change.add is not None]
        if not here:
            return None
        changed = output.clone()
        for row, change in here:
            if change.scale != 1:
                changed[row, :, change.head.head] *= change.scale
            if change.add is not None:
                changed[row, :, change.head.head] += change.add
        return changed

    def _here(self, site: Site) -> list[tuple[int, Change]]:
        return self.at.get(site.layer, []) if site.stack == self.stack else []


def silencing(experiment: Subject, heads: Heads, kind: str, donor: Tensor | None = None) -> tuple[Change, ...]:
    """Return the changes that silence these heads of a model; a ``donor`` for the kind that needs one.

    Raises:
        InputError: no such head, no such kind of silencing, or no donor.
    """
    instead = donor
    if needs(kind) == "means":
        instead = torch.as_tensor(head_means(experiment)).to(experiment.model.device, experiment.model.dtype)[
            :, :, None
        ]
    elif needs(kind) == "donor" and donor is None:
        raise InputError("Ablation by another sentence needs that sentence's outputs; none were given.")
    chosen = experiment.chosen(heads)
    if kind == "uniform":
        return tuple(Change(head, even=True) for head in chosen)
    return tuple(Change(head, 0.0, None if instead is None else instead[head.layer, head.head]) for head in chosen)


def given(experiment: Subject, text: str, kind: str, like: str = OTHER, count: int = DONORS) -> list[Tensor | None]:
    """Return what a kind of silencing puts in place, once for each donor: (None,) where it needs none.

    Raises:
        InputError: no such kind, or no bundled sentence has the length of the text.
    """
    if needs(kind) != "donor":
        return [None]
    return [outputs_of(experiment, experiment.encoded(one)) for one in donors(experiment, text, like, count)]


def ablate(
    text: str,
    heads: Heads,
    kind: str = "mean",
    model: str | LoadedModel = DEFAULT,
    keep: Sequence[str] = (),
) -> Recording:
    """Return the recording of a text with some heads silenced; ``keep`` as `mha.models.watch.recording.record`.

    Weights of later layers show what follows; a silenced head's own weights stay as they are, except under "uniform".
    Under "resample" one other sentence gives its outputs, the first of `mha.intervention.bank`.

    Raises:
        InputError: no such head or kind, there is no word in the text, or no other sentence of its length.
        AttentionUnavailable: the model's heads cannot be reached.
    """
    experiment = subject(model)
    accepted = accept(text)
    encoded = experiment.encoded(accepted.text)
    (donor,) = given(experiment, accepted.text, kind, count=1)
    changes = HeadChanges(experiment.stack, {0: silencing(experiment, heads, kind, donor)})
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
