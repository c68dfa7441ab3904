"""`mha.next_words`: numbers of known texts, given words, and the same answer as the pages give."""

import math

import numpy as np
import pytest

import mha
from mha.engine import writing

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
