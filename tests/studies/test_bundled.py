"""The bundled results of SmolLM2 are those that its weights give today; measured again for a sample of texts."""

from itertools import groupby

import numpy as np
import pytest

from mha.analysis.ablation_control import BANDS, ablation_control
from mha.analysis.usual import SHARES, habit
from mha.engine.bundled import bundled, bundled_next_words
from mha.examples import NEXT_WORD_EXAMPLES
from mha.intervention import bank
from mha.intervention.bank import bundled_means, computed_means
from mha.intervention.predicting import iter_word_sweep
from mha.intervention.subject import subject
from mha.models.watch.attending import attend, load_model
from mha.pairs import corpus
from studies.bundled import head_outputs, means_without, measure_usual
from studies.control_texts import control_sentences, control_texts, shuffled_copy
from studies.files import usual_attention

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def smollm2():
    return subject(load_model("smollm2"))


@pytest.mark.parametrize("band", BANDS)
def test_control_texts_are_of_three_sources(smollm2, band):
    texts = control_texts(smollm2, band)
    lengths = [len(smollm2.encoded(control.text).tokens) for control in texts]
    assert [len(list(group)) for _, group in groupby(control.source for control in texts)] == [16, 16, 16]
    assert len({control.text for control in texts}) == 48
    assert {band[0], band[1]} <= set(lengths) <= set(range(band[0], band[1] + 1))
    for control, sentence in zip(texts[16:32], control_sentences()[:16], strict=True):
        assert sentence.startswith((f"{control.text} ", f"{control.text},"))
    for control in texts[:16]:
        assert " ".join(control.sample_sentences).startswith(control.text)
        assert set(control.sample_sentences) <= set(corpus())
    stored = ablation_control("smollm2", smollm2.loaded.row.revision, band[0])
    assert stored.texts == tuple(control.text for control in texts)
    assert stored.sources == tuple(control.source for control in texts)
    assert stored.shuffled_texts == tuple(shuffled_copy(smollm2, control.text) for control in texts)


def test_means_leave_sentences_out(smollm2):
    """The means of three sentences and of all others, weighted by their tokens, are those of all."""
    before, three = bank.head_means(smollm2), corpus()[:3]
    counts = [len(smollm2.encoded(text).tokens) for text in corpus()]
    with means_without(smollm2, three):
        others = bank.head_means(smollm2).copy()  # [layer, head, d_head]
    outputs = [head_outputs(smollm2, text).double().numpy() for text in three]
    totals = sum(output.sum(axis=2) for output in outputs) + others * sum(counts[3:])
    np.testing.assert_allclose(totals / sum(counts), before, atol=1e-4)
    assert np.abs(others - before).max() > 1e-3
    assert bank.head_means(smollm2) is before


@pytest.mark.parametrize("band", BANDS)
def test_control_is_measured_again(smollm2, band):
    stored = ablation_control("smollm2", smollm2.loaded.row.revision, band[0])
    for number in (0, 16, 40):
        control = control_texts(smollm2, band)[number]
        with means_without(smollm2, control.sample_sentences):
            *_, sweep = iter_word_sweep(stored.texts[number], smollm2.loaded, words=1)
            *_, shuffled = iter_word_sweep(stored.shuffled_texts[number], smollm2.loaded, words=1)
        assert sweep.raws[sweep.ids[0]] == stored.words[number]
        assert len(sweep.tokens) == stored.n_tokens[number]
        np.testing.assert_allclose(sweep.log_probability[0], stored.log_probability[number], atol=1e-3)
        np.testing.assert_allclose(sweep.change[..., 0], stored.change[number], atol=5e-3)  # float16
        np.testing.assert_allclose(shuffled.change[..., 0], stored.shuffled_change[number], atol=5e-3)


@pytest.mark.parametrize("text", NEXT_WORD_EXAMPLES.values())
def test_examples_are_measured_again(smollm2, text):
    stored = bundled_next_words(text, "smollm2").sweep
    *_, live = iter_word_sweep(text, smollm2.loaded)
    assert stored is not None
    assert (live.ids, live.tokens) == (stored.ids, stored.tokens)
    np.testing.assert_allclose(live.change, stored.change, atol=2e-3)
    recording = bundled(text, "smollm2")
    assert recording is not None
    np.testing.assert_allclose(attend(text, smollm2.loaded).weights, recording.maps.weights, atol=1e-4)


def test_means_are_measured_again(smollm2):
    np.testing.assert_allclose(computed_means(smollm2), bundled_means(smollm2.loaded), atol=1e-4)


def test_usual_attention_is_measured_again(smollm2):
    row, stored = smollm2.loaded.row, habit("smollm2")
    live = usual_attention((attend(text, smollm2.loaded) for text in corpus()), row.name, row.revision)
    assert stored is not None
    assert stored.revision == row.revision
    np.testing.assert_allclose(live.weights, stored.weights, atol=1e-4)
    for name, share in live.shares.items():
        np.testing.assert_allclose(share, stored.shares[name], atol=1e-3)


def test_the_bundled_habit_is_what_the_corpus_gives_today():
    live = measure_usual(load_model("minilm"))
    ready_made = habit("minilm")
    assert ready_made.weights.shape == (6, 12, 19)
    assert (ready_made.model, ready_made.revision) == (live.model, live.revision)
    assert np.abs(ready_made.weights - live.weights).max() <= 1e-4
    assert all(np.abs(ready_made.shares[key] - live.shares[key]).max() <= 1e-4 for key in SHARES)
