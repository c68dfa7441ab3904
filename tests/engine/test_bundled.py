"""The bundled recordings are those of the live model, hold no objects, and are not needed for the app to work."""

import dataclasses
import zipfile

import numpy as np
import pytest

import mha
from mha.analysis.ablation_control import BANDS, ablation_control
from mha.analysis.usual import column, habit
from mha.assets import model_file
from mha.engine import bundled as module
from mha.engine.bundled import (
    bundled,
    bundled_next_words,
    bundled_positions,
    bundled_ranks,
)
from mha.engine.recordings import LocalEngine, Request
from mha.examples import DEFAULT_TEXT, NEXT_WORD_EXAMPLES, examples
from mha.intervention.next_words import effect_by_position
from mha.intervention.predicting import iter_word_sweep
from mha.intervention.rank import rank_by_layer
from mha.maps import AttentionMaps, HeadId, Recording, Token
from mha.models.files.catalog import model_row
from mha.pairs import corpus
from studies.files import write_recordings


@pytest.mark.parametrize("text", [example.text for example in examples()])
def test_a_recording_is_what_the_model_gives_today(text):
    ready_made, live = bundled(text).maps, mha.attend(text)
    assert ready_made.tokens == live.tokens
    for name in ("text", "model", "revision", "origin", "kind", "causal", "units"):
        assert getattr(ready_made, name) == getattr(live, name), name
    assert np.abs(ready_made.weights - live.weights).max() <= 1e-5


def test_only_these_very_texts_by_this_very_model():
    assert bundled(DEFAULT_TEXT + " ") is None
    assert bundled(DEFAULT_TEXT, model="toy") is None


def test_no_array_of_the_archive_holds_objects():
    with zipfile.ZipFile(model_file("recordings", "minilm")) as archive:
        names = archive.namelist()
        assert len(names) == 2 + len(examples()), "examples, the opening sentence of Heads, a description"
        for name in names:
            with archive.open(name) as member:
                assert np.lib.format.read_magic(member) == (1, 0)
                _, _, dtype = np.lib.format.read_array_header_1_0(member)
                assert dtype in (np.dtype("float32"), np.dtype("uint8")), name


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """Another folder of results, which is empty yet."""
    monkeypatch.setattr("mha.assets.ASSETS", tmp_path)


def test_without_the_file_the_model_answers(elsewhere):
    assert bundled(DEFAULT_TEXT) is None
    weights = np.ones((1, 1, 1, 1), dtype=np.float32)
    answer = Recording(AttentionMaps(weights, (Token("live"),)), {"self": weights})
    engine = LocalEngine(run=lambda _request: answer, load=lambda: None)
    assert engine.record(Request(DEFAULT_TEXT)) is answer


def test_what_is_written_is_what_is_read(elsewhere):
    text = "Old men left"
    write_recordings([text])
    assert np.array_equal(bundled(text).maps.weights, mha.attend(text).weights)
    assert bundled(text).maps.tokens == mha.attend(text).tokens


@pytest.mark.parametrize("text", NEXT_WORD_EXAMPLES.values())
def test_next_words_are_bundled_for_each_example(text):
    sweep = bundled_next_words(text, "smollm2").sweep
    assert (sweep.change.shape, sweep.n_measured, sweep.kind) == ((30, 9, 5), 270, "mean")
    assert np.isfinite(sweep.change).all()
    assert list(sweep.probability) == sorted(sweep.probability, reverse=True)
    assert set(sweep.likeliest.ravel()) <= set(sweep.texts)
    maps = bundled(text, "smollm2").maps
    assert (maps.tokens, maps.revision, maps.weights.shape[:2]) == (sweep.tokens, sweep.revision, (30, 9))


def test_bundled_next_words_are_those_of_the_model_today():
    text, heads = NEXT_WORD_EXAMPLES["capital of France"], [(23, 4), (0, 8), (29, 0)]
    stored = bundled_next_words(text, "smollm2").sweep
    *_, live = iter_word_sweep(text, "smollm2", heads=heads)
    assert (live.ids, live.words, live.tokens) == (stored.ids, stored.words, stored.tokens)
    assert (live.model, live.revision, live.place) == (stored.model, stored.revision, stored.place)
    np.testing.assert_allclose(live.log_probability, stored.log_probability, atol=1e-3)
    for head in heads:
        np.testing.assert_allclose(live.change[head], stored.change[head], atol=1e-3)
        assert live.likeliest[head] == stored.likeliest[head]
    ranks = bundled_ranks(text, "smollm2", stored.ids[1])
    live_ranks = rank_by_layer(text, "smollm2", stored.ids[1])
    np.testing.assert_array_equal(ranks.rank, live_ranks.rank)
    np.testing.assert_allclose(ranks.log_probability, live_ranks.log_probability, atol=1e-3)
    assert (ranks.word, ranks.vocabulary) == (live_ranks.word, live_ranks.vocabulary)
    positions = bundled_positions(text, "smollm2", HeadId(23, 4), 0)
    live_positions = effect_by_position(text, HeadId(23, 4), "smollm2")
    assert positions.positions == live_positions.positions
    np.testing.assert_allclose(positions.change, live_positions.change, atol=1e-3)
    np.testing.assert_allclose(positions.everywhere, live_positions.everywhere, atol=1e-3)
    assert stored.words[0] == "Paris"
    assert stored.probability[0] == pytest.approx(0.77, abs=0.02)
    assert stored.ablated_probability[23, 4, 0] == pytest.approx(0.14, abs=0.02)


def test_other_texts_models_and_weights_have_no_next_words(monkeypatch):
    text = NEXT_WORD_EXAMPLES["capital of France"]
    assert bundled_next_words(text + " the", "smollm2") is None
    assert bundled_next_words(text, "minilm") is None
    monkeypatch.setattr(module, "model_row", lambda name: dataclasses.replace(model_row(name), revision="other"))
    assert bundled_next_words(text, "smollm2") is None
    assert bundled(text, "smollm2") is None


@pytest.mark.parametrize("band", BANDS)
def test_bundled_control_limits_follow_from_its_changes(band):
    control = ablation_control("smollm2", model_row("smollm2").revision, band[0])
    assert control.change.shape == (len(set(control.texts)), 30, 9)
    assert len(control.texts) >= 40
    assert ((control.n_tokens >= band[0]) & (control.n_tokens <= band[1])).all()
    within = np.abs(control.change) <= control.limit
    assert 0.9 <= within.mean() < 0.9005  # the smallest such limit
    assert not {*control.texts} & {*NEXT_WORD_EXAMPLES.values(), *corpus()}
    samples = [text for text, source in zip(control.texts, control.sources, strict=True) if source.startswith("sample")]
    others = tuple({*control.texts} - {*samples})
    assert not any(sentence.startswith(others) for sentence in corpus())


def test_bundled_naming_rates_decide_where_a_head_is_named():
    controls = {band: ablation_control("smollm2", model_row("smollm2").revision, band[0]) for band in BANDS}
    for control in controls.values():
        texts, copies = control.naming_rates
        assert texts.n_texts == copies.n_texts == 48
        assert control.may_name == (max(texts.share, copies.share) <= 0.2)
    assert not any(control.may_name for control in controls.values())
    paris = bundled_next_words(NEXT_WORD_EXAMPLES["capital of France"], "smollm2").sweep.change[..., 0]
    assert controls[BANDS[0]].n_texts_changed(paris[23, 4]) == 15


def test_usual_attention_of_smollm2_is_causal():
    usual = habit("smollm2")
    assert not usual.weights[..., column(1) :].any()  # a word of a causal model cannot attend to a later word
