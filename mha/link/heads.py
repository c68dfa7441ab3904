"""The words of Heads: what its pinned maps show, which attention of an encoder–decoder is shown.

``heads_table`` is a word of the frame (`mha.link.view`), as it always was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from mha.link.kinds import Choice, Label, Labels, Shape, Text
from mha.link.word import Query, Words, word
from mha.words import MAX_CHARACTERS

ATTENTION, BROUGHT = WEIGHED = ("Attention", "What it brings")
SHARE_NAMES = {BROUGHT: "Contribution"}  # what readers see
ALL = "All"
BETWEEN = {  # of two texts read together: the segment that looks, and the one that is looked at
    ALL: None,
    "First at first": (0, 0),
    "First at second": (0, 1),
    "Second at first": (1, 0),
    "Second at second": (1, 1),
}
ENCODER, DECODER, CROSS = STACKS = ("Encoder", "Decoder", "Cross")
BETWEEN_NAMES = {name: name.replace(" at ", " to ").capitalize() for name in BETWEEN}
STACK_NAMES = {ENCODER: "input → input", DECODER: "output → output", CROSS: "output → input"}
MOVED_TO_NEXT_WORD = tuple(  # parameters of 0.2
    f"heads_{field}" for field in ("prompt", "how", "seed", "most", "step", "silenced", "aim", "target")
)
SUGGESTED, DISMISSED, OPEN = "suggested", "not ambiguous", "to choose"  # where the words of two readings come from


def marking(field: str) -> Any:
    """Return a word that says which readings of the text are drawn; Two readings has the same ones."""
    name = f"readings_{field}"
    if field == "pivot":
        return word(Label(), None, "Ambiguous word", "the word of the text that may be ambiguous", name, instead=OWN)
    if field == "by":
        about = "whether the words of the readings were suggested, nothing is ambiguous, or they are to be chosen"
        kind = Choice((SUGGESTED, DISMISSED, OPEN))
        return word(
            kind, None, "Where these words come from", about, name, instead="those of the reader or of the example"
        )
    letter = field.upper()
    return word(Labels(), (), f"Candidate {letter}", f"what it goes with in reading {letter}", name, instead=OWN)


OWN = "the example's, or those that are suggested"


@dataclass(frozen=True)
class HeadsWords(Words):
    """What the pinned heads are drawn of, and which attention of an encoder–decoder is shown."""

    # fmt: off
    PREFIX: ClassVar[str] = "heads_"
    weighed: str = word(Choice(WEIGHED, "segments", names=SHARE_NAMES), ATTENTION, "Show",
                         "whether a pinned cell is a share "
                        "of attention, or of all that a word receives")
    pair: str = word(Text(MAX_CHARACTERS), "", "Second text", "a second text, which the model reads together with the "
                     "sentence", instead="none")
    between: str = word(Choice(tuple(BETWEEN), "segments", names=BETWEEN_NAMES), ALL, "Direction",
                         "of two texts, which one "
                        "looks at which in the pinned maps")
    stack: str = word(Choice(STACKS, "segments", names=STACK_NAMES), ENCODER, "Attention",
                         "which attention of an encoder–decoder is "
                      "shown")
    pivot: str | None = marking("pivot")
    a: tuple[str, ...] = marking("a")
    b: tuple[str, ...] = marking("b")
    by: str | None = marking("by")
    from_before: bool = False
    # fmt: on

    @classmethod
    def read(cls, query: Query, shape: Shape) -> tuple[Self, tuple[str, ...]]:
        """Return what a link says, as `Words.read` does; ``from_before`` is no word of it.

        A link that the app has written for a text always says which readings were drawn, if any: without them it is
        from before they were suggested, and opens as it did.
        """
        found, notes = super().read(query, shape)
        silent = not any(name.startswith("readings_") for name in query)
        return replace(found, from_before="v" in query and "text" in query and silent), notes
