"""Cuts of SmolLM2's links, measured by the study, are those of the package."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

import mha
from mha.intervention.bank import head_means
from mha.intervention.direct import direct
from mha.intervention.subject import Subject, subject
from mha.models.watch.attending import load_model
from studies import links, places, take_back
from studies.last_token import LastToken

RUTH = "My grandmother's name is Ruth. Everyone calls her"


@pytest.fixture(scope="module")
def experiment() -> Subject:
    return subject(load_model("smollm2"))


def test_links_of_the_package_are_those_of_the_study(experiment):
    *_, sweep = mha.iter_link_sweep(RUTH, experiment.loaded, words=1, links=24)
    last = LastToken.from_text(experiment, RUTH)
    rows = sorted((cut.head.layer, cut.head.head, cut.keys[0], number) for number, cut in enumerate(sweep.links))
    change = links.changes_of_cuts(last, [row[:3] for row in rows])
    order = [row[3] for row in rows]
    np.testing.assert_allclose(change, sweep.change[order, 0], atol=1e-3)
    weights = links.link_measures(last)[0]
    np.testing.assert_allclose([weights[row[:3]] for row in rows], sweep.weight[order], atol=1e-4)
    assert np.abs(change).max() > 0.5


def test_stored_shares_are_of_counted_links():
    stored = json.loads(links.FILE.read_text(encoding="utf-8"))
    for row in (stored, stored["shuffled"]):
        assert row["texts measured"] == 192
        assert sum(part["links"] for part in row["by source"].values()) == row["links"]
        assert row["interval"][0] < row["share"] < row["interval"][1]


def test_copied_places_are_measured_again(experiment):
    """In one frame, copied cities fall without the stored head as they do in the package."""
    head = places.HeadId.of(json.loads(places.FILE.read_text(encoding="utf-8"))["head"])
    prompts = [prompt for prompt in places.copy_prompts() if prompt.kind == "city" and prompt.family == "place"][:8]
    effects = places.effects_in_frame(experiment, prompts, head)
    assert len(effects) >= 4
    assert np.mean([effect.ablated[0] for effect in effects]) < -0.8
    text, word = effects[0].prompt.text, effects[0].prompt.word
    expected = mha.predict(text, experiment.loaded, [word], ablated=[head], positions="predicting")
    change = float(np.log(expected.ablated_probabilities[0]) - np.log(expected.probabilities[0]))
    assert effects[0].ablated[0] == pytest.approx(change, abs=2e-3)


def test_direct_effects_are_those_of_the_package(experiment):
    text = "The capital of France is"
    last = LastToken.from_text(experiment, text)
    means = torch.as_tensor(head_means(experiment))
    first, second = last.untouched_logits.topk(2).indices.tolist()
    score = take_back.likeliest_over_second(last)
    found = take_back.direct_effects(last, take_back.ablations(last, means), score)
    np.testing.assert_allclose(-found.reshape(30, 9), direct(text, first, second, experiment.loaded).heads, atol=2e-3)
