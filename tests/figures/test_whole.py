"""The chart of Whole model: a point a head with its name."""

import itertools

import numpy as np

from mha.figures.charts import head_scatter
from mha.models.files.catalog import model_row
from mha.views import whole


def test_scatter_has_a_point_a_head_with_its_name():
    x, y = np.array([[0.1, 0.9], [np.nan, 0.4]]), np.array([[3.0, 1.0], [2.0, 2.5]])
    figure = head_scatter(x, y, ("Attention sinks", "Entropy"), (True, False))
    (points,) = figure.data
    assert list(points.customdata) == ["L0H0", "L0H1", "L1H1"], "a head without a number has no point"
    assert list(points.text) == ["L0H0", "L0H1", ""]
    assert figure.layout.xaxis.tickformat == ".0%"
    assert figure.layout.xaxis.range[1] > 0.9


def test_an_axis_of_small_shares_is_five_per_cent_long():
    zero = np.zeros((1, 3))
    assert head_scatter(zero, zero, ("a", "b"), (True, True)).layout.xaxis.range[1] > 0.05


def test_names_overlap_nowhere_on_a_phone():
    """The drawing area has 280 × 360 px, a name 48 × 16 px, above its point."""
    for name in ("minilm", "smollm2"):
        case = whole.measure(model_row(name))
        for x, y in itertools.permutations(case.measures, 2):
            shares = tuple(case.measures[key].unit == whole.SHARE for key in (x, y))
            figure = head_scatter(case.values(x), case.values(y), (x, y), shares)
            (trace,), layout = figure.data, figure.layout
            named = [number for number, text in enumerate(trace.text) if text]
            lengths = (
                np.ptp(axis.range) if axis.range else 1.13 * np.ptp(values)
                for axis, values in ((layout.xaxis, trace.x), (layout.yaxis, trace.y))
            )
            right, up = 280 * trace.x / next(lengths), 360 * trace.y / next(lengths)
            assert {np.argmax(trace.y)} <= set(named)
            for a, b in itertools.combinations(named, 2):
                assert abs(right[a] - right[b]) > 48 or abs(up[a] - up[b]) > 16, (name, x, y)
