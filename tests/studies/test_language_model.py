"""Some numbers of the study of SmolLM2 are measured again."""

import numpy as np
import pytest

from mha.analysis.head_effects import bundled_head_effects
from mha.intervention.direct import head_effects
from mha.maps import HeadId
from mha.models.watch.attending import load_model
from studies.language_model import drinks, places, prompts, repetition
from studies.language_model.__main__ import stored_results
from studies.language_model.lab import Lab


@pytest.fixture(scope="module")
def smollm2(tmp_path_factory):
    return Lab.for_model(load_model("smollm2"), tmp_path_factory.mktemp("smollm2"))


def test_example_is_measured_again(smollm2):
    stored = bundled_head_effects("smollm2", smollm2.experiment.loaded.row.revision).example
    fresh = head_effects(stored.text, smollm2.experiment.loaded, stored.words)
    assert (fresh.tokens, fresh.ids, fresh.positions) == (stored.tokens, stored.ids, stored.positions)
    np.testing.assert_allclose(fresh.attention, stored.attention, atol=1e-4)
    np.testing.assert_allclose(fresh.direct, stored.direct, atol=2e-3)
    np.testing.assert_allclose(fresh.change, stored.change, atol=5e-3)


def test_drinks_are_measured_again(smollm2):
    stored = bundled_head_effects("smollm2", smollm2.experiment.loaded.row.revision)
    sample = drinks.test_prompts()[:4]
    fresh = drinks.looks_and_adds(smollm2, sample, "again")
    layers, heads = np.array(stored.form.heads).T
    np.testing.assert_allclose(fresh.looks[:, layers, heads], stored.form.head_looks[:4], atol=1e-3)
    np.testing.assert_allclose(fresh.adds[:, layers, heads], stored.form.head_adds[:4], atol=1e-2)
    scores = drinks.scores_without(smollm2, sample, [(head,) for head in stored.form.heads], "again")
    np.testing.assert_allclose(scores[:, 0], stored.form.score[:4], atol=1e-2)
    np.testing.assert_allclose(scores[:, 1:] - scores[:, :1], stored.form.head_matters[:4], atol=1e-2)


def test_induction_is_measured_again(smollm2):
    stored = stored_results()["induction"]
    arrays = repetition.run(smollm2, repetition.TEST[:4])  # 16 of 200 sequences
    for name, row in stored.items():
        if name.startswith("score "):
            fresh = arrays["induction"][:, *HeadId.of(name.removeprefix("score "))]
            assert abs(fresh.mean() - row["mean"]) < 4 * fresh.std() / len(fresh) ** 0.5


def test_capitals_are_measured_again(smollm2):
    stored = stored_results()["capitals"]
    head = HeadId.of(stored["heads chosen in the selection"][0])
    rows = places.rows_of(smollm2, prompts.capital_prompts("test")[:24], (head,), "again")
    assert rows["known"] >= 10
    assert rows[f"change without {head}"]["high"] < 0
    assert rows[f"change without {head}"]["low"] < stored[f"change without {head}"]["high"]
    assert rows[f"change without {head}"]["high"] > stored[f"change without {head}"]["low"]
