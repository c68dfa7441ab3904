"""The charts of Questions and About: curves with their names at their ends, bars, strips, intervals."""

import base64
import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure

from mha.formats import escape
from mha.theme import MONO, SANS, colours, tokens

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


HEIGHT, SQUARE, ROW = 300, 380, 36  # px: height of a figure, of a square figure, of a row
NAME_WIDTH, NAME_HEIGHT = 0.22, 0.06  # of a head on a phone, 390 px wide: parts of the spread of all points
SHARES = {"range": [0, 1.04], "tickvals": [0, 0.25, 0.5, 0.75, 1], "ticktext": ["0", "25", "50", "75", "100 %"]}
Interval = tuple[float, float, float]  # a value, and its low and high end


def saturation_curves(
    widths: Sequence[int], plain: Sequence[float], divided: Sequence[float], theme: str = "light"
) -> go.Figure:
    """Return how much the largest of eight weights gets at each width, without and with the division by √d_head."""
    figure = _figure(theme, 44)
    _curve(figure, widths, plain, "not divided", theme)
    _curve(figure, widths, divided, "divided by √d", theme, dash="dot")
    figure.update_xaxes(type="log", tickvals=widths, ticktext=[str(width) for width in widths], title="d, log scale")
    figure.update_yaxes(SHARES, title="largest of eight weights")
    return figure


def effective_bars(by_layer: Sequence[float], n_heads: int, theme: str = "light") -> go.Figure:
    """Return a bar a layer: how many different looks its heads have in effect, out of ``n_heads``."""
    colour = colours(theme)
    names = [f"layer {layer}" for layer in range(len(by_layer))]
    figure = _figure(theme, 8)
    figure.add_trace(
        go.Bar(
            x=list(by_layer), y=names, orientation="h", marker_color=colour["sequential"][6], width=0.62,
            text=[f"{value:.1f}" for value in by_layer], textposition="outside", cliponaxis=False,
            textfont={"family": MONO}, hovertemplate="%{y}: %{x:.2f}<extra></extra>",
        )
    )  # fmt: skip
    figure.update_xaxes(range=[0, n_heads], title=f"different looks in effect, of {n_heads}", rangemode="tozero")
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(height=max(120, 38 * len(by_layer) + 56))
    return figure


def learning_curves(
    curves: Mapping[str, tuple[Sequence[int], Sequence[float]]], guess: float, n_steps: int, theme: str = "light"
) -> go.Figure:
    """Return the share of unseen sentences with both nouns right, by step: one curve a name (steps, shares).

    ``guess`` is the share of a guesser that knows both nouns but not which is which, drawn as a dotted line.
    """
    colour = colours(theme)
    figure = _figure(theme, 62)
    figure.add_hline(y=guess, line={"color": colour["muted"], "width": 1.25, "dash": "dot"})
    figure.add_annotation(
        x=n_steps, y=guess, text="knows both nouns, not which is which",
        showarrow=False, xanchor="right", yanchor="top",
        font={"color": colour["muted"], "size": tokens()["type"]["px"]["axis"]},
    )  # fmt: skip
    for number, (name, (steps, shares)) in enumerate(curves.items()):
        _curve(figure, steps, shares, name, theme, dash=("solid", "dash")[number % 2])
    figure.update_xaxes(range=[0, n_steps], title="training steps")
    figure.update_yaxes(SHARES, title="both nouns right, unseen pairs")
    return figure


def lean_strip(
    leans: np.ndarray, furthest: np.ndarray, names: Sequence[str], theme: str = "light", seed: int = 0
) -> go.Figure:
    """Return every head's lean here (one mark each), and under it the furthest lean of each shuffle, on one axis.

    ``leans`` is float [head], ``furthest`` float [shuffle], signed; A leans right, B left. A is round, B square.
    """
    colour = colours(theme)
    figure = _figure(theme, 8)
    jitter = np.random.default_rng(seed).uniform(-0.28, 0.28, len(leans))
    for towards, symbol, name in ((leans >= 0, "circle", "reading_a"), (leans < 0, "square", "reading_b")):
        indices = np.flatnonzero(towards)
        figure.add_trace(
            go.Scatter(
                x=leans[indices], y=1 + jitter[indices], mode="markers", text=[names[int(head)] for head in indices],
                marker={"symbol": symbol, "size": 9, "color": colour[name]["graphic"], "opacity": 0.85},
                hovertemplate="%{text}: %{x:.2f}<extra></extra>",
            )
        )  # fmt: skip
    figure.add_trace(
        go.Scatter(
            x=furthest, y=np.zeros(len(furthest)), mode="markers", hovertemplate="a shuffle: %{x:.2f}<extra></extra>",
            marker={"symbol": "line-ns", "size": 26, "line": {"color": colour["muted"], "width": 1.5}},
        )
    )  # fmt: skip
    top = max(0.1, float(np.abs([*leans, *furthest]).max()) * 1.15)
    figure.add_vline(x=0, line={"color": colour["border"], "width": 1})
    figure.update_xaxes(range=[-top, top], title="leans to B ← lean → leans to A", zeroline=False, nticks=7)
    figure.update_yaxes(range=[-0.6, 1.6], tickvals=[0, 1], ticktext=["shuffled,<br>furthest", "this<br>sentence"])
    figure.update_layout(height=230)
    return figure


def _figure(theme: str, right: int) -> go.Figure:
    return go.Figure(
        layout={
            "template": template(theme),
            "height": HEIGHT,
            "margin": {"l": 4, "r": right, "t": 12, "b": 8},
            "showlegend": False,
            "dragmode": False,
            "xaxis": {"fixedrange": True, "showline": True, "ticks": "", "automargin": True},
            "yaxis": {"fixedrange": True, "automargin": True},
        }
    )


def _curve(
    figure: go.Figure, x: Sequence[float], y: Sequence[float], name: str, theme: str, dash: str = "solid"
) -> None:
    """Draw a curve with its name at its end, so that no legend has to be looked up."""
    colour: dict[str, Any] = colours(theme)
    ink = colour["sequential"][7] if dash == "solid" else colour["muted"]
    hover = f"{name}, %{{x}}: %{{y:.0%}}<extra></extra>"
    figure.add_trace(go.Scatter(x=x, y=y, mode="lines", line={"color": ink, "width": 2.5, "dash": dash},
                                hovertemplate=hover))  # fmt: skip
    if len(x):
        figure.add_annotation(
            x=np.log10(x[-1]) if name.startswith(("not divided", "divided")) else x[-1], y=y[-1], text=f" {name}",
            showarrow=False, xanchor="left", font={"color": ink, "size": tokens()["type"]["px"]["axis"]},
        )  # fmt: skip


def interval_rows(
    names: Sequence[str],
    intervals: Sequence[Interval],
    title: str,
    rings: Mapping[str, Sequence[float]] | None = None,
    ranges: Sequence[tuple[float, float]] = (),
    theme: str = "light",
) -> go.Figure:
    """Return one row a name, the first at the top: a dot with its interval (mean, low, high); ``title`` names the axis.

    ``rings`` has further numbers of each name, drawn as rings, by their label; ``ranges`` a grey bar (low, high)
    behind each dot, for a control.
    """
    colour = colours(theme)
    figure = go.Figure(
        layout={
            "template": template(theme), "height": ROW * len(names) + 64, "showlegend": False, "dragmode": False,
            "margin": {"l": 4, "r": 16, "t": 8, "b": 8}, "barmode": "overlay",
        }
    )  # fmt: skip
    if ranges:
        low, high = np.array(ranges).T
        figure.add_trace(
            go.Bar(x=high - low, base=low, y=list(names), orientation="h", width=0.5, marker_color=colour["border"],
                   customdata=np.array(ranges),
                   hovertemplate="control, %{y}: %{customdata[0]:.2f} to %{customdata[1]:.2f}<extra></extra>")
        )  # fmt: skip
    for ring_label, values in (rings or {}).items():
        ring = {"symbol": "circle-open", "size": 8, "color": colour["muted"], "line": {"width": 1.25}}
        hover = f"{ring_label}, %{{y}}: %{{x:.2f}}<extra></extra>"
        figure.add_trace(go.Scatter(x=list(values), y=list(names), mode="markers", marker=ring, hovertemplate=hover))
    mean, ink = [value for value, _, _ in intervals], colour["sequential"][7]
    figure.add_trace(
        go.Scatter(
            x=mean, y=list(names), mode="markers+text", error_x=_bars(intervals, ink, 2.5),
            marker={"size": 10, "color": ink},
            text=[f"{value:.2f}".replace("-", "−") for value in mean], textposition="top center",
            textfont={"family": MONO}, hovertemplate="%{y}: %{x:.2f}<extra></extra>",
        )
    )  # fmt: skip
    figure.add_vline(x=0, line={"color": colour["muted"], "width": 1.25, "dash": "dot"})
    figure.update_xaxes(title=title, zeroline=False, fixedrange=True, automargin=True)
    figure.update_yaxes(autorange="reversed", fixedrange=True, automargin=True)
    return figure


def _bars(intervals: Sequence[Interval], ink: str, thickness: float) -> dict[str, object]:
    """Return the bars of intervals (value, low, high) about their values, as plotly takes them."""
    return {
        "type": "data", "symmetric": False, "array": [high - value for value, _, high in intervals],
        "arrayminus": [value - low for value, low, _ in intervals], "thickness": thickness, "width": 0, "color": ink,
    }  # fmt: skip


def effect_scatter(
    looks: np.ndarray, adds: np.ndarray, matters: np.ndarray, *, words: tuple[str, str], looked_at: Sequence[str],
    limit: float | None = None, bold: Sequence[str] = (), theme: str = "light",
) -> go.Figure:  # fmt: skip
    """Return one mark a head: attention to a word (or the difference of two words) against its direct effect in logits.

    ``looks``, ``adds`` and ``matters`` are float64 [layer, head]; ``matters`` is NaN if not measured yet.
    Heads whose ablation lowers the score are filled triangles, the others open ones; heads within ``limit``
    logits are small dots. Without a limit the area of a triangle is the size of the change. ``bold`` heads are named.
    """
    colour, figure = colours(theme), _figure(theme, 24)
    names = np.array([f"L{layer}H{head}" for layer, head in np.ndindex(looks.shape)])
    x, y, effect = looks.ravel(), adds.ravel(), np.nan_to_num(matters.ravel())
    first, second = (escape(word) for word in words)
    size = np.full(len(effect), 13.0)
    if limit is None:
        size = np.maximum(4.0, 20.0 * np.sqrt(np.abs(effect) / (np.abs(effect).max() or 1.0)))
    bound = limit or 0.0
    reason = f"by at most {limit:.2f}" if limit else "not measured yet" if np.isnan(matters).any() else "no change"
    marks = (
        (np.abs(effect) <= bound, reason, "circle", "muted"),
        (effect < -bound, f"without it {first} loses to {second}", "triangle-down", "text"),
        (effect > bound, f"without it {first} gains on {second}", "triangle-up-open", "text"),
    )
    for selection, name, symbol, ink in marks:
        sizes = np.full(int(selection.sum()), 5.0) if symbol == "circle" else size[selection]
        facts = [[str(head), float(value)] for head, value in zip(names[selection], effect[selection], strict=True)]
        ablated = "" if symbol == "circle" and not limit else ", ablated %{customdata[1]:+.2f}"
        figure.add_trace(
            go.Scatter(
                x=x[selection], y=y[selection], mode="markers+text", name=name, customdata=facts,
                marker={"symbol": symbol, "size": sizes, "color": colour[ink], "line": {"width": 1.6}},
                text=[head if head in bold else "" for head, _ in facts],
                textposition="top center", textfont={"family": MONO},
                hovertemplate="%{customdata[0]}: looks %{x:+.0%}, adds %{y:+.2f}" + ablated + "<extra></extra>",
                visible=bool(facts),
            )
        )  # fmt: skip
    line = {"showgrid": True, "gridcolor": colour["border"], "zeroline": True}
    labels = [escape(word) for word in looked_at]
    title = (
        f"attention to {labels[0]} →"
        if len(labels) == 1
        else f"← looks more at {labels[1]} · looks more at {labels[0]} →"
    )
    figure.update_xaxes(line, tickformat=".0%", title=title)
    room = 0.15 * (y.max() - y.min() or 1.0)  # for the names
    figure.update_yaxes(line, title=f"adds to {first} over {second}, logits →", range=[y.min() - room, y.max() + room])
    figure.update_layout(
        height=SQUARE, showlegend=True, legend={"orientation": "h", "y": -0.2, "itemsizing": "constant"}
    )
    return figure


def control_histogram(controls: np.ndarray, value: float, name: str, title: str, theme: str = "light") -> go.Figure:
    """Return the numbers of controls as a histogram, and that of this text as a line with its name."""
    colour, figure = colours(theme), _figure(theme, 28)
    top = max(float(controls.max(initial=0)), value) or 1.0
    step = top / 40
    figure.add_trace(
        go.Histogram(
            x=controls, xbins={"start": 0, "end": top + step, "size": step}, marker={"color": colour["muted"]},
            hovertemplate="%{x}: %{y}<extra></extra>",
        )
    )  # fmt: skip
    figure.add_vline(
        x=value, line={"color": colour["accent"], "width": 3}, annotation_text=name,
        annotation_position="top left" if value > top / 2 else "top right",
    )  # fmt: skip
    figure.update_xaxes(title=title, range=[0, top + step])
    figure.update_yaxes(title="number", nticks=4)
    figure.update_layout(height=170, bargap=0.1)
    return figure


def head_scatter(
    x: np.ndarray, y: np.ndarray, titles: tuple[str, str], shares: tuple[bool, bool] = (False, False),
    theme: str = "light",
) -> go.Figure:  # fmt: skip
    """Return one dot a head by two measures, float64 [layer, head]; ``shares`` are axes in per cent.

    The first and the last head on each axis have their names, the last ones first, unless two names overlap on a
    phone. ``customdata`` of a point is the name of its head.
    """
    colour, figure = colours(theme), _figure(theme, 28)
    names = [f"L{layer}H{head}" for layer, head in np.ndindex(x.shape)]
    finite = np.flatnonzero(np.isfinite(x.ravel()) & np.isfinite(y.ravel()))
    right, up = x.ravel()[finite], y.ravel()[finite]
    named: list[int] = []
    for number in (up.argmax(), right.argmax(), right.argmin(), up.argmin()) if len(finite) else ():
        parts = (  # an axis of shares begins at 0
            np.abs(values[named] - values[number]) / (np.ptp([*values, 0.0] if is_share else values) or 1.0)
            for values, is_share in zip((right, up), shares, strict=True)
        )
        if all(width > NAME_WIDTH or height > NAME_HEIGHT for width, height in zip(*parts, strict=True)):
            named.append(int(number))
    across, upwards = (
        f"{title} %{{{axis}:{'.0%' if is_share else '.4~f'}}}"
        for title, axis, is_share in zip(titles, "xy", shares, strict=True)
    )
    figure.add_trace(
        go.Scatter(
            x=right, y=up, mode="markers+text", customdata=[names[place] for place in finite],
            text=[names[place] if number in named else "" for number, place in enumerate(finite)],
            textposition="top center", textfont={"family": MONO, "size": 13},
            marker={"size": 10, "color": colour["accent"], "opacity": 0.7,
                    "line": {"color": colour["background"], "width": 1}},
            hovertemplate=f"%{{customdata}}: {across}, {upwards}<extra></extra>",
        )
    )  # fmt: skip
    line = {"showgrid": True, "gridcolor": colour["border"]}
    updates = figure.update_xaxes, figure.update_yaxes
    for update, values, is_share, title in zip(updates, (right, up), shares, titles, strict=True):
        update(line | (_share_axis(values) if is_share else {}), title=f"{title} →")
    figure.update_layout(height=SQUARE + 40)
    return figure


def _share_axis(values: np.ndarray) -> dict[str, object]:
    """Return an axis in per cent that begins at 0 and is at least 5 % long, so that no tick occurs twice."""
    top = max(0.05, float(values.max(initial=0)))
    return {"tickformat": ".0%", "range": [-0.04 * top, 1.08 * top], "nticks": 6}
