"""`mha.next_words`: numbers of known texts, given words, and the same answer as the pages give."""

import math

import numpy as np
import pytest

import mha
from mha.engine import writing
from mha.errors import InputError

FRANCE = "The capital of France is"
TEXT = "moon fish table moon fish"


def test_numbers_of_smollm2_are_those_that_the_page_had():
    found = mha.next_words(FRANCE, "smollm2", ["London", "Madrid"], ["L23H4", "L0H1"])
    assert found.words == ("Paris", "the", "London", "Le", "New", "Madrid"), "London is one of the five"
    assert found.sweep.ids == (7042, 260, 4528, 2250, 1315, 28030)
    np.testing.assert_allclose(found.probability[[0, 2, 5]], [0.772533, 0.012471, 0.000738], atol=2e-6)
    np.testing.assert_allclose(found.after[[0, 2, 5]], [0.088032, 0.150262, 0.033341], atol=1e-5)
    assert found.likeliest_after == "the"
    assert found.last_token == "is"
    before, after = found.log_ratio("Paris", "London")
    assert before == pytest.approx(math.log(found.probability[0] / found.probability[2]))
    assert after == pytest.approx(math.log(0.088032 / 0.150262), abs=1e-4)


def test_pages_answer_the_same_from_bundled_results_and_from_passes():
    bundled = writing.next_words(FRANCE, "smollm2", (), (mha.HeadId(23, 4),))
    measured = mha.next_words(FRANCE, "smollm2", ablated=["L23H4"])
    np.testing.assert_allclose(bundled.after, measured.after, rtol=2e-3)
    assert bundled.likeliest_after == measured.likeliest_after == "the"
    page = writing.next_words(TEXT, "copier", ("rope",), (mha.HeadId(1, 2),))
    found = mha.next_words(TEXT, "copier", ["rope"], ["L1H2"])
    np.testing.assert_allclose(page.after, found.after, rtol=1e-6)
    assert page.words == found.words == ("table", "moon", "fish", "paper", "ship", "rope")


def test_changes_of_a_sweep_are_in_points_and_in_nats():
    *_, sweep = mha.iter_word_sweep(TEXT, "copier", words=2)
    prediction = mha.predict(TEXT, "copier", count=sweep.ids, ablated=["L1H2"])
    change = prediction.ablated_probabilities - prediction.probabilities
    assert sweep.change_of(1)[1, 2] == pytest.approx(change[1], abs=1e-6)
    ratio = np.log(prediction.ablated_probabilities / prediction.probabilities)
    assert sweep.change_of(0, 1)[1, 2] == pytest.approx(ratio[0] - ratio[1], abs=1e-5)
    assert [sweep.index_of(word) for word in ("", "table", "moon", "chair")] == [0, 0, 1, None]


def test_one_head_word_or_cut_may_be_given_alone():
    alone = mha.next_words(TEXT, "copier", "rope", "L1H2", cut="L1H0:5-3")
    listed = mha.next_words(TEXT, "copier", ["rope"], ["L1H2"], cut=["L1H0:5-3"])
    assert (alone.words, alone.ablated, alone.cut) == (listed.words, listed.ablated, listed.cut)
    assert alone.words[-1] == "rope"
    np.testing.assert_array_equal(alone.after, listed.after)
    comparison = mha.compare("The old man sat.", "The young man sat.", ablated="L0H1", controls="tall")
    assert (comparison.ablated, comparison.controls.words) == ((mha.HeadId(0, 1),), ("tall",))


def test_heads_may_be_an_array():
    heads = np.array([[1, 0], [1, 3]])
    names = ["L1H0", "L1H3"]
    np.testing.assert_array_equal(
        mha.next_words(TEXT, "copier", ablated=heads).after, mha.next_words(TEXT, "copier", ablated=names).after
    )
    in_turn = mha.predict(TEXT, "copier", ablated_in_turn=heads).probabilities_in_turn
    np.testing.assert_array_equal(in_turn, mha.predict(TEXT, "copier", ablated_in_turn=names).probabilities_in_turn)
    assert mha.compare("The old man", "The young man", ablated=heads).ablated == ((1, 0), (1, 3))
    induction = mha.induction("copier", ablate=heads, n_tokens=5, n_sequences=1, n_copies=1)
    assert induction.ablated == ((1, 0), (1, 3))


def test_word_of_the_estimate_is_typed_or_a_token_id():
    number = mha.predict(TEXT, "copier", ["rope"]).ids[0]
    typed, by_id = (
        [sweep.likeliest for sweep in mha.iter_word_sweep(TEXT, "copier", rows=1, order="estimate", word=word)]
        for word in ("rope", number)
    )
    np.testing.assert_array_equal(typed, by_id)


@pytest.mark.parametrize("words", [[1.7], 2.5, [10**30], [None], None, [[3]]])
def test_words_that_are_no_token_ids_are_refused(words):
    with pytest.raises(InputError, match="Copier has token ids 0 to 50; you asked for"):
        next(mha.iter_word_sweep(TEXT, "copier", words))
