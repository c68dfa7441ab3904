"""The words of Heads: what its pinned maps show, and how a model that writes does so, and which attention is shown.

``heads_pinned`` and ``heads_table`` are words of the frame (`mha.link.view`), as they always were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mha.link.cell import CellWords
from mha.link.kinds import Choice, Heads, Number, Text
from mha.link.word import word
from mha.maps import HeadId
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
READ, WRITE = PROMPTS = ("Read the prompt", "Write on")
LIKELY, CHANCE = HOW = ("Most likely", "By chance")
ENCODER, DECODER, CROSS = STACKS = ("Encoder", "Decoder", "Cross")
GENERATED, TYPED = TARGETS = ("Generated", "Typed")
MOST_WRITTEN = 64  # tokens, as `mha.generate` writes at most
MOST_SEED = 9999


@dataclass(frozen=True)
class HeadsWords(CellWords):
    """What the pinned heads are drawn of, and what is shown of a model that writes; others leave those words alone."""

    # fmt: off
    PREFIX: ClassVar[str] = "heads_"
    weighed: str = word(Choice(WEIGHED, "segments"), ATTENTION, "Weighed", "whether a pinned cell is a share of "
                        "attention, or of what the head brings")
    weights: str = word(Choice(WEIGHED, "segments"), ATTENTION, "Shares on this page", "of what the shares on all of "
                        "Heads are: of attention, or of what the head brings")
    pair: str = word(Text(MAX_CHARACTERS), "", "Second text", "a second text, which the model reads together with the "
                     "sentence", instead="none")
    between: str = word(Choice(tuple(BETWEEN), "segments"), ALL, "Which text looks at which", "of two texts, which one "
                        "looks at which in the pinned maps")
    prompt: str = word(Choice(PROMPTS, "segments"), READ, "Prompt", "whether a decoder only reads the text or writes "
                       "on behind it")
    how: str = word(Choice(HOW, "segments"), LIKELY, "Which word is written", "whether the likeliest token is written "
                    "each time, or one by chance")
    seed: int = word(Number(0, MOST_SEED), 0, "Seed", "which chance, where tokens are written by chance")
    most: int = word(Number(1, MOST_WRITTEN), 8, "Write at most", "how many tokens are written at most")
    step: int | None = word(Number(1, MOST_WRITTEN), None, "Step", "which written token is looked at",
                            instead="a step chosen for this text", placeholder="chosen for this text")
    silenced: tuple[HeadId, ...] = word(Heads(), (), "Silenced heads", "the heads without which the next word is asked "
                                        "for once more", instead="no head", placeholder="none")
    stack: str = word(Choice(STACKS, "segments"), ENCODER, "Attention", "which attention of an encoder–decoder is "
                      "shown")
    aim: str = word(Choice(TARGETS, "segments"), GENERATED, "Target", "whether the target of an encoder–decoder is "
                    "written by it or typed")
    target: str = word(Text(MAX_CHARACTERS), "", "Typed target", "the typed target", instead="none")
    # fmt: on
