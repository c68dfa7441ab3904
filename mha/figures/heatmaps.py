"""Heatmaps: one head for a notebook, all heads of a layer for the page. Rows are queries, columns keys."""

import base64
import functools
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io as pio

from mha import outputs
from mha.errors import InputError
from mha.figures.charts import template
from mha.figures.print import NOTEBOOK_DPI, PaperFigure, draw_maps, open_canvas
from mha.figures.thumbnails import head_png
from mha.formats import clean, escape, in_figures, labels, percent, whole_percents
from mha.maps import ATTENTION, AttentionMaps, HeadId, Recording, maps_of
from mha.theme import MONO, SANS, colours, ramp, tokens

LEGEND = 62  # px above the first row: the legend and "row attends to column"
TITLE = 26  # px above each map
GAP = 22  # px between columns
ROW_GAP = 18  # px between rows, besides the title
CELL_MIN = 11  # px below which labels no longer fit; then fewer columns, then no labels
CHARACTER = 7.2  # px of one letter at tick size


@dataclass(frozen=True)
class Grid:
    """Positions of square maps in ``columns`` columns, and the ``height`` of the whole figure in px.

    ``boxes`` are x0, x1, y0, y1 of each map as shares of the figure, y upwards; ``labelled`` is true if words fit next
    to the cells.
    """

    boxes: tuple[tuple[float, ...], ...]
    columns: int
    height: float
    labelled: bool

    def first_in_row(self, number: int) -> bool:
        """Whether this map has the row labels at its left."""
        return number % self.columns == 0

    def last_in_column(self, number: int) -> bool:
        """Whether this map has the column labels below it."""
        return number + self.columns >= len(self.boxes)


def grid(count: int, n_queries: int, n_keys: int, longest: int, width: float) -> Grid:
    """Return the positions of ``count`` maps in ``width`` px: as many columns as keep words legible.

    ``longest`` is the length in characters of the longest label. A text too long for that gets maps without labels.
    """
    side = max(n_queries, n_keys)
    label_width = min(max(CHARACTER * longest + 16, 40), width / 3)

    def cell_of(columns: int) -> float:
        return (width - label_width - GAP * (columns - 1)) / columns / side

    fitting = [columns for columns in range(count, 0, -1) if cell_of(columns) >= CELL_MIN]
    labelled, columns_used = bool(fitting), max(fitting, default=1)
    if not labelled:
        label_width = 8.0  # no labels: the tooltip of a cell has its words
    size, rows = cell_of(columns_used) * side, -(-count // columns_used)
    below = 0.8 * CHARACTER * longest + 24 if labelled else 8
    height = LEGEND + rows * (TITLE + size) + (rows - 1) * ROW_GAP + below
    boxes = []
    for row, column in (divmod(number, columns_used) for number in range(count)):
        x = label_width + column * (size + GAP)
        y = LEGEND + TITLE + row * (size + TITLE + ROW_GAP)  # px from the top
        ends = x / width, (x + size) / width, 1 - (y + size) / height, 1 - y / height
        boxes.append(tuple(round(end, 5) for end in ends))  # a hundredth of a pixel, and half the letters on the wire
    return Grid(tuple(boxes), columns_used, height, labelled)


NUMBERS_UP_TO = 16  # words for which every cell of a single head carries its number
EXACT_UP_TO = 48  # words up to which cells travel as weights; longer texts as whole per cents, a quarter of the bytes
DIRECTION = "row attends to column"

SCALES = {  # weight of the full colour
    "all": "share of a row",
    "head": "share of this head's largest weight",
    "row": "share of this row's largest weight",
}


def head_heatmap(
    maps: AttentionMaps | Recording, head: tuple[int, int] | str, theme: str = "light", width: int = 560
) -> go.Figure:
    """Return one head as a plotly figure, with whole per cents in the cells of short texts.

    A notebook also keeps a picture and a sentence, for viewers without plotly.

    Raises:
        InputError: the head does not exist, or the argument has no maps.
    """
    maps, head = maps_of(maps), HeadId.of(head)
    spec = layer_spec(maps, [head], theme=theme, width=width)
    if max(maps.n_queries, maps.n_keys) <= NUMBERS_UP_TO:
        numbers = whole_percents(maps[head]).astype(str)
        numbers[~maps.visible] = ""
        spec["data"][0] |= {"text": numbers, "texttemplate": "%{text}", "textfont": {"family": MONO}}
    title = ", ".join(part for part in (str(head), maps.model, maps.origin) if part)
    spec["layout"]["annotations"][0]["text"] = escape_long(title)
    figure = HeadFigure(spec)
    figure._still = functools.partial(still, maps, head)
    return figure.update_layout(width=width)


def layer_heatmaps(maps: AttentionMaps, heads: Sequence[tuple[int, int]], **how: Any) -> go.Figure:
    """Return `layer_spec` as a plotly figure, every field of it validated."""
    return go.Figure(layer_spec(maps, heads, **how))


def layer_spec(
    maps: AttentionMaps,
    heads: Sequence[tuple[int, int]],
    theme: str = "light",
    width: int = 520,
    empty: np.ndarray | None = None,
) -> dict[str, Any]:
    """Return one figure with a square map for each head, on one colour axis, as plain ``data`` and ``layout``.

    Full colour is 100 %. Cells hidden by a mask are hatched, rows marked in ``empty`` (bool [layer, head, query], from
    `set_aside`) are dotted; neither is a zero. ``width`` in px is an estimate that decides the number of columns.

    Raises:
        InputError: a head that does not exist, or none at all.
    """
    if not heads:
        raise InputError("There is no head to draw: name at least one, as (5, 3).")
    names = [escape(token.text) for token in maps.tokens], [escape(token.text) for token in maps.key_tokens]
    longest = max(min(len(token.text), 18) for token in (*maps.tokens, *maps.key_tokens))
    places = grid(len(heads), maps.n_queries, maps.n_keys, longest, width)
    top = 1 if max(maps.n_queries, maps.n_keys) <= EXACT_UP_TO else 100
    data: list[dict[str, Any]] = []
    layout = _page(theme, places, top, names)
    visible = maps.visible
    for number, head in enumerate(heads):
        rows = np.zeros(maps.n_queries, dtype=bool) if empty is None else empty[head[0], head[1]]
        data += _map(number, maps[head], visible, rows, theme, top)
        layout |= _axes(number, places, maps)
        layout["annotations"] += _titles(number, places, str(HeadId(*head)), theme)
    return {"data": data, "layout": layout}


def describe_layer(
    maps: AttentionMaps, heads: Sequence[tuple[int, int]], scale: str = "all", empty: np.ndarray | None = None
) -> str:
    """Return the text alternative of `layer_heatmaps`: its content, and each head's strongest connection."""
    queries, keys = labels(maps.tokens), labels(maps.key_tokens)
    words = f"{in_figures(maps.n_queries, 'row')} ({', '.join(queries[:12])}{', …' if len(queries) > 12 else ''})"
    parts = [f"{in_figures(len(heads), 'heatmap')}; {DIRECTION}; {words}; colour: {SCALES[scale]}."]
    visible = maps.visible
    if maps.kind == "self" and maps.n_queries > 1:
        visible &= ~np.eye(maps.n_queries, maps.n_keys, maps.first_query, dtype=bool)
    places = np.array(heads).T
    rows = np.zeros((1, maps.n_queries), dtype=bool) if empty is None else empty[places[0], places[1]]  # [head, query]
    weights = np.where(visible & ~rows[..., None], np.stack([maps[head] for head in heads]), -1)  # [head, query, key]
    weights = weights.reshape(len(heads), -1)
    strongest = weights.argmax(axis=-1)
    for head, place, best in zip(heads, strongest.tolist(), weights.max(axis=-1).tolist(), strict=True):
        query, key = divmod(place, maps.n_keys)
        look = told_look(maps, queries[query], keys[key], best) if best >= 0 else "nothing to show"
        parts.append(f"{HeadId(*head)}: {look}.")
    return " ".join(parts)


def told_look(maps: AttentionMaps, query: str, key: str, share: float) -> str:
    """Return a connection, or its contribution, for a text alternative."""
    phrase = f"{query} looks at {key}" if maps.measure == ATTENTION else f"{key} supplies {query}"
    return f"{phrase}, {percent(share)}"


def escape_long(text: str) -> str:
    """Return a title for plotly: escaped like a label, each part between commas cut on its own."""
    return ", ".join(escape(part) for part in text.split(", "))


def _page(theme: str, places: Grid, top: int, names: tuple[Sequence[str], Sequence[str]]) -> dict[str, Any]:
    colour, size = colours(theme), tokens()["type"]["px"]
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    return {
        "template": {"layout": _with_names(_template(theme), *names)},
        "height": round(places.height),
        "coloraxis": {
            "cmin": 0,
            "cmax": top,
            "colorscale": ramp(theme),
            "colorbar": {
                "orientation": "h", "thickness": 8, "lenmode": "pixels", "len": 220, "outlinewidth": 0,
                "x": 1, "xanchor": "right", "y": 1 - 6 / places.height, "yanchor": "top", "ypad": 0, "xpad": 20,
                "tickvals": [top * tick for tick in ticks],
                "ticktext": [*(f"{100 * tick:.0f}" for tick in ticks[:-1]), "100 %"],
                "tickfont": {"size": size["tick"], "color": colour["muted"]},
                "title": {"text": SCALES["all"], "side": "top",
                          "font": {"size": size["tick"], "color": colour["muted"]}},
            },
        },
        "annotations": [],
        "shapes": [],
        "dragmode": False,
        "showlegend": False,
    }  # fmt: skip


@functools.cache
def _template(theme: str) -> dict[str, Any]:
    """Return the theme's layout with the shared settings of axes and titles, so that small maps need not repeat
    them."""
    layout = template(theme)["layout"]
    size = tokens()["type"]["px"]["tick"]
    shared = {"tickmode": "array", "fixedrange": True, "showline": True, "mirror": True, "constrain": "domain"}
    shared["showticklabels"] = False
    title = {"xref": "paper", "yref": "paper", "showarrow": False, "xanchor": "left", "yanchor": "bottom",
             "font": {"family": MONO, "size": tokens()["type"]["px"]["axis"]}, "yshift": 3}  # fmt: skip
    x = {**layout["xaxis"], **shared, "constraintoward": "left", "tickangle": -52}
    y = {**layout["yaxis"], **shared, "constraintoward": "top"}
    for axis in (x, y):
        axis["tickfont"] = {**axis["tickfont"], "size": size}
    return {**layout, "xaxis": x, "yaxis": y, "annotationdefaults": title}


def _with_names(layout: dict[str, Any], queries: Sequence[str], keys: Sequence[str]) -> dict[str, Any]:
    axes = {"xaxis": keys, "yaxis": queries}
    return layout | {
        axis: {**layout[axis], "tickvals": list(range(len(names))), "ticktext": names} for axis, names in axes.items()
    }


def _map(
    number: int, weights: np.ndarray, visible: np.ndarray, empty: np.ndarray, theme: str, top: int
) -> list[dict[str, Any]]:
    """Return the cells of one head; hidden and empty ones have a pattern instead."""
    is_drawn, exact = visible & ~empty[:, None], top == 1
    gap = 1 if len(weights) <= 24 else 0
    heatmap = {
        "type": "heatmap",
        "z": np.where(is_drawn, weights, np.nan) if exact else np.where(is_drawn, whole_percents(weights), 0),
        "coloraxis": "coloraxis",
        "xgap": gap,
        "ygap": gap,
        "hoverongaps": False,
        "hovertemplate": f"%{{y}} → %{{x}}<br>{'%{z:.1%}' if exact else '%{z} %'}<extra></extra>",
        **_axes_of(number),
    }
    absent = (~visible, "/", "hidden by the mask"), (visible & empty[:, None], ".", "empty row")
    patterns = (_pattern(missing, shape, reason, number, theme) for missing, shape, reason in absent if missing.any())
    return [heatmap, *patterns]


def _pattern(cells: np.ndarray, shape: str, reason: str, number: int, theme: str) -> dict[str, Any]:
    """Return one outline-free area over the cells of each row, filled with hairlines or dots."""
    x: list[float | None] = []
    y: list[float | None] = []
    for row in np.flatnonzero(cells.any(axis=-1)).tolist():
        columns = np.flatnonzero(cells[row]).tolist()
        x_start, x_end, top, bottom = columns[0] - 0.5, columns[-1] + 0.5, row - 0.5, row + 0.5
        x += [x_start, x_end, x_end, x_start, x_start, None]
        y += [top, top, bottom, bottom, top, None]
    colour = colours(theme)
    return {
        "type": "scatter", "x": x, "y": y, "mode": "none", "fill": "toself", "name": reason, "hoverinfo": "skip",
        "fillcolor": colour["background"],
        "fillpattern": {"shape": shape, "fgcolor": colour["absent"]["hatch"], "bgcolor": colour["background"],
                        "size": 6, "solidity": 0.15},
        **_axes_of(number),
    }  # fmt: skip


def _axes(number: int, places: Grid, maps: AttentionMaps) -> dict[str, dict[str, Any]]:
    """Return the two axes of one map, by their names in the layout; the words at them are the template's."""
    x0, x1, y0, y1 = places.boxes[number]
    mark, across = _axis_number(number), [-0.5, maps.n_keys - 0.5]
    x: dict[str, Any] = {"domain": [x0, min(x1, 1)], "anchor": f"y{mark}", "range": across}
    y: dict[str, Any] = {
        "domain": [max(y0, 0), min(y1, 1)],
        "anchor": f"x{mark}",
        "range": [maps.n_queries - 0.5, -0.5],
    }
    if places.labelled and places.last_in_column(number):
        x["showticklabels"] = True
    if places.labelled and places.first_in_row(number):
        y["showticklabels"] = True
    return {f"xaxis{mark}": x, f"yaxis{mark}": {**y, "scaleanchor": f"x{mark}"}}


def _titles(number: int, places: Grid, name: str, theme: str) -> list[dict[str, Any]]:
    """Return the head's name above its map, and above the first one what its rows and columns are."""
    x0, _, _, y1 = places.boxes[number]
    titles: list[dict[str, Any]] = [{"x": x0, "y": y1, "text": name}]
    if number == 0:
        muted = {"family": SANS, "size": tokens()["type"]["px"]["axis"], "color": colours(theme)["muted"]}
        titles.append({"x": x0, "y": y1, "text": DIRECTION, "font": muted, "yshift": TITLE - 4})
    return titles


def _axes_of(number: int) -> dict[str, str]:
    mark = _axis_number(number)
    return {"xaxis": f"x{mark}", "yaxis": f"y{mark}"}


def _axis_number(number: int) -> str:
    """Return what plotly appends to an axis' name; the first one has no number."""
    return str(number + 1) if number else ""


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
