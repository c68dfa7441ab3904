"""Whole model: sentences and component data from hand-made numbers, and one sentence of any model."""

import dataclasses

import numpy as np

from mha.maps import HeadId
from mha.views import whole as views
from tests.views.profiles import MEASURES, values, whole_model, with_measures


def test_finding_counts_similar_heads_as_one_with_its_control():
    whole = whole_model()
    assert views.finding(whole) == "Counting similar heads as one, the 12 heads of MiniLM look in 3.9 ways."
    assert views.explanation(whole).startswith("Without attention sinks: 4.7. In a scrambled copy of the model: 2.4.")
    assert "over 13 words of 2 sample sentences, with all heads on" in views.explanation(whole)


def test_one_sentence_has_no_number_of_ways():
    measures = {key: number for key, number in MEASURES.items() if key not in ("contribution", "deviation", "effect")}
    whole = whole_model(measures=measures, different=(), texts=("The dog",))
    assert views.finding(whole) == "12 heads of MiniLM in one sentence."
    assert views.explanation(whole).startswith("One sentence is not a pattern.")
    assert "effect" not in whole.measures


def test_effect_of_an_encoder_and_of_a_decoder_have_their_units():
    assert whole_model().measures["effect"].unit == views.COSINE
    assert whole_model("smollm2", n_places=3).measures["effect"].unit == views.NATS


def test_chart_label_names_the_ends():
    label = views.chart_label(whole_model(), "sink_share", "effect")
    assert "Furthest right: L0H0, 60\xa0%; highest: L0H0, 0.00400." in label


def test_grid_has_a_number_of_every_head():
    unknown = values(0.634)
    unknown[1, 5] = np.nan
    data = views.grid_data(whole_model(**with_measures(previous_word=unknown)), "previous_word")
    assert (data["texts"][0], data["shades"][0], data["states"][-1]) == ("63", 1, "within")
    assert data["details"][0] == "63\xa0%"
    assert data["texts"][11] == ""


def test_similar_pairs_are_listed_once():
    pairs = views.similar_pairs(whole_model())
    assert pairs[0] == (HeadId(0, 0), HeadId(1, 0), 0.9)
    assert len({(first, second) for first, second, _ in pairs}) == len(pairs) == 10


def test_table_for_download_has_all_measures():
    table = views.download_table(whole_model())
    assert {"head", "effect_mean", "deviation_mean", "contribution_of_sinks"} <= set(table.columns)
    assert len(table.columns["head"]) == 12


def test_measure_of_a_model_without_bundled_numbers_is_that_of_the_text():
    row = dataclasses.replace(whole_model("toy").model)
    whole = views.measure(row, "Money Bank")
    assert whole.text == "Money Bank"
    assert not whole.profiles.is_bundled
    assert not views.has_bundled_numbers(row)
    assert views.finding(whole).endswith("in one sentence.")
