"""What a figure holds: cells, words, patterns, escapes. 2 layers × 3 heads, five words."""

import dataclasses

import numpy as np

from mha.figures.heatmaps import DIRECTION, describe_layer, head_heatmap, layer_heatmaps, layer_spec
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
