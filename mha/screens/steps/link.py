"""What a link may say on Step by step, and a sentence for what it got wrong. Pure.

Streamlit drops a value that a widget cannot take without a word; the reader should hear of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from mha.link.view import MAX_POSITION
from mha.screens.steps.lesson import LAYERS, MASKS, MODEL, STEPS, TOY, WORDS

MOST_SEED = 99_999
WIDEST = 512
MOST_HEADS = 8

SWITCH = ("true", "false")
CHOICES: dict[str, tuple[str, ...]] = {
    "steps_step": STEPS,
    "steps_numbers": (TOY, MODEL),
    "steps_layer": tuple(LAYERS),
    "steps_words": WORDS,
    "steps_mask": MASKS,
    "steps_positions": SWITCH,
    "steps_scale": SWITCH,
    "steps_editing": SWITCH,
}
RANGES: dict[str, tuple[float, float]] = {
    "steps_temperature": (0.1, 5.0),
    "steps_seed": (0, MOST_SEED),
    "steps_width": (1, WIDEST),
    "steps_heads": (1, MOST_HEADS),
    "steps_in_layer": (0, MAX_POSITION),
    "steps_head": (0, MAX_POSITION),
    "steps_query": (0, MAX_POSITION),
    "steps_key": (0, MAX_POSITION),
}


def link_notes(params: Mapping[str, str]) -> tuple[str, ...]:
    """Return one sentence for each parameter of this page that has a value it cannot take.

    >>> link_notes({"steps_mask": "some"})
    ('In this link, steps_mask is one of none, causal, not “some”. The default is shown instead.',)
    """
    notes = []
    for name, value in params.items():
        if name in CHOICES and value.casefold() not in [option.casefold() for option in CHOICES[name]]:
            said = f"is one of {', '.join(CHOICES[name])}"
        elif name in RANGES and not _within(value, *RANGES[name]):
            low, high = RANGES[name]
            said = f"is a number from {low:g} to {high:,g}"
        else:
            continue
        notes.append(f"In this link, {name} {said}, not “{value[:40]}”. The default is shown instead.")
    return tuple(notes)


def _within(value: str, low: float, high: float) -> bool:
    try:
        return value == "" or low <= float(value) <= high
    except ValueError:
        return False
