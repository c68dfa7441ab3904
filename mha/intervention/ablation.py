"""What can be done to a head: silence it, scale it, replace its output.

All of it happens inside the recording attention function, for each row of a batch by itself. A head is silenced by
zero (its output before W_O times 0) or by its mean (output replaced by its mean over the bundled corpus and positions;
Michel et al. 2019 use zero, the mean is the default here). The kinds disagree, so that every number names its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from mha.errors import InputError
from mha.intervention.bank import head_means
from mha.intervention.subject import Subject, subject
from mha.maps import HeadId, Recording
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.attention import Site
from mha.models.watch.recording import record
from mha.words import accept

Heads = Sequence[HeadId | tuple[int, int] | str]


@dataclass(frozen=True, eq=False)
class Change:
    """What happens to one head: output · ``scale`` + ``add`` [query or 1, d_head]."""

    head: HeadId
    scale: float = 1.0
    add: Tensor | None = None


KINDS = ("mean", "zero")


def check_kind(kind: str) -> None:
    """Raise InputError unless ``kind`` is a kind of ablation."""
    if kind not in KINDS:
        raise InputError(f"A head is ablated by {' or '.join(KINDS)}; this is {kind!r}.")


class HeadChanges:
    """The intervention that makes changes, by row of the batch; rows that are not named stay as they are."""

    def __init__(self, stack: str, rows: Mapping[int, Sequence[Change]]) -> None:
        self.stack = stack
        self.at: dict[int, list[tuple[int, Change]]] = {}  # by layer: (row, change)
        for row, changes in rows.items():
            for change in changes:
                self.at.setdefault(change.head.layer, []).append((row, change))

    def weights(self, site: Site, weights: Tensor) -> Tensor | None:
        """Change no weights."""
        return None

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


def silencing(experiment: Subject, heads: Heads, kind: str) -> tuple[Change, ...]:
    """Return the changes that silence these heads of a model.

    Raises:
        InputError: no such head, or no such kind of ablation.
    """
    check_kind(kind)
    chosen = experiment.chosen(heads)
    if kind == "zero":
        return tuple(Change(head, 0.0) for head in chosen)
    means = torch.as_tensor(head_means(experiment)).to(experiment.model.device, experiment.model.dtype)
    return tuple(Change(head, 0.0, means[head.layer, head.head][None]) for head in chosen)


def ablate(
    text: str,
    heads: Heads,
    kind: str = "mean",
    model: str | LoadedModel = DEFAULT,
    keep: Sequence[str] = (),
) -> Recording:
    """Return the recording of a text with some heads silenced; ``keep`` as `mha.models.watch.recording.record`.

    Weights of later layers show what follows; a silenced head's own weights stay as they are.

    Raises:
        InputError: no such head or kind, or there is no word in the text.
        AttentionUnavailable: the model's heads cannot be reached.
    """
    experiment = subject(model)
    accepted = accept(text)
    encoded = experiment.encoded(accepted.text)
    changes = HeadChanges(experiment.stack, {0: silencing(experiment, heads, kind)})
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
