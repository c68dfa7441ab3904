"""The words of Heads for what the pinned maps show: what is weighed, and of two texts which looks at which."""

from __future__ import annotations

from dataclasses import dataclass

from mha.link.cell import CellWords
from mha.link.kinds import Choice, Text
from mha.link.word import word
from mha.words import MAX_CHARACTERS

ATTENTION, BROUGHT = WEIGHED = ("Attention", "What it brings")
ALL = "All"
BETWEEN = {  # of two texts read together: the segment that looks, and the one that is looked at
    ALL: None,
    "First at first": (0, 0),
    "First at second": (0, 1),
    "Second at first": (1, 0),
    "Second at second": (1, 1),
}


@dataclass(frozen=True)
class PinnedWords(CellWords):
    """What the pinned heads are drawn of."""

    # fmt: off
    weighed: str = word(Choice(WEIGHED, "segments"), ATTENTION, "Weighed", "whether a pinned cell is a share of "
                        "attention, or of what the head brings")
    weights: str = word(Choice(WEIGHED, "segments"), ATTENTION, "Shares on this page", "of what the shares on all of "
                        "Heads are: of attention, or of what the head brings")
    pair: str = word(Text(MAX_CHARACTERS), "", "Second text", "a second text, which the model reads together with the "
                     "sentence", instead="none")
    between: str = word(Choice(tuple(BETWEEN), "segments"), ALL, "Which text looks at which", "of two texts, which one "
                        "looks at which in the pinned maps")
    # fmt: on
