"""The walk with a model's numbers: by hand and recorded agree, for toys and for the bundled model."""

import dataclasses

import numpy as np
import pytest

from mha.errors import InputError
from mha.maps import HeadId
from mha.models.attending import record_text
from mha.permalink import View
from mha.ui.captions import spans
from mha.ui.shown import shown_for
from mha.ui.steps_arrays import arrays
from mha.ui.steps_formulas import two_lines
from mha.ui.steps_lesson import STEPS, Choices
from mha.ui.steps_model import by_hand, hero, model_cell, said, so, token_of, vectors

TEXT = "The man saw an astronomer with a telescope"
KEEP = ("query", "key", "value")


def cell_of(recording, layer=None, **choices):
    return model_cell(recording, shown_for(View(), recording.maps), Choices(**choices), layer)


@pytest.fixture
def toy():
    return record_text(TEXT, "toy")


@pytest.fixture(scope="module")
def minilm():
    return record_text("Playing footballers sat on the mat.", keep=KEEP)


def test_the_toy_by_hand_is_what_was_recorded(toy):
    made = cell_of(toy, head=0, query=7, key=1)
    assert made.head == HeadId(0, 0)
    assert made.agrees
    assert made.weight == pytest.approx(69.6 / 76.6, abs=1e-3)
    assert "91\u00a0%" in [line[1] for line in by_hand(made)]


@pytest.mark.parametrize("head", [HeadId(0, 1), HeadId(2, 3), HeadId(5, 11)])
def test_every_cell_of_a_recorded_head_agrees_with_the_recorded_weights(minilm, head):
    n = minilm.maps.n_keys
    for query in range(n):
        made = cell_of(minilm, layer=head.layer, head=head.head, query=query, key=n // 2)
        np.testing.assert_allclose(made.by_hand.weights, minilm.maps[head][query], atol=1e-5)
        assert made.agrees


def test_what_is_gathered_is_the_weighted_sum_of_values(minilm):
    made = cell_of(minilm, layer=3, head=2, query=2, key=4)
    expected = minilm.maps[3, 2][2] @ minilm.value[3, 2]
    np.testing.assert_allclose(made.found, expected, atol=1e-5)
    found = arrays(vectors(made, 8)["root"])
    np.testing.assert_allclose(found["value_16"]["values"][1], expected[16:], atol=1e-5)
    assert [name for name, one in found.items() if one["now"]] == ["value_0", "value_16"]


def test_the_products_add_up_to_the_score(minilm):
    made = cell_of(minilm, layer=1, head=4, query=1, key=2)
    found = arrays(vectors(made, 4)["root"])
    products = sum(sum(found[f"vectors_{start}"]["values"][2]) for start in (0, 16))
    assert products == pytest.approx(made.by_hand.score, abs=1e-4)
    assert found["row"]["values"][0][2] == pytest.approx(made.by_hand.score, abs=1e-4)


def test_without_a_choice_it_is_the_strongest_look_of_the_first_pinned_head(toy):
    shown = shown_for(View(pins=(HeadId(0, 1),)), toy.maps)
    made = model_cell(toy, shown, Choices(), None)
    assert made.head == HeadId(0, 1)
    assert {made.names[made.query], made.names[made.key]} == {"astronomer", "telescope"}


def test_a_word_on_the_axis_leads_to_its_first_token(minilm):
    shown = shown_for(View(), minilm.maps)
    for place, piece in enumerate(shown.maps.tokens):
        token = minilm.maps.tokens[token_of(shown, place, minilm)]
        assert (token.start, token.word) == (piece.start, piece.word)


def test_a_head_or_token_that_is_not_there_gets_a_sentence(minilm):
    made = cell_of(minilm, layer=9, head=0, query=500, key=0)
    assert "L0H0 to L5H11; the link asks for L9H0" in made.notes[0]
    assert "tokens, counted from 0" in made.notes[1]
    assert made.query == minilm.maps.n_keys - 1


def test_a_recording_without_vectors_is_refused(minilm):
    with pytest.raises(InputError, match="keep=\\('query',\\)"):
        cell_of(dataclasses.replace(minilm, query=None))


def test_a_model_that_adds_to_its_scores_is_not_said_to_agree(minilm):
    made = cell_of(minilm)
    made = dataclasses.replace(made, weight=made.by_hand.weight - 0.02)
    assert not made.agrees
    assert "2.0 points away" in "".join(span[1] for span in so(made))
    assert "adds something to its scores" in "".join(span[1] for span in so(made))


def test_every_step_has_its_words_with_the_sizes_filled_in(minilm):
    made = cell_of(minilm)
    for number in range(1, len(STEPS) + 1):
        idea, formula = said(made, number)
        assert spans(idea)
        assert "{" not in idea
        written = two_lines(formula)
        assert written.count("{") == written.count("}")
    assert hero(made)["root"]["parts"][0]["quiet"] == [0, minilm.maps.n_keys - 1]
