"""The words of Change a word: what stands on the second side, and what the change is held against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mha.link.heads import ATTENTION, SHARE_NAMES, WEIGHED
from mha.link.kinds import Choice, Number, Shape, Text
from mha.link.view import DEFAULT_MODEL, MODELS
from mha.link.word import Words, word
from mha.words import MAX_CHARACTERS

SENTENCES, TWIN, MODEL = "two sentences", "the scrambled twin", "another model"
AGAINST = (SENTENCES, TWIN, MODEL)
HEAD = Choice(Shape.heads)
MOST_SEED = 99
MOST_LIST = 120  # characters of the swaps
MOST_VARIANTS = 600


@dataclass(frozen=True)
class CompareWords(Words):
    """What the page of changes shows; empty means that the app chooses, or nothing."""

    # fmt: off
    PREFIX: ClassVar[str] = "compare_"
    against: str = word(Choice(AGAINST, "pills", names={TWIN: "a scrambled copy"}), SENTENCES, "Compare",
                         "what the second side is")
    second: str = word(Text(MAX_CHARACTERS), "", "Second sentence", "the second sentence",
                       instead="the first, or what its example has")
    other: str = word(Choice(lambda shape: shape.models), DEFAULT_MODEL, "Second model", "the second model",
                      values=MODELS)
    seed: int = word(Number(1, MOST_SEED), 1, "Seed of the scrambled copy",
                         "in which order the copy's numbers are scrambled")
    paired: str = word(Text(MOST_LIST), "", "Word pairs", "words paired by hand, `6-5` for the seventh word "
                      "of the first and the sixth of the second, with spaces between pairs", instead="none")
    swaps: str = word(Text(MOST_LIST), "", "Control words", "three to eight words that should make little "
                      "difference here",
                      instead="picked for this place")
    variants: str = word(Text(MOST_VARIANTS, "area"), "", "Words to try", "up to 12 words for the changed place with "
                         "commas, or whole sentences, one a line", instead="both words and three control words")
    head: str | None = word(HEAD, None, "Head to show", "which head is drawn over the words to try",
                            values="`L5H3`", instead="the first pinned head")
    weights: str = word(Choice(WEIGHED, "segments", names=SHARE_NAMES), ATTENTION, "Show in maps",
                         "of what the shares in "
                        "maps of heads are: of attention, or of all that a word receives")
    # fmt: on
