"""What every tab draws from, the heads in it, and what stands at the foot of the page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mha.errors import InputError
from mha.export.provenance import MapsSource
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import ModelRow
from mha.screens.blocks import Span, say
from mha.screens.readings.ambiguity import Ambiguity
from mha.words import segmentation

HOW = "How is this measured?"
PAIRS_SAID = "Test pairs and control swaps were written for this app and not checked with readers."


@dataclass(frozen=True, eq=False)
class RecordedReadings:
    """The view, the ambiguity, the maps of its sentence as recorded, and the model's row of the catalog.

    Raises:
        InputError: a word of the readings was cut away by the model's length limit.
    """

    view: View
    ambiguity: Ambiguity
    maps: AttentionMaps
    row: ModelRow

    def __post_init__(self) -> None:
        found, seen = self.ambiguity, {token.word for token in self.maps.tokens}
        for number in (found.pivot, *found.a, *found.b, found.cue):
            if number is not None and number not in seen:
                raise InputError(
                    f"“{found.words[number]}” is beyond the first {len(self.maps.tokens)} tokens, the limit of this "
                    "model. Choose an earlier word or shorten the text."
                )

    @property
    def versions(self) -> tuple[str, ...]:
        """The text, and its contrast if there is one."""
        contrast = self.ambiguity.contrast
        return (self.ambiguity.text,) if contrast is None else (self.ambiguity.text, contrast.text)

    @property
    def tuned(self) -> bool:
        """Whether the model was tuned for vectors of whole sentences, as those of sentence-transformers are."""
        return "sentence-transformers" in f"{self.row.name} {self.row.source}"

    def heads(self, n_layers: int | None = None) -> list[HeadId]:
        """Return the heads of the first layers, of all if not said."""
        layers = range(self.row.n_layers if n_layers is None else n_layers)
        return [HeadId(layer, head) for layer in layers for head in range(self.row.n_heads)]


def provenance(case: RecordedReadings, controls: str, link: str) -> MapsSource:
    """Return where the numbers of a case come from, its contrast among the texts."""
    return MapsSource(case.maps, case.row.sha256, controls, link, case.versions)


def ranked(values: np.ndarray, count: int | None = None) -> tuple[HeadId, ...]:
    """Return the heads with the largest of some values [layer, head], the largest first, those without one last."""
    order = np.argsort(-np.nan_to_num(values, nan=-np.inf), axis=None, kind="stable")[:count]
    return tuple(HeadId(*divmod(int(index), values.shape[1])) for index in order)


def foot_said(case: RecordedReadings) -> tuple[Span, ...]:
    """Return which model it is, and how a text without spaces was cut."""
    row = case.row
    cuts = segmentation(" ".join(case.versions))
    return say(
        "{model}, {origin}, {size}.{cuts}",
        cuts=f" {cuts}" if cuts else "",
        model=row.short,
        origin=row.origin,
        size=say(
            "{layers} {word} × {heads} [[heads|head]]",
            layers=str(row.n_layers),
            word="layer" if row.n_layers == 1 else "layers",
            heads=str(row.n_heads),
        ),
    )
