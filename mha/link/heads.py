"""The words of Heads for models that write: whether they do, on what, and which of their attentions is shown.

``heads_pinned`` and ``heads_table`` are words of the frame (`mha.link.view`), as they always were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mha.link.kinds import Choice, Heads, Number, Text
from mha.link.pinned import PinnedWords
from mha.link.word import word
from mha.maps import HeadId
from mha.words import MAX_CHARACTERS

READ, WRITE = PROMPTS = ("Read the prompt", "Write on")
LIKELY, CHANCE = HOW = ("Most likely", "By chance")
ENCODER, DECODER, CROSS = STACKS = ("Encoder", "Decoder", "Cross")
GENERATED, TYPED = TARGETS = ("Generated", "Typed")
MOST_WRITTEN = 64  # tokens, as `mha.generate` writes at most
MOST_SEED = 9999


@dataclass(frozen=True)
class HeadsWords(PinnedWords):
    """What Heads shows of a model that writes; other models leave these words alone."""

    # fmt: off
    PREFIX: ClassVar[str] = "heads_"
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
