"""One head as a plotly figure, with a picture and a text for viewers that do not run plotly's JavaScript."""

import base64
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import plotly.graph_objects as go
import plotly.io as pio

from mha import outputs
from mha.errors import InputError
from mha.figures.print import NOTEBOOK_DPI, PaperFigure, draw_maps, open_canvas
from mha.figures.thumbnails import head_png
from mha.formats import clean
from mha.maps import ATTENTION, AttentionMaps, HeadId

DRAWN = ".js-plotly-plot .main-svg"


class HeadFigure(go.Figure):
    """A head's map as a plotly figure; a notebook without plotly shows its picture.

    Later changes of the figure do not change the picture. A copy has no picture.
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
        """Show the figure as plotly does; without arguments a notebook also keeps the picture."""
        return super().show(*args, **how) if args or how else self._ipython_display_()


def still(maps: AttentionMaps, head: HeadId) -> dict[str, str]:
    """Return one head as a notebook's forms of it without a script: a PNG in base64, and its caption."""
    picture = head_png(maps, head)
    with suppress(InputError):  # no font for a letter, or no matplotlib
        with open_canvas("single") as canvas:
            draw_maps(canvas, maps, [head])
        picture = PaperFigure(canvas, "", "", "", "").file("png", NOTEBOOK_DPI)
    texts = " and ".join(f"“{clean(text)}”" for text in (maps.text, maps.pair) if text) or "tokens without a text"
    measure = "Attention" if maps.measure == ATTENTION else "Contribution"
    caption = f"{measure}, head {head} of {clean(maps.model) or 'a model without a name'} for {texts}"
    return {"image/png": base64.b64encode(picture).decode("ascii"), "text/plain": caption}
