"""Colours and ramps, read from `assets/tokens.json`, the only home of colours; nothing else reads that file."""

import functools
import json
from typing import Any

from mha import assets
from mha.assets import ASSETS
from mha.errors import InputError

THEMES = ("light", "dark")

SANS = '"Source Sans", "Source Sans Pro", sans-serif'
MONO = '"Source Code Pro", "Source Code", monospace'


@functools.cache
def tokens() -> dict[str, Any]:
    """Return the design tokens: themes, type, spacing, marks; raise AssetError where they cannot be read."""
    content: dict[str, Any] = assets.read(ASSETS / "tokens.json", json.loads)
    return content


def colours(theme: str = "light") -> dict[str, Any]:
    """Return the colours of one theme by name.

    Raises:
        InputError: the theme is unknown.
    """
    if theme not in THEMES:
        raise InputError(f"A theme is one of {', '.join(THEMES)}; this is {theme!r}.")
    return tokens()[theme]


def ramp(theme: str = "light") -> list[list[Any]]:
    """Return the ramp of weights as plotly's colour scale, [[0, first], …, [1, last]], even steps."""
    steps = colours(theme)["sequential"]
    return [[index / (len(steps) - 1), colour] for index, colour in enumerate(steps)]


def printed(name: str) -> Any:
    """Return a colour, or a ramp from 0 to 100 %, of figures for print, by name."""
    return tokens()["print"][name]


_SHARED = (
    *("background", "surface", "text", "muted", "border", "control_border", "accent", "on_accent", "accent_wash"),
    *("focus", "sequential", "diverging", "number_on_light", "number_on_dark"),
)
_NESTED = {  # the components' name: its path in the tokens
    "aside": "aside.bar",
    "hatch": "absent.hatch",
    "abstain": "abstain.stroke",
    "changed": "cue.changed_wash",
    "carried": "carried.ramp",
    "carried_negative": "carried.negative_outline",
    "negative": "signed.negative_end",
}


@functools.cache
def component_tokens() -> dict[str, dict[str, Any]]:
    """Return the design tokens that components need, for both themes.

    Streamlit's CSS variables lack muted text, the grey of excluded sinks, the hatch and the readings.
    """
    return {
        theme: {name: colours(theme)[name] for name in _SHARED}
        | {name: _theme_value(colours(theme), path) for name, path in _NESTED.items()}
        | {
            side: {part: colours(theme)[f"reading_{side}"][part] for part in ("graphic", "text", "wash")}
            for side in "ab"
        }
        for theme in THEMES
    }


def _theme_value(theme: dict[str, Any], path: str) -> Any:
    value: Any = theme
    for name in path.split("."):
        value = value[name]
    return value
