"""The bundled results of SmolLM2 are those that its weights give today; measured again for a sample of texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mha.analysis.ablation_control import BANDS, ablation_control
from mha.analysis.usual import SHARES, habit
from mha.engine.bundled import bundled, bundled_next_words
from mha.examples import NEXT_WORD_EXAMPLES
from mha.intervention.bank import bundled_means, computed_means
from mha.intervention.predicting import iter_word_sweep
from mha.intervention.subject import Subject, subject
from mha.models.watch.attending import attend, load_model
from mha.pairs import corpus
from studies.bundled import WorkFolder, measure_usual
from studies.control_texts import control_sentences, control_texts
from studies.files import usual_attention

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def smollm2() -> Subject:
    return subject(load_model("smollm2"))


@pytest.mark.parametrize("band", BANDS)
def test_control_texts_are_whole_words_of_even_lengths(smollm2: Subject, band: tuple[int, int]):
    texts = control_texts(smollm2, band)
    lengths = [len(smollm2.encoded(text).tokens) for text in texts]
    assert len(set(texts)) == len(control_sentences()) == 48
    assert set(lengths) == set(range(band[0], band[1] + 1))
    for text, sentence in zip(texts, control_sentences(), strict=True):
        assert sentence.startswith((f"{text} ", f"{text},"))
    assert ablation_control("smollm2", smollm2.loaded.row.revision, band[0]).texts == texts


@pytest.mark.parametrize("band", BANDS)
def test_control_is_measured_again(smollm2: Subject, band: tuple[int, int]):
    control = ablation_control("smollm2", smollm2.loaded.row.revision, band[0])
    for number in (0, 29):
        *_, sweep = iter_word_sweep(control.texts[number], smollm2.loaded, words=1)
        assert sweep.raws[sweep.ids[0]] == control.words[number]
        assert len(sweep.tokens) == control.n_tokens[number]
        np.testing.assert_allclose(sweep.log_probability[0], control.log_probability[number], atol=1e-3)
        np.testing.assert_allclose(sweep.change[..., 0], control.change[number], atol=5e-3)  # float16


@pytest.mark.parametrize("text", NEXT_WORD_EXAMPLES.values())
def test_examples_are_measured_again(smollm2: Subject, text: str):
    stored = bundled_next_words(text, "smollm2")
    *_, live = iter_word_sweep(text, smollm2.loaded)
    assert stored is not None
    assert (live.ids, live.tokens) == (stored.ids, stored.tokens)
    np.testing.assert_allclose(live.change, stored.change, atol=2e-3)
    recording = bundled(text, "smollm2")
    assert recording is not None
    np.testing.assert_allclose(attend(text, smollm2.loaded).weights, recording.maps.weights, atol=1e-4)


def test_means_are_measured_again(smollm2: Subject):
    np.testing.assert_allclose(computed_means(smollm2), bundled_means(smollm2.loaded), atol=1e-4)


def test_usual_attention_is_measured_again(smollm2: Subject):
    row, stored = smollm2.loaded.row, habit("smollm2")
    live = usual_attention((attend(text, smollm2.loaded) for text in corpus()), row.name, row.revision)
    assert stored is not None
    assert stored.revision == row.revision
    np.testing.assert_allclose(live.weights, stored.weights, atol=1e-4)
    for name, share in live.shares.items():
        np.testing.assert_allclose(share, stored.shares[name], atol=1e-3)


def test_work_folder_measures_a_text_once(tmp_path: Path):
    measured: list[str] = []

    def measuring_of(text: str) -> Callable[[], dict[str, np.ndarray]]:
        return lambda: {"value": np.array(measured.append(text) or len(text))}

    first, other = WorkFolder(tmp_path, "weights"), WorkFolder(tmp_path, "other weights")
    for work, text in ((first, "ash"), (first, "ash"), (first, "bay tree"), (other, "ash")):
        assert work.measured("control", text, measuring_of(text))["value"] == len(text)
    assert measured == ["ash", "bay tree", "ash"]


def test_the_bundled_habit_is_what_the_corpus_gives_today():
    live = measure_usual(load_model("minilm"))
    ready_made = habit("minilm")
    assert ready_made.weights.shape == (6, 12, 19)
    assert (ready_made.model, ready_made.revision) == (live.model, live.revision)
    assert np.abs(ready_made.weights - live.weights).max() <= 1e-4
    assert all(np.abs(ready_made.shares[key] - live.shares[key]).max() <= 1e-4 for key in SHARES)
