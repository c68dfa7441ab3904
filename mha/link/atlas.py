"""The words of Whole model: over which texts, coloured by what, which head is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mha.analysis.whole import SHADES
from mha.link.kinds import Choice, LayerNumber, Number
from mha.link.word import Words, word

CORPUS, HERE = OVER = ("bundled sentences", "this sentence")
OVER_NAMES = {CORPUS: "sample sentences"}
BY_NUMBER, BY_VALUE = ORDERS = ("by number", "by value")
TITLES = tuple(row.title for row in SHADES)
SHADE_NAMES = {"Same word": "Itself", "Broad": "Spread out", "Set aside": "To attention sinks"}  # what readers see
MOST = 512.0


@dataclass(frozen=True)
class AtlasWords(Words):
    """What the page of the whole model shows; ``head`` opens the sheet of one head. None where the app chooses."""

    # fmt: off
    PREFIX: ClassVar[str] = "atlas_"
    over: str = word(Choice(OVER, "segments", names=OVER_NAMES), CORPUS, "Based on",
                     "which sentences are measured")
    colour: str | None = word(Choice(TITLES, names=SHADE_NAMES), None, "Colour by", "what the map of heads is coloured "
                              "by", instead="`Next word`, in causal models `Previous word`",
                              placeholder="Next or previous word")
    order: str = word(Choice(ORDERS), BY_NUMBER, "Order of heads", "the order of the heads of a layer")
    least: float = word(Number(0.0, MOST, 0.1), 0.0, "Dim heads below",
                         "heads below this are dimmed, in the map's unit")
    most: float | None = word(Number(0.0, MOST, 0.1), None, "Dim heads above", "heads above this are dimmed",
                              instead="none", placeholder="none")
    layer: int | None = word(LayerNumber(), None, "Layer in detail", "the layer that is drawn with intervals",
                             instead="that of the chosen head", placeholder="that of the chosen head")
    like: str | None = word(Choice(lambda shape: shape.heads()), None, "Compare with",
                         "the head whose most similar heads are shown",
                            instead="the first pinned head, or the one with the highest value",
                            placeholder="picked for you", values="`L5H3`")
    head: str | None = word(Choice(lambda shape: shape.heads()), None, "Head profile", "the head whose profile is "
                            "open", instead="no profile", placeholder="none", values="`L5H3`")
    # fmt: on
