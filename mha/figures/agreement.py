"""How well measures rank the heads that matter: a dot and an interval for each, a ring for each task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from mha.figures.template import template
from mha.theme import MONO, colours

ROW = 36  # px


def agreement_rows(
    names: Sequence[str],
    means: Sequence[tuple[float, float, float]],
    tasks: Mapping[str, Sequence[float]],
    theme: str = "light",
) -> go.Figure:
    """Return a row a measure, the first at the top: its mean and interval (mean, low, high), and each task's number.

    ``tasks`` has one number a measure by the task's name. All are rank correlations, -1 to 1.
    """
    colour = colours(theme)
    figure = go.Figure(
        layout={
            "template": template(theme), "height": ROW * len(names) + 64, "showlegend": False, "dragmode": False,
            "margin": {"l": 4, "r": 16, "t": 8, "b": 8},
        }
    )  # fmt: skip
    for task, values in tasks.items():
        ring = {"symbol": "circle-open", "size": 8, "color": colour["muted"], "line": {"width": 1.25}}
        hover = f"{task}, %{{y}}: %{{x:.2f}}<extra></extra>"
        figure.add_trace(go.Scatter(x=list(values), y=list(names), mode="markers", marker=ring, hovertemplate=hover))
    mean, low, high = zip(*means, strict=True)
    ink = colour["sequential"][7]
    bars = {
        "type": "data", "symmetric": False, "array": [top - at for at, top in zip(mean, high, strict=True)],
        "arrayminus": [at - bottom for at, bottom in zip(mean, low, strict=True)], "thickness": 2.5, "width": 0,
        "color": ink,
    }  # fmt: skip
    figure.add_trace(
        go.Scatter(
            x=mean, y=list(names), mode="markers+text", error_x=bars, marker={"size": 10, "color": ink},
            text=[f"{value:.2f}" for value in mean], textposition="top center", textfont={"family": MONO},
            hovertemplate="all tasks, %{y}: %{x:.2f}<extra></extra>",
        )
    )  # fmt: skip
    lowest = min(0.0, *low, *(value for values in tasks.values() for value in values))
    figure.add_vline(x=0, line={"color": colour["muted"], "width": 1.25, "dash": "dot"})
    figure.update_xaxes(range=[lowest - 0.06, 1.04], title="rank correlation with what heads do", zeroline=False,
                        fixedrange=True, automargin=True)  # fmt: skip
    figure.update_yaxes(autorange="reversed", fixedrange=True, automargin=True)
    return figure
