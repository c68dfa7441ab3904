"""Colours, ramps and the plotly template, all read from `assets/tokens.json`, the only home of colours.

``python -m mha.figures.theme`` writes `.streamlit/config.toml` from the same file.
"""

from __future__ import annotations

import functools
import html
import json
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from mha.errors import InputError

REPOSITORY = Path(__file__).resolve().parents[2]
THEMES = ("light", "dark")
LABEL_LENGTH = 18

SANS = '"Source Sans", "Source Sans Pro", sans-serif'
MONO = '"Source Code Pro", "Source Code", monospace'


@functools.cache
def tokens() -> dict[str, Any]:
    """Return the design tokens: themes, type, spacing, marks."""
    return json.loads((REPOSITORY / "assets" / "tokens.json").read_text(encoding="utf-8"))


def colours(theme: str = "light") -> dict[str, Any]:
    """Return the colours of one theme by name.

    Raises:
        InputError: there is no such theme.
    """
    if theme not in THEMES:
        raise InputError(f"A theme is one of {', '.join(THEMES)}; this is {theme!r}.")
    return tokens()[theme]


def ramp(name: str = "sequential", theme: str = "light") -> list[list[Any]]:
    """Return a ramp as plotly's colour scale, [[0, first], …, [1, last]], even steps.

    ``sequential`` is for weights, ``diverging`` for leans (B, neutral, A), ``carried`` for patched shares.
    """
    steps = colours(theme)["carried"]["ramp"] if name == "carried" else colours(theme).get(name)
    if not isinstance(steps, list):
        raise InputError(f"A ramp is one of sequential, diverging, carried; this is {name!r}.")
    return [[index / (len(steps) - 1), colour] for index, colour in enumerate(steps)]


def escape(label: str) -> str:
    """Return a label that plotly shows letter by letter: cut to 18 characters, then escaped.

    Plotly renders tags, links and entities in every label, so nothing typed reaches a figure without this.

    >>> escape("<b>bold</b>")
    '&lt;b&gt;bold&lt;/b&gt;'
    """
    cut = label if len(label) <= LABEL_LENGTH else label[: LABEL_LENGTH - 1] + "…"
    return html.escape(cut, quote=False)


@functools.cache
def template(theme: str = "light") -> go.layout.Template:
    """Return the plotly template of one theme: page colours, our fonts, no grid, no zero line."""
    colour, size = colours(theme), tokens()["type"]["px"]
    axis = {
        "showgrid": False,
        "zeroline": False,
        "linecolor": colour["border"],
        "tickfont": {"color": colour["text"], "size": size["axis"]},
        "title": {"font": {"color": colour["muted"], "size": size["axis"]}},
        "ticks": "",
    }
    return go.layout.Template(
        layout={
            "paper_bgcolor": colour["background"],
            "plot_bgcolor": colour["background"],
            "font": {"family": SANS, "color": colour["text"], "size": size["widget"]},
            "hoverlabel": {
                "bgcolor": colour["text"],
                "bordercolor": colour["text"],
                "font": {"family": SANS, "color": colour["background"], "size": size["axis"]},
                "align": "left",
            },
            "colorway": [colour["accent"], colour["control_border"], colour["text"], colour["muted"]],
            "xaxis": axis,
            "yaxis": axis,
            "margin": {"l": 0, "r": 4, "t": 0, "b": 0},
        }
    )


if __name__ == "__main__":
    from mha.figures.streamlit_config import write

    print(f"Wrote {write(REPOSITORY)}")
