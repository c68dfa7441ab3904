"""What every tab draws from, the heads in it, and what stands at the foot of the page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mha.analysis.shuffles import MANY, SEED
from mha.errors import InputError
from mha.export.provenance import MapsSource
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import ModelRow
from mha.screens.blocks import Span, say
from mha.screens.readings.ambiguity import Ambiguity
from mha.words import segmentation, words


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
                    f"The word “{found.words[number]}” (number {number}) was cut away: this model reads only the first "
                    f"{len(self.maps.tokens)} tokens of this text. Choose a word before it, or shorten the text."
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
    """Return where the numbers come from and how they were treated."""
    row = case.row
    cuts = segmentation(" ".join(case.versions))
    return say(
        "{model} ({source}), {origin}, {size}. [[Lean|lean]]: attention exchanged by [[pivot]] and [[partner]], both "
        "directions, words, special tokens and final punctuation [[set aside]]; A minus B. A head looks along "
        "[[neither link|no opinion]] when both together get less than an even spread would give ({even} %). "
        f"{MANY} [[orders|shuffled]] of the same words, seed {SEED}.{{cuts}}",
        cuts=f" {cuts}" if cuts else "",
        model=row.short,
        source=row.source,
        origin=f"{row.origin}, then tuned for sentence embeddings" if case.tuned else row.origin,
        size=say(
            "{layers} {word} × {heads} [[heads|head]]",
            layers=str(row.n_layers),
            word="layer" if row.n_layers == 1 else "layers",
            heads=str(row.n_heads),
        ),
        even=str(round(100 / len(words(case.ambiguity.text)))),
    )
