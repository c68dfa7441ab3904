"""Hits against false namings: how many test pairs and control swaps pass a threshold, a curve for each kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle

import plotly.graph_objects as go

from mha.figures.template import template
from mha.theme import colours

HEIGHT = 380  # px
DASHES = ("solid", "dash", "dot", "dashdot")
SHARES = {"range": [-0.02, 1.04], "tickvals": [0, 0.25, 0.5, 0.75, 1], "ticktext": ["0", "25", "50", "75", "100 %"]}
Interval = tuple[float, float, float]


def hit_curves(
    curves: Mapping[str, tuple[Sequence[Interval], Sequence[Interval]]],
    chosen: Mapping[str, tuple[Interval, Interval]],
    theme: str = "light",
) -> go.Figure:
    """Return one curve a kind, (swaps that pass, pairs that pass) over all thresholds, and a point for the chosen one.

    All are (value, low, high); intervals of the curve are told to whoever points at it, and those of ``chosen`` are a
    cross. The diagonal is where pairs pass no more often than swaps.
    """
    colour = colours(theme)
    figure = go.Figure(
        layout={
            "template": template(theme), "height": HEIGHT, "dragmode": False, "showlegend": True,
            "margin": {"l": 4, "r": 16, "t": 8, "b": 8},
            "legend": {"orientation": "h", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"},
        }
    )  # fmt: skip
    even = {"color": colour["muted"], "width": 1.25, "dash": "dot"}
    figure.add_trace(go.Scatter(x=[0, 1], y=[0, 1], mode="lines", line=even, showlegend=False, hoverinfo="skip"))
    inks = (colour["text"], colour["accent"], colour["muted"], colour["control_border"])
    for (kind, (swaps, pairs)), ink, dash in zip(curves.items(), cycle(inks), cycle(DASHES)):
        line = {"color": ink, "width": 2.5, "dash": dash}
        hover = (
            f"{kind}: %{{y:.0%}} of test pairs (%{{customdata[0]:.0%}} to %{{customdata[1]:.0%}}), "
            "%{x:.0%} of control swaps (%{customdata[2]:.0%} to %{customdata[3]:.0%})<extra></extra>"
        )
        ends = [[*pair[1:], *swap[1:]] for pair, swap in zip(pairs, swaps, strict=True)]
        x, y = [one[0] for one in swaps], [one[0] for one in pairs]
        figure.add_trace(go.Scatter(x=x, y=y, customdata=ends, name=kind, mode="lines", line=line, hovertemplate=hover))
        if kind in chosen:
            figure.add_trace(_point(*chosen[kind], ink, hover))
    figure.update_xaxes(SHARES, title="control swaps that pass (false namings)", fixedrange=True, automargin=True)
    figure.update_yaxes(SHARES, title="test pairs that pass (hits)", fixedrange=True, automargin=True)
    return figure


def _point(swaps: Interval, pairs: Interval, ink: str, hover: str) -> go.Scatter:
    """Return a dot with an interval each way."""

    def bars(one: Interval) -> dict[str, object]:
        return {
            "type": "data", "symmetric": False, "array": [one[2] - one[0]], "arrayminus": [one[0] - one[1]],
            "thickness": 1.25, "width": 0, "color": ink,
        }  # fmt: skip

    return go.Scatter(
        x=[swaps[0]], y=[pairs[0]], customdata=[[*pairs[1:], *swaps[1:]]], mode="markers",
        marker={"size": 9, "color": ink}, error_x=bars(swaps),
        error_y=bars(pairs), showlegend=False, hovertemplate=hover,
    )  # fmt: skip
