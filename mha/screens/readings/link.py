"""What a link says about the page of two readings and cannot be: a sentence for each word of it. Pure.

Streamlit drops such values without a word. The words that name words of the text are checked by
`mha.screens.readings.ambiguity.resolved`, which knows the text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mha.screens.readings.ambiguity import ALL_KINDS, quoted
from mha.screens.readings.options import (
    ALL_OF_LAYER,
    FURTHEST,
    MEASURES,
    MOST_NAME,
    ONLY,
    OPENS_WITH,
    PINNED,
    SILENCED,
    STEERED,
    STRONGEST,
    TABS,
    layer_label,
)
from mha.screens.readings.scores import MOST_TEXT, SCORE_ROWS


@dataclass(frozen=True)
class Shape:
    """What can be named: a model's layers, the heads of each, and the layers that can act on the score."""

    n_layers: int
    n_heads: int
    reach: int

    def heads(self, n_layers: int | None = None) -> list[str]:
        """Return the heads of the first layers by name; of all if not said."""
        layers = range(self.n_layers if n_layers is None else n_layers)
        return [f"L{layer}H{head}" for layer in layers for head in range(self.n_heads)]

    @property
    def layers(self) -> list[str]:
        """The places where a score can be read."""
        return [layer_label(layer) for layer in range(self.n_layers)]

    @property
    def sets(self) -> list[str]:
        """The sets of heads that can be silenced."""
        layers = [ALL_OF_LAYER.format(layer) for layer in range(self.reach)]
        return [FURTHEST, PINNED, *layers, *(ONLY.format(head) for head in self.heads(self.reach))]


@dataclass(frozen=True)
class Rule:
    """One word of the link: whether a value fits, what would, and what is shown instead."""

    fits: Callable[[str, Shape], bool]
    takes: Callable[[Shape], str]
    instead: str


def _one_of(options: Sequence[str], instead: str = "") -> Rule:
    listed = ", ".join(f"“{option}”" for option in options)
    return Rule(lambda value, _: value in options, lambda _: listed, instead or f"“{options[0]}”")


def _head(instead: str) -> Rule:
    return Rule(
        lambda value, shape: value in shape.heads(), lambda shape: f"heads from L0H0 to {shape.heads()[-1]}", instead
    )


def _shorter(most: int) -> Rule:
    return Rule(lambda value, _: len(value) <= most, lambda _: f"up to {most} characters", "nothing of it")


def _strength_fits(value: str, _: Shape) -> bool:
    try:
        return 0 <= float(value) <= STRONGEST
    except ValueError:
        return False


RULES = {
    "tab": _one_of(TABS, f"“{OPENS_WITH}”"),
    "readings_kind": _one_of(ALL_KINDS, "the kind of the example, or “other”"),
    "readings_name_a": _shorter(MOST_NAME),
    "readings_name_b": _shorter(MOST_NAME),
    "readings_left": _head("the head that leans furthest to A"),
    "readings_right": _head("the head that leans furthest to B"),
    "readings_measure": _one_of(list(MEASURES)),
    "readings_score": _one_of(list(SCORE_ROWS)),
    "readings_at": Rule(
        lambda value, shape: value in shape.layers,
        lambda shape: f"“{shape.layers[0]}” to “{shape.layers[-1]}”",
        "the last layer but one",
    ),
    "readings_say_a": _shorter(MOST_TEXT),
    "readings_say_b": _shorter(MOST_TEXT),
    "readings_silenced": _one_of(list(SILENCED)),
    "readings_set": Rule(
        lambda value, shape: value in shape.sets,
        lambda shape: f"“{FURTHEST}”, “{PINNED}”, or what can act on the score, up to “{shape.sets[-1]}”",
        f"“{FURTHEST}”",
    ),
    "readings_steered": Rule(
        lambda value, shape: value in shape.heads(shape.reach),
        lambda shape: f"heads that can act on the score, up to {shape.heads(shape.reach)[-1]}",
        f"{STEERED}, or the first head",
    ),
    "readings_strength": Rule(_strength_fits, lambda _: f"numbers from 0 to {STRONGEST:g}", "2"),
}


def link_notes(query: Mapping[str, Sequence[str]], n_layers: int, n_heads: int) -> tuple[str, ...]:
    """Return one sentence for each value of a link that cannot be, with what is shown instead."""
    shape = Shape(n_layers, n_heads, _reach(query, n_layers))
    notes = []
    for name, rule in RULES.items():
        for value in query.get(name, ()):
            if not rule.fits(value, shape):
                notes.append(
                    f"In this link, {name} is {quoted(value)}; it takes {rule.takes(shape)}. Shown: {rule.instead}."
                )
    return tuple(notes)


def _reach(query: Mapping[str, Sequence[str]], n_layers: int) -> int:
    """Return how many layers can act on the score that a link asks for."""
    (label, link_margin), read = next(iter(SCORE_ROWS.items())), [layer_label(layer) for layer in range(n_layers)]
    asked = query.get("readings_score", (label,))[-1]
    if asked in SCORE_ROWS and SCORE_ROWS[asked] is not link_margin:
        return n_layers
    at = query.get("readings_at", ("",))[-1]
    return read.index(at) + 1 if at in read else max(1, n_layers - 1)
