"""The plotly template of both themes, from the design tokens."""

from __future__ import annotations

import functools
from typing import Any

from mha.theme import SANS, colours, tokens


@functools.cache
def template(theme: str = "light") -> dict[str, Any]:
    """Return the plotly template of one theme: page colours, our fonts, no grid, no zero line; nobody changes it."""
    colour, size = colours(theme), tokens()["type"]["px"]
    axis = {
        "showgrid": False,
        "zeroline": False,
        "linecolor": colour["border"],
        "tickfont": {"color": colour["text"], "size": size["axis"]},
        "title": {"font": {"color": colour["muted"], "size": size["axis"]}},
        "ticks": "",
    }
    return {
        "layout": {
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
    }
