"""The chart of Whole model: all heads by two measures."""

import numpy as np
import plotly.graph_objects as go

from mha.figures.charts import SQUARE, _figure
from mha.theme import MONO, colours


def head_scatter(
    x: np.ndarray, y: np.ndarray, titles: tuple[str, str], shares: tuple[bool, bool] = (False, False),
    theme: str = "light",
) -> go.Figure:  # fmt: skip
    """Return one dot a head by two measures, float64 [layer, head]; ``shares`` are axes in per cent.

    The first and the last head on each axis have their names. ``customdata`` of a point is the name of its head.
    """
    colour, figure = colours(theme), _figure(theme, 28)
    names = [f"L{layer}H{head}" for layer, head in np.ndindex(x.shape)]
    finite = np.flatnonzero(np.isfinite(x.ravel()) & np.isfinite(y.ravel()))
    right, up = x.ravel()[finite], y.ravel()[finite]
    extremes = {*np.argsort(right)[[0, -1]].tolist(), *np.argsort(up)[[0, -1]].tolist()} if len(finite) else set()
    across, upwards = (
        f"{title} %{{{axis}:{'.0%' if is_share else '.4~f'}}}"
        for title, axis, is_share in zip(titles, "xy", shares, strict=True)
    )
    figure.add_trace(
        go.Scatter(
            x=right, y=up, mode="markers+text", customdata=[names[place] for place in finite],
            text=[names[place] if number in extremes else "" for number, place in enumerate(finite)],
            textposition="top center", textfont={"family": MONO, "size": 13},
            marker={"size": 10, "color": colour["accent"], "opacity": 0.7,
                    "line": {"color": colour["background"], "width": 1}},
            hovertemplate=f"%{{customdata}}: {across}, {upwards}<extra></extra>",
        )
    )  # fmt: skip
    line = {"showgrid": True, "gridcolor": colour["border"]}
    ticks = [_share_axis(values) if is_share else {} for values, is_share in zip((right, up), shares, strict=True)]
    figure.update_xaxes(line | ticks[0], title=f"{titles[0]} →")
    figure.update_yaxes(line | ticks[1], title=f"{titles[1]} →")
    figure.update_layout(height=SQUARE + 40)
    return figure


def _share_axis(values: np.ndarray) -> dict[str, object]:
    """Return an axis in per cent that begins at 0 and is at least 5 % long, so that no tick occurs twice."""
    top = max(0.05, float(values.max(initial=0)))
    return {"tickformat": ".0%", "range": [-0.04 * top, 1.08 * top], "nticks": 6}
