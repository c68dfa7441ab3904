"""How well measures rank is counted right, rows come back as they were written, and what is known is not made again."""

from pathlib import Path

import numpy as np
import pytest

from studies.truth import study
from studies.truth.agreement import KINDS, MEASURES, StudiedModel, hits, matter, read, summary, write
from studies.truth.tasks import TASKS

MODELS = Path(study.__file__).with_name("models.json")
TRUTH = [0.5, 0.3, 0.1, 0.05, 0.03, 0.02, 0.0, -0.1]


def row(task="copier", seed=0, right=1.0, truth=TRUTH, **found):
    same = {measure: list(truth) for measure in MEASURES}
    return StudiedModel(task, seed, right, {kind: list(truth) for kind in KINDS}, same | found)


def test_heads_matter_that_hold_four_fifths():
    assert matter(np.array(TRUTH)).tolist() == [0, 1]
    assert matter(np.array([0, 0, 1.0, 0])).tolist() == [2]
    assert sorted(matter(np.full(5, 0.2))) == [0, 1, 2, 3]


def test_a_hit_is_a_head_that_matters_among_as_many():
    assert hits(np.array(TRUTH), np.array(TRUTH)) == 1
    assert hits(np.array(TRUTH), -np.array(TRUTH)) == 0
    assert hits(np.array(TRUTH), np.array([9, 0, 8, 0, 0, 0, 0, 0.0])) == 0.5


def measured(models, name):
    """Return the row of one measure."""
    return next(row for row in summary(models)["measures"] if row["name"] == name)


def test_measures_that_rank_as_the_truth_and_against_it():
    models = [row(seed=seed, rollout=[-number for number in TRUTH]) for seed in range(5)]
    same, other = measured(models, "attention"), measured(models, "rollout")
    assert (same["rank"], same["hit"]) == (pytest.approx([1, 1, 1]), pytest.approx([1, 1, 1]))
    assert (other["rank"][0], other["hit"][0]) == (pytest.approx(-1), 0)
    assert summary(models)["measures"][-1]["name"] == "rollout"


def test_an_interval_is_over_seeds_and_all_tasks_count_alike():
    copiers = [row(seed=seed, rollout=TRUTH if seed % 2 else TRUTH[::-1]) for seed in range(20)]
    reversers = [row("reverser", 0, rollout=TRUTH)]
    rank, low, high = measured(copiers, "rollout")["rank"]
    assert low < rank < high
    assert measured(reversers, "rollout")["rank"][1:] == pytest.approx([1, 1])
    both = measured(copiers + reversers, "rollout")
    assert both["rank"][0] == pytest.approx((rank + 1) / 2)
    assert both["tasks"] == pytest.approx({"copier": rank, "reverser": 1})


def test_a_model_that_did_not_learn_says_nothing():
    found = summary([row(), row(seed=1, right=0.5, rollout=[0.0] * 8)])
    assert (found["n_models"], found["n_excluded"]) == (1, 1)
    assert all(one["rank"][0] == pytest.approx(1) for one in found["measures"])


def test_rows_come_back_as_they_were_written(tmp_path):
    path, rows = tmp_path / "t.json", (row(seed=1), row(), row("brackets"))
    write(path, rows)
    assert set(map(repr, read(path))) == set(map(repr, rows))


def test_the_file_that_comes_with_the_app_has_every_model():
    rows = read(MODELS)
    assert sorted((one.task, one.seed) for one in rows) == sorted((name, seed) for name in TASKS for seed in range(20))
    assert summary(rows)["n_excluded"] <= 5


@pytest.mark.slow
def test_a_model_of_the_bundled_file_comes_out_again():
    kept = next(one for one in read(MODELS) if (one.task, one.seed) == ("agreement", 2))
    again = study.measure_model("agreement", 2)
    assert again.right == pytest.approx(kept.right, abs=0.02)
    np.testing.assert_allclose(again.truth["resample"], kept.truth["resample"], atol=0.03)
