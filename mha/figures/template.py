"""The plotly template of both themes, from the design tokens, and a figure that is sent as it was written."""

from __future__ import annotations

import base64
import functools
from typing import Any

import numpy as np
from plotly.basedatatypes import BaseFigure

from mha.theme import SANS, colours, tokens

DASHES = ("solid", "dash", "dot", "dashdot")


@functools.cache
def template(theme: str = "light") -> dict[str, Any]:
    """Return the plotly template of one theme: page colours, our fonts, no grid, no zero line. Callers must not change
    it."""
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


TYPES = {"float32": "f4", "float64": "f8", "uint8": "u1", "int8": "i1", "int16": "i2", "int32": "i4"}
NARROWER = ("int8", "int16", "int32")


class PlainFigure(BaseFigure):
    """A figure made of plain ``data`` and ``layout``, for `st.plotly_chart`.

    Streamlit validates a dict, which costs more than the rest of the page, but it only asks a figure for its dict. A
    test compares the sent data with the validated figure of the same ``spec``.
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        self._spec = spec

    def to_dict(self) -> dict[str, Any]:
        """Return data and layout, arrays as plotly.js takes them: their bytes in base64."""
        data = [{name: _packed(value) for name, value in trace.items()} for trace in self._spec["data"]]
        return {"data": data, "layout": self._spec["layout"]}


def _packed(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype == np.int64:  # plotly.js has none: the narrowest that holds them, as plotly itself sends
        value = value.astype(next(kind for kind in NARROWER if (value == value.astype(kind)).all()))
    packed = {"dtype": TYPES[value.dtype.name], "bdata": base64.b64encode(value.tobytes()).decode("ascii")}
    return packed | ({"shape": ", ".join(map(str, value.shape))} if value.ndim > 1 else {})
