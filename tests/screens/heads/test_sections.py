"""What the sections under the pinned heads say and show: the table, the foot. No Streamlit, no model."""

import csv
import dataclasses
import io
from types import SimpleNamespace

import numpy as np
import pytest

from mha.analysis.statistics import WORD_STATISTICS, word_statistics
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Recording, Token
from mha.models.files.catalog import model_row
from mha.screens.blocks import as_text
from mha.screens.heads import all_heads
from mha.screens.heads.picture import Picture, foot, measured, picture_of
from mha.screens.shown import shown_for


@pytest.fixture
def picture(shown):
    """The maps of five words, one head pinned."""
    view = View(text=shown.text, pins=(HeadId(1, 0),))
    return picture_of(view, Recording(shown), shown.text)


@pytest.mark.parametrize("aside", [(True,), (False,), (True, False)])
def test_the_table_has_the_numbers_of_the_statistics_and_the_file_those_of_every_head(picture, shown, aside):
    heads = shown.heads
    found, about = all_heads.table_columns(shown, heads, aside)
    assert list(found) == ["Head", *about]
    assert len(about) == len(aside) * (len(WORD_STATISTICS) - 1) + 1, "the share set aside stands once"
    asked = [(row, one) for row in WORD_STATISTICS for one in aside[: 1 if row.key == "sink_share" else 2]]
    for (name, (label, said, written)), (row, without) in zip(about.items(), asked, strict=True):
        assert label.startswith(row.title)
        assert (f", sinks {'excluded' if without else 'included'}" in said) == (name != row.title)
        scale = 100 if written.endswith("%%") else 1
        expected = [word_statistics(shown, without)[row.key][head] * scale for head in heads]
        np.testing.assert_allclose(found[name], expected, rtol=1e-6)
    assert all_heads.statistics(shown, True) is all_heads.statistics(shown, True), "measured once"
    rows = list(csv.DictReader(io.StringIO(all_heads.table_file(lambda: picture, aside).decode("utf-8"), newline="")))
    assert [row["head"] for row in rows] == [str(head) for head in shown.heads] * len(aside)


@pytest.fixture
def words():
    """A head of two between [CLS], three words and [SEP], whose looks at the marks are large."""
    tokens = (
        Token("[CLS]", special=True),
        *(Token(text, text, number, start=2 * number, end=2 * number + 1) for number, text in enumerate("abc")),
        Token("[SEP]", special=True),
    )
    weights = np.random.default_rng(5).dirichlet((5, 1, 1, 1, 3), size=(2, 3, 5)).astype(np.float32)
    return AttentionMaps(weights, tokens, text="a b c", model="MiniLM", units="words")


def test_the_table_of_a_causal_model_has_no_next_word(words):
    causal = dataclasses.replace(words, weights=np.tril(words.weights), causal=True)
    found, about = all_heads.table_columns(causal, causal.heads, (False,))
    assert "Next word" not in found
    assert "Previous word" in about
    shown = shown_for(View(text=words.text), causal)
    line = all_heads.table_caption(shown, (False,))
    assert "No column “Next word”: A left-to-right model cannot attend to a later word." in line


def test_the_table_follows_the_pictures_unless_both_are_asked_for(words):
    for aside in (True, False):
        shown = shown_for(View(text=words.text, sinks=aside), words)
        assert all_heads.settings(shown, "as drawn") == (aside,)
        assert all_heads.settings(shown, "both") == (True, False)
        caption = all_heads.table_caption(shown, (aside,))
        assert caption.startswith(f"Measured on words, {'without' if aside else 'with'} {{sinks}}.")
    assert all_heads.sink_names(shown.sinks) == "[CLS] and [SEP]"
    one = shown_for(View(), dataclasses.replace(words, weights=words.weights[:1, :1]))
    assert all_heads.table_caption(one, (True,)).endswith(" 1 head.")


def test_the_foot_says_what_the_numbers_are(picture, shown):
    assert as_text(foot(picture)) == "MiniLM, pretrained, 6 layers × 12 heads. Looking is not explaining."
    assert ("term", "heads", "head") in foot(picture)
    assert "Attention to a word is the sum" in as_text(measured(picture))
    assert "other weights could give the same output" not in as_text(measured(picture))
    narrow = SimpleNamespace(**{**dataclasses.asdict(picture.row), "d_head": 3})
    few = Picture(picture.view, picture.recording, picture.shown, narrow)
    assert "This text has more tokens than a head has numbers (3)" in as_text(measured(few))
    toy = dataclasses.replace(picture, row=model_row("toy"))
    assert "For your words this model has random numbers." in as_text(foot(toy))
    assert as_text(foot(toy)).startswith("Toy, toy example, 1 layer × 2 ")


def test_another_text_than_was_asked_for_has_no_locked_word(shown):
    weights = shown.weights.copy()
    weights[0, 0, 4], weights[0, 2, 4] = (0, 0, 1, 0, 0), (0, 1, 0, 0, 0)  # cat at saw, and at dog
    both = dataclasses.replace(shown, weights=weights)
    assert picture_of(View(text="x"), Recording(both), "x").shown.lock is None
    assert picture_of(View(text=both.text), Recording(both), both.text).shown.lock == 4
