"""Two versions of a sentence beside each other: leans, looks, and what is carried from one to the other.

`measured` asks the engine; everything that is said of the answer is computed from it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mha import engine
from mha.analysis.places import word_position
from mha.analysis.readings import Leans, leans
from mha.engine import experiments
from mha.errors import AttentionUnavailable, InputError
from mha.intervention.story import Story, story
from mha.maps import AttentionMaps, HeadId
from mha.screens.blocks import Span, word
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.case import Case
from mha.words import words

if TYPE_CHECKING:  # the module brings torch
    from mha.intervention.patching import Patch

NAMED_FROM = 0.10  # the part of the difference from which a head is named; as in `mha.intervention.patching`


@dataclass(frozen=True, eq=False)
class Carry:
    """What is known of two versions; every pair is (as typed, with the other word).

    ``patch`` is None where patching is not possible (``why_not`` says why), ``story`` None where none is told,
    ``together`` what the heads of its first step carry together.
    """

    ambiguity: Ambiguity
    maps: tuple[AttentionMaps, AttentionMaps]
    leans: tuple[Leans, Leans]
    margins: tuple[float, float]
    patch: Patch | None
    story: Story | None
    together: float = float("nan")
    why_not: str = ""

    @property
    def contrast(self) -> str:
        """The other version."""
        assert self.ambiguity.contrast is not None
        return self.ambiguity.contrast.text

    @property
    def changed(self) -> tuple[int, ...]:
        """The numbers of the words that differ."""
        assert self.ambiguity.contrast is not None
        return self.ambiguity.contrast.changed

    @property
    def cue_words(self) -> tuple[str, str]:
        """The first word that differs, in both versions."""
        return self.ambiguity.words[self.changed[0]], words(self.contrast)[self.changed[0]]

    @property
    def pivot(self) -> Span:
        """The pivot as a span."""
        assert self.ambiguity.pivot is not None
        return word(self.ambiguity.words[self.ambiguity.pivot])

    @property
    def carrying(self) -> tuple[HeadId, ...]:
        """The heads that carry the difference: those of the story's first step, else all that are named."""
        if self.patch is None:
            return ()
        return self.story.first if self.story else self.patch.named


def measured(case: Case) -> Carry:
    """Return both versions of a sentence with a contrast: recorded, and patched where that is possible.

    Raises:
        AttentionUnavailable: the model's heads cannot be taken from another version.
        MHAError: what the engine raises.
    """
    found, model = case.ambiguity, case.row.name
    if not experiments.has_twin(model):
        raise AttentionUnavailable(
            f"The heads of {case.row.title} cannot be taken from another version. Choose MiniLM to see what carries "
            "the difference."
        )
    text, contrast = case.versions
    other, pair = engine.record(engine.Request(contrast, model)).maps, found.readings
    maps, both = (case.maps, other), (leans(case.maps, pair), leans(other, pair))
    try:
        patch = experiments.patched(text, contrast, pair, model)
    except InputError as error:
        before, after = (experiments.scores(one, pair, model=model)[0] for one in (text, contrast))
        return Carry(found, maps, both, (before, after), None, None, why_not=str(error))
    this = Carry(found, maps, both, patch.margins, patch, None)
    if len(this.changed) == 1:
        told = story(*maps, (replace(pair[0], cue=this.changed[0]), replace(pair[1], cue=this.changed[0])), patch.named)
        this = replace(this, story=told)
    if this.story is None or len(this.story.first) == 1:
        return this
    return replace(this, together=experiments.carried_together(text, contrast, pair, this.story.first, model))


def looks_from_pivot(maps: AttentionMaps, found: Ambiguity, number: int) -> np.ndarray:
    """Return where heads look from the pivot, float64 [3, layer, head]: to a word (NaN if its own), to A, to B.

    Shares of all attention; of several partners the mean.
    """
    merged = maps.merged()
    assert found.pivot is not None
    row = merged.weights[:, :, word_position(merged, found.pivot)].astype(np.float64)  # [layer, head, key]

    def looks(numbers: tuple[int, ...]) -> np.ndarray:
        return np.mean([row[..., word_position(merged, one)] for one in numbers], axis=0)

    first = np.full(row.shape[:2], np.nan) if number == found.pivot else looks((number,))
    return np.stack([first, looks(found.a), looks(found.b)])
