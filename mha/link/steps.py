"""The words of Step by step."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from mha.link.kinds import Choice, Number, Shape, Switch
from mha.link.view import MAX_POSITION
from mha.link.word import Query, Words, word

TOY, MODEL = "toy", "model"
STEPS = (
    "1 Words",
    "2 Numbers",
    "3 Q, K, V",
    "4 Scores",
    "5 Scale",
    "6 Mask",
    "7 Weights",
    "8 Values",
    "9 Side by side",
    "10 Mix with W_O",
)
LAYERS = {  # what the link and the picker say: the preset
    "Money Bank, full": "money_bank",
    "Money Bank, slices": "slices",
    "Money Bank, overlap": "overlap",
    "All is well, one head": "one_head",
    "All is well, two heads": "two_heads",
    "original paper, 8 heads": "original",
}
ITS_OWN, MINE = WORDS = ("its own words", "my sentence")
MASKS = ("none", "causal")
MOST_SEED = 99_999
WIDEST = 512

CHOSEN = "picked for you"
OWN = f"one {CHOSEN}"
PLACE = Number(0, MAX_POSITION)
STEP = Choice(STEPS, "pills", also={step.partition(" ")[2]: step for step in STEPS})


@dataclass(frozen=True)
class StepsWords(Words):
    """What the link says about the walk; None is automatic. ``text`` is the frame's sentence."""

    PREFIX: ClassVar[str] = "steps_"
    # fmt: off
    step: str = word(STEP, STEPS[0], "Step", values="the ten steps, `4 Scores` or only `Scores`")
    numbers: str = word(Choice((TOY, MODEL), "segments", names={TOY: "toy example", MODEL: "real model"}), TOY,
                         "Numbers")
    layer: str = word(Choice(tuple(LAYERS)), next(iter(LAYERS)), "Layer")
    words: str = word(Choice(WORDS, "segments", names={ITS_OWN: "example"}), WORDS[0], "Words")
    text: str = ""
    positions: bool = word(Switch(), False, "Positions")
    scale: bool = word(Switch(), True, "Scale: ÷ √d_head")
    mask: str = word(Choice(MASKS, "segments"), MASKS[0], "Mask")
    temperature: float = word(Number(0.1, 5.0, 0.1, "slider"), 1.0, "Temperature")
    seed: int | None = word(Number(0, MOST_SEED), None, "Seed", instead="the layer’s own",
                            placeholder="the layer’s own")
    in_layer: int | None = word(PLACE, None, "Layer (model)", "the model's layer with the followed cell",
                                instead=OWN, placeholder=CHOSEN)
    head: int | None = word(PLACE, None, "Head", "the followed cell's head", instead=OWN, placeholder=CHOSEN)
    query: int | None = word(PLACE, None, "From", "the word that looks", instead=OWN, placeholder=CHOSEN)
    key: int | None = word(PLACE, None, "To", "the word that is looked at", instead=OWN, placeholder=CHOSEN)
    width: int = word(Number(1, WIDEST, drawn="slider"), 64, "d_head, the width of a head")
    said: bool = field(default=False, compare=False)
    # fmt: on

    @classmethod
    def read(cls, query: Query, shape: Shape) -> tuple[Self, tuple[str, ...]]:
        """Return what a link says, as `Words.read` does; ``said`` is no word: it says whose words to walk.

        A link that the app has written does, the toy's own by saying nothing; so does one that cannot be read whole.
        """
        found, notes = super().read(query, shape)
        return replace(found, said="v" in query or bool(notes)), notes

    @property
    def number(self) -> int:
        """The step's number, from 1."""
        return STEPS.index(self.step) + 1
