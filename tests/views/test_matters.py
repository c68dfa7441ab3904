"""Looks, adds, matters: the bundled example names two heads that pass their control; other texts name none."""

from dataclasses import replace

import numpy as np
import pytest

from mha.figures.charts import effect_scatter
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.views import matters

ROW = model_row("smollm2")
TEXT = "When Mary and John went to the store, John gave a drink to"


@pytest.fixture(scope="module")
def stored():
    found = matters.bundled_effects(TEXT, ("", ""), ROW)
    assert found is not None
    return found


def test_the_named_heads_pass_their_control(stored):
    heads = matters.named_heads(stored.example, stored.form)
    assert heads == (HeadId(24, 4), HeadId(23, 3))
    for head in heads:
        low, high = stored.form.matched_range[stored.form.heads.index(head)]
        mean = stored.form.head_matters[:, stored.form.heads.index(head)].mean()
        assert not low <= mean <= high


def test_no_head_is_named_without_its_control(stored):
    failing = replace(stored.form, head_matters=np.zeros_like(stored.form.head_matters))
    assert matters.named_heads(stored.example, failing) == ()
    assert matters.named_heads(stored.example, None) == ()
    assert "No head is named" in matters.finding(stored.example, ())
    behind = replace(stored.example, log_probability=np.array([-3.0, -1.5]))
    assert matters.finding(behind, ()).startswith("*John* leads *Mary* by 1.5 logits.")


def test_sentences_follow_the_signs(stored):
    effects, heads = stored.example, matters.named_heads(stored.example, stored.form)
    assert matters.finding(effects, heads) == (
        "The head that looks hardest at *Mary* makes *Mary* less likely. "
        "The head that adds most to *Mary* looks at *John*."
    )
    turned = replace(effects, direct=np.where(effects.direct < 0, 0.1, effects.direct))
    assert "makes *Mary* more likely" in matters.finding(turned, heads)
    assert "Which head adds more to *Mary*?" in matters.question(effects)
    assert "−1.06 to *Mary* over *John*" in matters.head_rows(effects, heads[0])
    assert "In 200 other sentences" in matters.control_text(stored, heads)
    assert "The other heads of the layer, moved as far from their outputs, change it by −" in matters.control_text(
        stored, heads
    )
    assert "In 200 other sentences" not in matters.control_text(stored, ())


@pytest.mark.parametrize(("text", "words"), [("Hi there", ("", "")), (TEXT, ("John", "Mary"))])
def test_other_texts_and_words_have_no_bundled_effects(text, words):
    assert matters.bundled_effects(text, words, ROW) is None


def test_the_scatter_has_a_mark_a_head(stored):
    effects = stored.example
    figure = effect_scatter(effects.looks, effects.direct, effects.matters, stored.form.limit, ("a<b", "c"), ["L24H4"])
    assert sum(len(trace.x) for trace in figure.data) == 270
    assert [text for trace in figure.data for text in trace.text if text] == ["L24H4"]
    assert "a&lt;b" in figure.data[1].name
    alone = effect_scatter(effects.looks, effects.direct, effects.matters, None, effects.words)
    assert [len(trace.x) for trace in alone.data] == [270, 0, 0]


def test_table_has_a_row_a_head(stored):
    table = matters.table(stored.example)
    assert list(table) == ["head", "looks", "adds", "matters"]
    assert len(table["head"]) == len(table["adds"]) == 270
