"""One head as a plotly figure, and a picture and a text beside it for wherever plotly's JavaScript does not run."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import plotly.io as pio

from mha import outputs
from mha.errors import InputError
from mha.figures.print import panels
from mha.figures.print.captions import map_caption
from mha.figures.print.figure import NOTEBOOK_DPI, PaperFigure, WantedFigure
from mha.figures.print.marks import WIDTHS, Style
from mha.figures.thumbnails import head_png
from mha.maps import AttentionMaps, HeadId

DRAWN = ".js-plotly-plot .main-svg"


class HeadFigure(go.Figure):
    """A head's map as a plotly figure; a notebook shows the picture of it where it shows no plotly.

    The picture is of the head as it was asked for, whatever is changed in the figure afterwards. A copy has none.
    """

    _still: Callable[[], dict[str, str]] = dict

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **how: Any) -> dict[str, Any]:
        return {**self._still(), **super()._repr_mimebundle_(include, exclude, **how)}

    def _ipython_display_(self) -> None:
        live = super()._repr_mimebundle_() if pio.renderers.render_on_display and pio.renderers.default else {}
        try:
            outputs.publish(outputs.pictured(live, self._still(), DRAWN) if live else ())
        except NotImplementedError:
            super()._ipython_display_()

    def show(self, *args: Any, **how: Any) -> Any:
        """Show the figure as plotly does; without further wishes a notebook keeps the picture beside it."""
        return super().show(*args, **how) if args or how else self._ipython_display_()


def still(maps: AttentionMaps, head: HeadId) -> dict[str, str]:
    """Return one head as a notebook's forms of it without a script: a PNG in base64, and its caption."""
    picture, numbers = _printed(maps, head)
    asked = WantedFigure(maps, (head,), None, None, False)
    return {"image/png": base64.b64encode(picture).decode("ascii"), "text/plain": map_caption(asked, numbers)}


def _printed(maps: AttentionMaps, head: HeadId) -> tuple[bytes, bool]:
    """Return the picture, with words where there is room for them and what writes them, and whether it has numbers."""
    for width in WIDTHS.values():
        try:
            sheet, numbers = panels.heads_beside(maps, (head,), Style(width))
            return PaperFigure(sheet, "", {}, "").png(NOTEBOOK_DPI), numbers
        except InputError:  # no room for the words, a letter that the fonts lack, or what draws is not installed
            continue
    return head_png(maps, head), False
