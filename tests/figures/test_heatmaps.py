"""What a figure holds: cells, words, patterns, escapes. 2 layers × 3 heads, five words."""

import dataclasses
import itertools

import numpy as np
import pytest

from mha.analysis.sinks import set_aside
from mha.errors import InputError
from mha.figures.heatmaps import DIRECTION, describe_layer, grid, head_heatmap, layer_heatmaps, layer_spec
from mha.maps import AttentionMaps, Token

HOSTILE = ("<b>", "a&b", "%{x}", "the", "the")


def maps_of(texts: tuple[str, ...] = HOSTILE, causal: bool = False) -> AttentionMaps:
    n = len(texts)
    weights = np.random.default_rng(5).dirichlet(np.ones(n), size=(2, 3, n))
    tokens = tuple(Token(text, word=word) for word, text in enumerate(texts))
    return AttentionMaps(np.tril(weights) if causal else weights, tokens, causal=causal, model="MiniLM")


def heatmaps_in(figure) -> list:
    return [trace for trace in figure.data if trace.type == "heatmap"]


def patterns_in(figure) -> list:
    return [trace for trace in figure.data if trace.type == "scatter"]


def test_every_head_is_a_heatmap_of_its_weights_on_one_colour_axis():
    maps = maps_of()
    figure = layer_heatmaps(maps, [(1, 0), (1, 2)])
    first, second = heatmaps_in(figure)
    np.testing.assert_array_equal(first.z, maps[1, 0])
    np.testing.assert_array_equal(second.z, maps[1, 2])
    assert (first.coloraxis, second.coloraxis) == ("coloraxis", "coloraxis")
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)
    assert not patterns_in(figure)


def test_words_stand_on_both_axes_escaped_and_rows_run_downwards():
    figure = layer_heatmaps(maps_of(), [(0, 0)])
    expected = ("&lt;b&gt;", "a&amp;b", "%{x}", "the", "the")
    axes = figure.layout.template.layout  # what all axes share
    assert axes.xaxis.ticktext == axes.yaxis.ticktext == expected
    assert figure.layout.yaxis.range == (4.5, -0.5)
    assert figure.layout.yaxis.scaleanchor == "x"  # square cells
    templates = {trace.hovertemplate for trace in heatmaps_in(figure)}
    assert templates == {"%{y} → %{x}<br>%{z:.1%}<extra></extra>"}  # no word ever enters a template
    assert DIRECTION in [annotation.text for annotation in figure.layout.annotations]


def test_columns_of_a_text_from_right_to_left_run_as_those_of_any_text():
    left, right = (dataclasses.replace(maps_of(), text=text) for text in ("the dog", "הכלב אכל"))
    one, other = (layer_spec(maps, maps.heads)["layout"] for maps in (left, right))
    for axis in ("xaxis", "xaxis2", "yaxis2"):
        assert other[axis] == one[axis]
    assert DIRECTION in [note.get("text") for note in other["annotations"]]
    assert "from right to left" not in describe_layer(right, right.heads)


def test_cells_hidden_by_a_mask_are_absent_and_hatched_not_zero():
    maps = maps_of(causal=True)
    figure = layer_heatmaps(maps, [(0, 0)])
    cells = np.array(heatmaps_in(figure)[0].z, dtype=float)
    assert np.isnan(cells[~maps.visible]).all()
    assert not np.isnan(cells[maps.visible]).any()
    (hatch,) = patterns_in(figure)
    assert hatch.fillpattern.shape == "/"
    assert hatch.x[:4] == (0.5, 4.5, 4.5, 0.5)  # the first row is hidden from the second word on


def test_empty_rows_look_empty():
    tokens = (Token("[CLS]", special=True), Token("a", word=0), Token("b", word=1))
    weights = np.array([[1, 0, 0], [0.995, 0.005, 0], [0.5, 0.25, 0.25]], dtype=np.float32)[None, None]
    aside = set_aside(AttentionMaps(weights, tokens))
    figure = layer_heatmaps(aside.maps, [(0, 0)], empty=aside.empty)
    cells = np.array(heatmaps_in(figure)[0].z, dtype=float)
    assert np.isnan(cells[0]).all()
    assert cells[1].tolist() == [0.5, 0.5]
    assert [trace.fillpattern.shape for trace in patterns_in(figure)] == ["."]
    assert describe_layer(aside.maps, [(0, 0)], empty=aside.empty).endswith("L0H0: b looks at a, 50\u00a0%.")


def test_long_texts_travel_as_whole_per_cents_without_labels():
    maps = maps_of(tuple(f"w{number}" for number in range(53)), causal=True)
    figure = layer_heatmaps(maps, [(0, 0), (0, 1)])
    cells = heatmaps_in(figure)[0]
    assert np.array(cells.z).dtype == np.uint8
    assert figure.layout.coloraxis.cmax == 100
    assert np.array(cells.z).max() == round(100 * float(maps[0, 0].max()))
    assert not figure.layout.xaxis.showticklabels
    assert figure.layout.template.layout.xaxis.ticktext[52] == "w52"  # pointing still names the word
    assert patterns_in(figure)


def test_a_head_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="MiniLM has heads L0H0 to L1H2; you asked for L9H0"):
        layer_heatmaps(maps_of(), [(9, 0)])
    with pytest.raises(InputError, match="no head to draw"):
        layer_heatmaps(maps_of(), [])


def test_one_head_for_a_notebook_carries_numbers_and_its_origin():
    maps = dataclasses.replace(maps_of(causal=True), origin="pretrained")
    figure = head_heatmap(maps, (1, 2))
    assert figure.layout.annotations[0].text == "L1H2, MiniLM, pretrained"
    assert figure.data[0].text[1][0] == str(round(100 * float(maps[1, 2][1, 0])))
    assert figure.data[0].text[0][1] == ""
    assert figure.layout.width == 560
    long = maps_of(tuple(f"w{number}" for number in range(17)))
    assert head_heatmap(long, (0, 0)).data[0].text is None


def test_half_a_per_cent_is_rounded_as_on_the_pages():
    long = maps_of(tuple(f"w{number}" for number in range(56)))
    weights = np.zeros((1, 1, 56, 56))
    weights[..., :8] = 1 / 8
    even = AttentionMaps(weights[..., :8, :8], long.tokens[:8])
    assert set(head_heatmap(even, (0, 0)).data[0].text.ravel()) == {"13"}  # 12.5, and no 12
    drawn = heatmaps_in(layer_heatmaps(dataclasses.replace(long, weights=weights), [(0, 0)]))[0]
    assert set(np.array(drawn.z).ravel().tolist()) == {0, 13}


def test_the_figure_of_a_layer_stays_small():
    maps = maps_of(tuple(f"w{number}" for number in range(7)))
    assert len(layer_heatmaps(maps, [(0, 0), (0, 1), (0, 2)] * 4).to_json()) < 25_000


def test_the_description_names_the_strongest_look_of_each_head():
    weights = np.full((1, 2, 3, 3), 0.2, dtype=np.float32)
    weights[0, 0, 2, 0] = 0.6
    weights[0, 1, 0, 2] = 0.5
    maps = AttentionMaps(weights, tuple(Token(text, word=i) for i, text in enumerate(("the", "man", "the"))))
    assert describe_layer(maps, [(0, 0), (0, 1)]) == (
        "2 heatmaps; row attends to column; 3 rows (the₁, man, the₂); colour: share of a row. "
        "L0H0: the₂ looks at the₁, 60\u00a0%. L0H1: the₁ looks at the₂, 50\u00a0%."
    )
    one = AttentionMaps(np.ones((1, 1, 1, 1)), (Token("Run", word=0),))
    assert describe_layer(one, [(0, 0)]).startswith("1 heatmap; row attends to column; 1 row (Run); ")


def test_columns_give_way_to_legible_words():
    assert [grid(2, n, n, longest=9, width=520).columns for n in (7, 18, 19)] == [2, 2, 1]
    assert not grid(2, 60, 60, longest=9, width=520).labelled
    assert [grid(2, 7, 7, longest=9, width=width).columns for width in (520, 200)] == [2, 1]


def test_maps_stand_inside_the_figure_and_do_not_overlap():
    boxes = grid(3, 7, 7, longest=9, width=520).boxes
    assert all(0 <= x0 < x1 <= 1 + 1e-9 and 0 <= y0 < y1 <= 1 for x0, x1, y0, y1 in boxes)
    assert all(left[1] < right[0] for left, right in itertools.pairwise(boxes))
    below = grid(2, 30, 30, longest=9, width=520)
    assert below.boxes[1][3] < below.boxes[0][2]
    assert [below.last_in_column(number) for number in range(2)] == [False, True]
