"""The two small models that come with the app: they load as any other, and do what they were trained for."""

import itertools
from random import Random

import numpy as np
import pytest
import torch

from mha import engine
from mha.analysis.statistics import head_statistics
from mha.assets import ASSETS
from mha.errors import InputError
from mha.intervention.induction import induction
from mha.intervention.predicting import predict
from mha.models.files.catalog import SMALL, model_row, offered
from mha.models.files.loading import load
from mha.models.watch.attending import attend
from mha.models.watch.generating import generate
from studies.small.learning import (
    FIRST,
    LENGTH,
    MODELS,
    NOUNS,
    WORDS,
    backwards,
    copied,
    repeating,
    reversed_right,
    write,
)

LIST = "moon fish table star rope cup bread moon fish table star rope cup bread moon fish"
SOURCE = "apple boat candle drum fish"


@pytest.mark.parametrize("row", SMALL, ids=lambda row: row.name)
def test_they_are_small_on_offer_and_read_only_their_words(row):
    assert model_row(row.name) == row
    assert row in offered()
    assert all(file.stat().st_size < 300_000 for file in (ASSETS / row.name).iterdir())
    loaded = load(row.name)
    assert loaded.model.dtype == torch.float32
    assert type(loaded.model).__name__ == row.architecture
    maps = attend(row.example, row.name)
    assert (maps.n_layers, maps.n_heads, maps.origin) == (row.n_layers, row.n_heads, "trained here")
    assert attend("the unknown word", row.name).tokens[-1].text  # from a notebook anything is read
    with pytest.raises(InputError, match=f"{row.short} knows 48 words; “saw” is not one of them"):
        engine.record(engine.Request("apple saw", row.name))


def test_the_induction_heads_are_found_by_their_score():
    result = induction("copier", n_tokens=20)
    assert result.unrepeated[1].max() < 0.15  # by chance
    assert (result.score[1] > 0.5).sum() >= 2
    assert result.score[0].max() < 0.3
    before = head_statistics(attend(LIST, "copier"))["previous_word"]
    assert before[0].max() > 0.9  # what they need of the layer below


def test_the_copier_goes_on_and_cannot_without_its_heads():
    found = generate(LIST, "copier", n_tokens=5)
    assert [token.text for token in found.written] == ["table", "star", "rope", "cup", "bread"]
    before = head_statistics(attend(LIST, "copier"))["previous_word"]
    head = (0, int(before[0].argmax()))
    told = predict(LIST, "copier", ablated=[head], kind="zero")
    assert told.words[0] == "table"
    assert told.probabilities[0] > 0.5
    assert told.ablated_probabilities is not None
    assert told.ablated_probabilities[0] < 0.3
    assert copied(load("copier").model, n_lists=64) > 0.97


def test_the_reverser_looks_along_the_other_diagonal():
    found = generate(SOURCE, "reverser", n_tokens=10)
    assert [token.text for token in found.written] == ["fish", "drum", "candle", "boat", "apple", "[END]"]
    assert found.ended
    cross = attend(SOURCE, "reverser", target="fish drum candle boat apple", stack="cross")
    rows = cross.weights[1].mean(axis=0)[:5]
    np.testing.assert_array_equal(rows.argmax(axis=-1), [4, 3, 2, 1, 0])
    assert rows[np.arange(5), [4, 3, 2, 1, 0]].min() > 0.5
    assert [token.text for token in cross.tokens[:5]] == ["fish", "drum", "candle", "boat", "apple"]
    assert reversed_right(load("reverser").model, rounds=2) > 0.97


def test_the_lists_are_what_they_say():
    chance = Random(3)
    for _ in range(50):
        words, known = repeating(chance)
        assert len(words) == len(known) == LENGTH + 1
        assert words[0] == 0
        for place in range(1, LENGTH + 1):
            if known[place]:  # the pair stood side by side before
                pairs = list(itertools.pairwise(words[:place]))
                assert (words[place - 1], words[place]) in pairs
    source, target = backwards(7, torch.Generator().manual_seed(3))
    assert torch.equal(source[:, :-1].flip(1), target[:, :-1])
    assert len(set(NOUNS)) == 48
    assert WORDS[FIRST] == NOUNS[0]


@pytest.mark.parametrize("name", list(MODELS))
def test_a_training_of_a_few_steps_writes_a_snapshot_that_loads(name, tmp_path):
    from mha.models.files.loading import load_snapshot

    model = MODELS[name].train(seed=1, steps=3)
    write(model, MODELS[name].template, tmp_path / name)
    loaded = load_snapshot(tmp_path / name)
    assert not loaded.model.training
    for (key, here), there in zip(model.state_dict().items(), loaded.model.state_dict().values(), strict=True):
        np.testing.assert_allclose(here.numpy(), there.numpy(), atol=1e-3, err_msg=key)
