"""The small figures of the Questions page say what they were given."""

import numpy as np
import pytest

from mha.figures.charts import effective_bars, interval_rows, lean_strip, learning_curves, saturation_curves
from mha.theme import THEMES, colours


@pytest.mark.parametrize("theme", THEMES)
def test_saturation_has_two_named_curves_on_a_log_axis(theme):
    figure = saturation_curves([2, 512], [0.4, 0.95], [0.33, 0.35], theme)
    assert [list(trace.y) for trace in figure.data] == [[0.4, 0.95], [0.33, 0.35]]
    assert figure.layout.xaxis.type == "log"
    assert [note.text.strip() for note in figure.layout.annotations] == ["not divided", "divided by √d"]
    assert figure.layout.annotations[0].x == pytest.approx(np.log10(512))
    assert figure.layout.template.layout.paper_bgcolor == colours(theme)["background"]


def test_bars_stand_in_the_order_of_the_layers_out_of_all_heads():
    figure = effective_bars([2.5, 1.25, 7], 11)
    assert list(figure.data[0].x) == [2.5, 1.25, 7]
    assert list(figure.data[0].text) == ["2.5", "1.2", "7.0"]
    assert tuple(figure.layout.xaxis.range) == (0, 11)
    assert figure.layout.yaxis.autorange == "reversed"


def test_learning_has_a_line_for_the_guesser():
    figure = learning_curves({"one head": ([0, 7], [0, 0.47]), "two heads": ([0, 7], [0, 1])}, 0.5, 7)
    assert figure.layout.shapes[0].y0 == figure.layout.shapes[0].y1 == 0.5
    assert [list(trace.y) for trace in figure.data] == [[0, 0.47], [0, 1]]
    assert {trace.line.dash for trace in figure.data} == {"solid", "dash"}
    assert learning_curves({"one head": ([], [])}, 0.5, 7).data[0].y == ()


def test_a_lean_has_its_shape_and_colour_and_shuffles_stand_under_it():
    leans, furthest = np.array([0.2, -0.1, 0.0]), np.array([0.3, -0.25])
    figure = lean_strip(leans, furthest, ["L0H0", "L0H1", "L0H2"])
    first, second, shuffles = figure.data
    assert (first.marker.symbol, list(first.x), list(first.text)) == ("circle", [0.2, 0.0], ["L0H0", "L0H2"])
    assert (second.marker.symbol, list(second.x), list(second.text)) == ("square", [-0.1], ["L0H1"])
    assert first.marker.color == colours()["reading_a"]["graphic"]
    assert list(shuffles.x) == [0.3, -0.25]
    low, high = figure.layout.xaxis.range
    assert -low == high > 0.3


@pytest.mark.parametrize("theme", THEMES)
def test_intervals_have_their_dots_rings_and_control_ranges(theme):
    figure = interval_rows(
        ["a", "b"], [(0.5, 0.25, 1), (-2, -3, -1)], "nats", {"task": [0.125, 0.75]}, [(-1, 0.5), (0, 3)], theme
    )
    control, rings, dots = figure.data
    assert [list(control.base), list(control.x)] == [[-1, 0], [1.5, 3]]
    assert control.hovertemplate.startswith("control, ")
    assert list(rings.x) == [0.125, 0.75]
    assert (list(dots.x), list(dots.text)) == ([0.5, -2], ["0.50", "−2.00"])
    assert (list(dots.error_x.array), list(dots.error_x.arrayminus)) == ([0.5, 1], [0.25, 1])
    assert figure.layout.xaxis.title.text == "nats"
    assert figure.layout.template.layout.paper_bgcolor == colours(theme)["background"]
