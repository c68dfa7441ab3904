"""Where every head leans between two readings, and how often the rule for one sentence calls its furthest lean unusual.

The rule was tried on sentences whose words force a reading (`python -m studies.unusual_rate`); the result is bundled
for MiniLM. Reading it needs no torch.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mha import assets
from mha.analysis import readings as of_maps
from mha.analysis.readings import Readings
from mha.assets import ASSETS
from mha.intervention.calibrated import restored
from mha.maps import AttentionMaps
from mha.models.files.catalog import DEFAULT, model_row

if TYPE_CHECKING:
    from mha.models.files.loading import LoadedModel

MEASURE = "default"  # what leans are measured on, a name of `mha.analysis.readings.lean`


@dataclass(frozen=True)
class Found:
    """A sentence with an unusual furthest lean: its head, the reading it leans to, and the forced reading."""

    kind: str
    text: str
    head: str
    leans: str
    forces: str


@dataclass(frozen=True)
class Tried:
    """In how many sentences the rule was tried, by kind, and where it called a lean unusual."""

    model: str
    revision: str
    sentences: dict[str, int]
    found: tuple[Found, ...]

    @property
    def n(self) -> int:
        """How many sentences there were."""
        return sum(self.sentences.values())

    @property
    def right(self) -> int:
        """In how many of the found sentences the lean goes to the forced reading."""
        return sum(sentence.leans == sentence.forces for sentence in self.found)


def file_of(model: str) -> Path:
    """Return the file with the rule's results for a model, by its name in the catalog."""
    return ASSETS / f"unusual_{model.replace('/', '--')}.json"


def tried(model: str = DEFAULT) -> Tried | None:
    """Return the bundled results for exactly these weights, or None."""
    row = model_row(model)
    stored: Tried | None = assets.optional(file_of(row.name), lambda content: restored(Tried, json.loads(content)))
    return stored if stored is not None and row.revision and stored.revision == row.revision else None


def lean(
    text: str | AttentionMaps,
    readings: Readings | None = None,
    measure: str = "default",
    model: str | Path | LoadedModel = DEFAULT,
) -> np.ndarray:
    """Return each head's lean between two readings, positive towards the first, as float64 [layer, head].

    A text is read by ``model`` as `mha.attend` reads it, by words; maps are taken as they are. Without ``readings``
    they are those of the first of `mha.propose`, whose names say which is which: ``mha.propose(text)[0].readings``.

    Raises:
        InputError: there are not two readings, they are the same, a word is not in the text, nothing is suggested for
            it, or no such measure.
        UnknownModel: no such model is on offer.
        ModelUnavailable: it cannot be loaded here and now.
    """
    if isinstance(text, AttentionMaps):
        return of_maps.lean(text, readings, measure)
    from mha.models.watch.attending import attend  # torch, which maps do not need

    return of_maps.lean(attend(text, model).merged(), readings, measure)
