"""What the sections under the pinned heads say and show: one layer, the table, the foot. No Streamlit, no model."""

import csv
import dataclasses
import io
from types import SimpleNamespace

import numpy as np
import pytest

from mha.analysis.statistics import STATISTICS, head_statistics
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Recording, Token
from mha.models.files.catalog import model_row
from mha.screens.heads import layer, table
from mha.screens.heads.picture import Picture, foot, picture_of
from mha.screens.shown import GRID_TOKENS, shown_for

OFF = (HeadId(0, 0), HeadId(1, 2))


def text_of(said):
    return "".join(part if isinstance(part, str) else "".join(span[1] for span in part) for part in said)


@pytest.fixture
def picture(shown):
    """The maps of five words, two heads switched off, one of the others pinned."""
    view = View(text=shown.text, pins=(HeadId(1, 0),), off=OFF)
    return picture_of(view, Recording(shown), shown.text)


def test_a_head_that_is_off_is_left_out_of_figure_caption_and_table(picture):
    assert layer.heads_on(picture.shown) == [HeadId(1, 0), HeadId(1, 1)]
    figure = layer.layer_figure(picture, "light", narrow=False)
    assert [note["text"] for note in figure["layout"]["annotations"]][0::2] == ["L1H0", "L1H1"]
    said = text_of(layer.layer_caption(picture))
    assert said.startswith("Layer 1, 2 of 3 heads, 1 switched off and left out. Rows look at columns")
    assert said.endswith("nothing had to be [[set aside]]. This layer was chosen for you, after the first pinned head.")
    heads = table.table_heads(picture.shown)
    assert heads == [HeadId(1, 0), HeadId(0, 1), HeadId(0, 2), HeadId(1, 1)], "pinned ones first"
    assert "4 of 6 heads" in table.table_caption(picture.shown, heads)


def test_the_table_has_the_numbers_of_the_statistics_and_the_file_those_of_every_head(picture, shown):
    heads = table.table_heads(picture.shown)
    columns = table.table_columns(shown, heads)
    assert list(columns) == ["Head", *(column.name for column in table.COLUMNS)]
    found = head_statistics(shown)
    for row in STATISTICS:
        expected = [found[row.key][head] * (100 if row.unit == "share" else 1) for head in heads]
        np.testing.assert_allclose(columns[row.title], expected, rtol=1e-6)
    assert table.statistics(shown) is table.statistics(shown), "measured once"
    rows = list(csv.DictReader(io.StringIO(table.table_file(shown).decode("utf-8"), newline="")))
    assert [row["head"] for row in rows] == [str(head) for head in shown.heads]


def test_where_a_layer_cannot_be_drawn_a_sentence_says_why(shown):
    everything = shown_for(View(text=shown.text, off=shown.heads[3:], layer=1), shown)
    assert layer.why_not(everything) == "Every head of layer 1 is switched off. Choose one above, or press All."
    n_words = GRID_TOKENS + 1
    words = tuple(Token(f"w{number}", word=number) for number in range(n_words))
    long = AttentionMaps(np.full((1, 2, n_words, n_words), 1 / n_words), words, units="words")
    assert layer.why_not(shown_for(View(), long)) == (
        "Head by head needs 128 words or fewer; this text has 129. The overview above shows all of them."
    )
    assert layer.why_not(shown_for(View(text=shown.text), shown)) == ""


def test_the_foot_says_what_the_numbers_are(picture, shown):
    assert text_of(foot(picture)).startswith("MiniLM (")
    assert "pretrained, 6 layers × 12 [[heads|head]]. Words: attention to a word is the sum" in text_of(foot(picture))
    assert "other weights could give the same output" not in text_of(foot(picture))
    narrow = SimpleNamespace(**{**dataclasses.asdict(picture.row), "d_head": 4})
    few = Picture(picture.view, picture.recording, picture.shown, narrow)
    assert "more tokens than a head has numbers (4)" in text_of(foot(few))
    toy = dataclasses.replace(picture, row=model_row("toy"))
    assert "Random numbers for these words: the shape is real, the meaning is not." in text_of(foot(toy))


def test_another_text_than_was_asked_for_has_no_locked_word(shown):
    weights = shown.weights.copy()
    weights[0, 0, 4], weights[0, 2, 4] = (0, 0, 1, 0, 0), (0, 1, 0, 0, 0)  # cat at saw, and at dog
    both = dataclasses.replace(shown, weights=weights)
    assert picture_of(View(text="x"), Recording(both), "x").shown.lock is None
    assert picture_of(View(text=both.text), Recording(both), both.text).shown.lock == 4
