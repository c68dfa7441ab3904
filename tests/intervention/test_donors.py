"""Another sentence's outputs in the place of a head's own."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mha.errors import InputError
from mha.intervention.ablation import ablate
from mha.intervention.bank import DONORS, donors
from mha.intervention.readout import AskedReadout, Fills
from mha.intervention.subject import subject
from mha.intervention.sweep import preference, preferring, preview, sweep, sweeping
from mha.maps import Reading
from mha.models.watch.attending import attend
from mha.pairs import pairs_of
from mha.stepwise import finished
from mha.words import words
from tests.intervention.brute import (
    CONTRAST,
    MASKED,
    PLAIN_WAYS,
    READINGS,
    ROWS,
    TEXT,
    changed,
    hidden,
    left_on,
    margin,
    outputs,
)

READINGS_OF_DOG = (Reading("A", ((6, 1),)), Reading("B", ((6, 4),)))
HUNGRY = "A dog ate the food because it was hungry."


@pytest.fixture
def few(monkeypatch):
    """A bank of two sentences that are as long as the text for every tokenizer, or nearly so."""
    monkeypatch.setattr("mha.intervention.bank.ALIKE", 0)
    monkeypatch.setattr("mha.intervention.bank.pairs", tuple)
    monkeypatch.setattr("mha.intervention.bank.corpus", lambda: (CONTRAST, CONTRAST.replace("the man", "the dog")))


def test_donors_are_other_sentences_of_the_same_length(minilm):
    experiment = subject(minilm)
    pair = pairs_of("pronoun")[0]
    found = donors(experiment, pair.a, "pronoun")
    assert len(set(found)) == len(found) == DONORS
    assert found == donors(experiment, pair.b, "pronoun")  # the same for both versions
    every = {text for one in pairs_of("pronoun") for text in (one.a, one.b)}
    assert set(found) <= every - {pair.a, pair.b}
    assert {len(experiment.encoded(text).tokens) for text in found} == {len(experiment.encoded(pair.a).tokens)}
    assert all(sum(x != y for x, y in zip(words(pair.a), words(one), strict=False)) > 2 for one in found)
    assert not set(donors(experiment, pair.a)) <= every  # any kind of sentence, where none is asked for


def test_no_donor_gets_a_sentence(minilm):
    with pytest.raises(InputError, match="No bundled sentence has 202 tokens"):
        preference("dog " * 200, READINGS, silenced=["L0H0"], kind="resample", model=minilm)


@pytest.mark.parametrize("way", PLAIN_WAYS, ids=lambda way: way.architecture)
def test_resampling_is_brute_force(way, tiny, minilm, few):
    loaded = minilm if way.architecture == "MiniLM" else tiny(ROWS[way.architecture])
    experiment = subject(loaded)
    at, shape, heads = experiment.block_output(None), (experiment.n_layers, experiment.n_heads), [(0, 1), (0, 3)]
    expected = []
    for donor in donors(experiment, TEXT):
        other = torch.tensor(outputs(loaded, way, donor, *shape))
        changes = {head: lambda _, head=head, other=other: other[head] for head in heads}
        expected.append(margin(loaded, TEXT, hidden(loaded, way, TEXT, changes, shape[1])[at]))
    found = finished(preferring(AskedReadout.asked(TEXT, READINGS, model=loaded), [[], heads], "resample"))
    assert found[1] == pytest.approx(np.mean(expected), abs=1e-5)
    assert found[0] == pytest.approx(preference(TEXT, READINGS, model=loaded), abs=1e-6)
    assert abs(found[1] - found[0]) > 1e-4
    assert left_on(loaded) == []


def test_the_sweep_is_each_head_by_itself(minilm):
    whole = sweep(HUNGRY, READINGS_OF_DOG, "resample", model=minilm, like="pronoun")
    sets = [[], ["L2H1"], ["L3H4"]]
    question = AskedReadout.asked(HUNGRY, READINGS_OF_DOG, model=minilm)
    untouched, *alone = finished(preferring(question, sets, "resample", "pronoun"))
    np.testing.assert_allclose([whole.effect[2, 1], whole.effect[3, 4]], np.array(alone) - untouched, atol=1e-5)
    *_, some = sweeping(question, "resample", heads=["L2H1"], like="pronoun")
    assert some.effect[2, 1] == pytest.approx(whole.effect[2, 1], abs=1e-5)
    assert np.isfinite(some.effect).sum() == 1


def test_preview_of_resampling_ranks_alike(minilm):
    from scipy.stats import spearmanr

    foretold = preview(AskedReadout.asked(HUNGRY, READINGS_OF_DOG, model=minilm), "resample")
    exact = sweep(HUNGRY, READINGS_OF_DOG, "resample", model=minilm)
    assert spearmanr(foretold.effect[:5].ravel(), exact.effect[:5].ravel())[0] > 0.8


def test_a_recording_takes_the_first_donor(minilm):
    (donor,) = donors(subject(minilm), HUNGRY, count=1)
    found = ablate(HUNGRY, [(2, 1)], "resample", model=minilm)
    other = torch.tensor(outputs(minilm, PLAIN_WAYS[0], donor, 6, 12))[2, 1]
    with changed(minilm, PLAIN_WAYS[0], {(2, 1): lambda _: other}, 12):
        np.testing.assert_allclose(found.maps.weights, attend(HUNGRY, minilm).weights, atol=1e-5)


def test_a_readout_of_more_than_the_text_cannot_be_resampled(tiny, few):
    with pytest.raises(InputError, match='Use readout="link"'):
        preference(TEXT, READINGS, Fills("cat", "dog"), silenced=["L0H0"], kind="resample", model=tiny(MASKED))
