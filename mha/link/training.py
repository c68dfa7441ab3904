"""The words of Watch heads learn: two settings side by side; words that differ between the sides end in a side.

Options are their own labels, for a bound widget writes its label into the link.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from mha.errors import InputError
from mha.link.kinds import Choice, Number
from mha.link.word import Words, word
from mha.training.settings import PRESSURES, READS, STARTS, Settings

SIDES = ("left", "right")

# label → heads, and how wide each is (None: an even share of the embedding)
THREE = "3 in a width of 11"
HEADS: dict[str, tuple[int, int | None]] = {"1": (1, None), "2": (2, None), THREE: (3, 11), "4": (4, None)}
HALVES = "random halves"
READ: dict[str, tuple[str, int | None]] = {**{name: (name, None) for name in READS}, HALVES: ("random", 16)}
READ_WORDS = {**READS, HALVES: "each head reads a random half of the numbers; halves can overlap"}
LAYERS = ("1", "2")
WHOLE = 100  # per cent of the training: where the slider stands when nobody looked back


def _explained(table: dict[str, str]) -> str:
    return "\n".join(f"- {option}: {about}" for option, about in table.items())


NUMBER_OF_HEADS = Choice(tuple(HEADS), "segments", also={"3 of 11": THREE})  # as links said it once
STARTING = Choice(tuple(STARTS))
READING = Choice(tuple(READ))
PRESSURE = Choice(tuple(PRESSURES))
START_HELP, READ_HELP, PRESSURE_HELP = map(_explained, (STARTS, READ_WORDS, PRESSURES))
NUMBER_OF_LAYERS = Choice(LAYERS, "segments")


@dataclass(frozen=True)
class TrainingWords(Words):
    """What the link says about both sides, and what they share."""

    PREFIX: ClassVar[str] = "training_"
    # fmt: off
    heads_left: str = word(NUMBER_OF_HEADS, "1", "Heads, left")
    heads_right: str = word(NUMBER_OF_HEADS, "2", "Heads, right")
    start_left: str = word(STARTING, "usual", "Starting numbers", help=START_HELP)
    start_right: str = word(STARTING, "usual", "Starting numbers", help=START_HELP)
    reads_left: str = word(READING, "everything", "Each head reads", help=READ_HELP)
    reads_right: str = word(READING, "everything", "Each head reads", help=READ_HELP)
    pressure_left: str = word(PRESSURE, "none", "Push heads apart", help=PRESSURE_HELP)
    pressure_right: str = word(PRESSURE, "none", "Push heads apart", help=PRESSURE_HELP)
    layers_left: str = word(NUMBER_OF_LAYERS, "1", "Layers")
    layers_right: str = word(NUMBER_OF_LAYERS, "1", "Layers")
    readings: str = word(Choice(("2", "3"), "segments"), "2", "Nouns to name")
    strength: float = word(Number(0.0, 3.0, 0.1), 1.0, "Weight of “kept apart” (λ)",
                           help="How strongly difference between heads is rewarded.")
    seed: int = word(Number(0, 9999), 0, "Seed")
    steps: str = word(Choice(("300", "1200", "3600"), "segments"), "1200", "Training steps")
    at: int = word(Number(0, WHOLE, drawn="slider"), WHOLE, "Training progress",
                   "per cent of the training")
    # fmt: on

    @property
    def experiment(self) -> str | None:
        """The experiment that these choices are, whatever the seed and the moment, or None."""
        here = replace(self, seed=TrainingWords.seed, at=TrainingWords.at)
        return next((name for name, experiment in EXPERIMENTS.items() if experiment == here), None)

    def settings(self, side: str) -> Settings:
        """Return the settings of one side.

        Raises:
            InputError: the choices do not fit each other; the message says which.
        """
        n_heads, d_head = HEADS[getattr(self, f"heads_{side}")]
        reads, n_reads = READ[getattr(self, f"reads_{side}")]
        pressure = getattr(self, f"pressure_{side}")
        return Settings(
            n_heads=n_heads,
            d_head=d_head,
            n_layers=int(getattr(self, f"layers_{side}")),
            n_readings=int(self.readings),
            start=getattr(self, f"start_{side}"),
            reads=reads,
            n_reads=n_reads,
            pressure=pressure,
            strength=round(self.strength, 2) if pressure != "none" else Settings.strength,
            seed=self.seed,
            n_steps=int(self.steps),
        )

    def fitting(self, side: str) -> tuple[Settings, str]:
        """Return the settings of one side, and a sentence where the choices do not fit: its heads read everything."""
        try:
            return self.settings(side), ""
        except InputError as error:
            everything = replace(self, **{f"reads_{side}": "everything"})  # type: ignore[arg-type]
            return everything.settings(side), f"{error} Showing heads that read everything on the {side}."


EXPERIMENTS: dict[str, TrainingWords] = {
    "one or two heads": TrainingWords(),
    "identical start": TrainingWords(
        heads_left="4", start_left="identical", heads_right="4", start_right="identical+noise"
    ),
    "kept apart": TrainingWords(heads_left="4", heads_right="4", pressure_right="positions"),
    "other pressures": TrainingWords(
        heads_left="4", pressure_left="outputs", heads_right="4", pressure_right="subspaces"
    ),
    "two layers": TrainingWords(heads_right="1", layers_right="2"),
    "three readings": TrainingWords(heads_right=THREE, readings="3"),
    "overlapping parts": TrainingWords(heads_left="4", heads_right=THREE, reads_right=HALVES),
}
