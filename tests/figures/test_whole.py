"""The chart of Whole model: a point a head with its name."""

import numpy as np

from mha.figures.charts import head_scatter


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
