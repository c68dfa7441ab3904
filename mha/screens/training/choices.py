"""What the reader chose on Watch heads learn: two settings side by side, from the words of the link. Pure.

Every word has the page's prefix; words that differ between the sides end in ``_left`` or ``_right``. Options are their
own labels, for a bound widget writes its label into the link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mha.training.settings import PRESSURES, READS, STARTS, Settings

PREFIX = "training_"
SIDES = ("left", "right")

# label → heads, and how wide each is (None: an even share of the embedding)
HEADS: dict[str, tuple[int, int | None]] = {"1": (1, None), "2": (2, None), "3 of 11": (3, 11), "4": (4, None)}
HALVES = "random halves"
READ: dict[str, tuple[str, int | None]] = {**{name: (name, None) for name in READS}, HALVES: ("random", 16)}
READ_WORDS = {**READS, HALVES: "each head reads a random half of the embedding; halves may overlap"}
LAYERS = ("1", "2")
READINGS = ("2", "3")
STEPS = ("300", "1200", "3600")
SEEDS = (0, 9999)
STRENGTHS = (0.0, 3.0)
WHOLE = 100  # per cent of the training: where the slider stands when nobody looked back


@dataclass(frozen=True)
class Word:
    """One word of the link: its default, and either its ``options`` or the ``span`` of its numbers."""

    name: str
    default: Any
    options: tuple[str, ...] = ()
    span: tuple[float, float] = (0, 0)

    def fits(self, value: str) -> bool:
        """Return whether a link may say this."""
        if self.options:
            return value in self.options
        try:
            return self.span[0] <= float(value) <= self.span[1]
        except ValueError:
            return False


WORDS: tuple[Word, ...] = (
    *(
        word
        for side, heads in zip(SIDES, ("1", "2"), strict=True)
        for word in (
            Word(f"heads_{side}", heads, tuple(HEADS)),
            Word(f"start_{side}", "usual", tuple(STARTS)),
            Word(f"reads_{side}", "everything", tuple(READ)),
            Word(f"pressure_{side}", "none", tuple(PRESSURES)),
            Word(f"layers_{side}", "1", LAYERS),
        )
    ),
    Word("readings", "2", READINGS),
    Word("strength", 1.0, span=STRENGTHS),
    Word("seed", 0, span=SEEDS),
    Word("steps", "1200", STEPS),
    Word("at", WHOLE, span=(0, WHOLE)),
)
DEFAULTS: dict[str, Any] = {word.name: word.default for word in WORDS}

# pill → what differs from the defaults
EXPERIMENTS: dict[str, dict[str, Any]] = {
    "one or two heads": {},
    "identical start": {
        "heads_left": "4",
        "start_left": "identical",
        "heads_right": "4",
        "start_right": "identical+noise",
    },
    "kept apart": {"heads_left": "4", "heads_right": "4", "pressure_right": "positions"},
    "other pressures": {
        "heads_left": "4",
        "pressure_left": "outputs",
        "heads_right": "4",
        "pressure_right": "subspaces",
    },
    "two layers": {"heads_right": "1", "layers_right": "2"},
    "three readings": {"heads_right": "3 of 11", "readings": "3"},
    "overlapping parts": {"heads_left": "4", "heads_right": "3 of 11", "reads_right": HALVES},
}


def settings_of(chosen: Mapping[str, Any], side: str) -> Settings:
    """Return the settings of one side, from words without prefix.

    Raises:
        InputError: the choices do not fit each other; the message says which.
    """
    n_heads, d_head = HEADS[chosen[f"heads_{side}"]]
    reads, n_reads = READ[chosen[f"reads_{side}"]]
    pressure = chosen[f"pressure_{side}"]
    return Settings(
        n_heads=n_heads,
        d_head=d_head,
        n_layers=int(chosen[f"layers_{side}"]),
        n_readings=int(chosen["readings"]),
        start=chosen[f"start_{side}"],
        reads=reads,
        n_reads=n_reads,
        pressure=pressure,
        strength=round(float(chosen["strength"]), 2) if pressure != "none" else Settings.strength,
        seed=int(chosen["seed"]),
        n_steps=int(chosen["steps"]),
    )


def experiment_of(chosen: Mapping[str, Any]) -> str | None:
    """Return the experiment that these choices are, whatever the seed and the moment, or None."""
    for name, changed in EXPERIMENTS.items():
        wanted = {**DEFAULTS, **changed, "seed": chosen["seed"], "at": chosen["at"]}
        if all(chosen[word] == value for word, value in wanted.items()):
            return name
    return None


def complaints(query: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return one sentence for each word of a link that cannot be, with what is shown instead."""
    found = []
    for word in WORDS:
        value = query.get(PREFIX + word.name, ("",))[-1]
        if value and not word.fits(value):
            offer = ", ".join(word.options) if word.options else f"numbers from {word.span[0]:g} to {word.span[1]:g}"
            said = "".join(letter if letter.isprintable() else "�" for letter in value[:40])
            found.append(f"In this link, {PREFIX}{word.name} is “{said}”; it takes {offer}. Shown: {word.default}.")
    return tuple(found)
