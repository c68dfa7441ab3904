"""How well measures rank is counted right, rows come back as they were written, and what is known is not made again."""

import csv
from pathlib import Path

import numpy as np
import pytest

from mha.errors import InputError
from studies.truth import study
from studies.truth.agreement import (
    EVERY,
    KINDS,
    MEASURES,
    StudiedModel,
    as_csv,
    as_npz,
    hits,
    matter,
    read,
    summary,
    write,
)
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


def test_measures_that_rank_as_the_truth_and_against_it():
    against = [-number for number in TRUTH]
    found = summary([row(seed=seed, rollout=against) for seed in range(5)])
    same, other = found.agreement("attention", "copier"), found.agreement("rollout")
    assert (same.rank, same.rank_low, same.rank_high, same.hit, same.n) == (1, 1, 1, 1, 5)
    assert (other.rank, other.hit) == (pytest.approx(-1), 0)
    assert found.chance == pytest.approx(2 / 8)
    assert found.truths == pytest.approx({"mean": 1, "zero": 1})


def test_an_interval_is_over_seeds_and_all_tasks_count_alike():
    rows = [row(seed=seed, rollout=TRUTH if seed % 2 else TRUTH[::-1]) for seed in range(20)]
    rows += [row("reverser", 0, rollout=TRUTH)]
    found = summary(rows)
    copier, reverser, both = (found.agreement("rollout", name) for name in ("copier", "reverser", EVERY))
    assert copier.rank_low < copier.rank < copier.rank_high
    assert reverser.rank_low == reverser.rank_high == 1
    assert both.rank == pytest.approx((copier.rank + 1) / 2)
    assert both.n == 21


def test_a_model_that_did_not_learn_says_nothing():
    found = summary([row(), row(seed=1, right=0.5, rollout=[0.0] * 8)])
    assert (found.n_models, found.left_out) == (1, 1)
    assert found.agreement("rollout").rank == 1
    with pytest.raises(InputError, match="learned"):
        summary([row(right=0.2)])
    with pytest.raises(InputError, match="not measured"):
        found.agreement("attention", "brackets")


def test_rows_come_back_as_they_were_written(tmp_path):
    path, rows = tmp_path / "t.json", (row(seed=1), row(), row("brackets"))
    write(path, rows)
    assert set(map(repr, read(path))) == set(map(repr, rows))
    as_npz(read(path), tmp_path / "t.npz", "made here")
    with np.load(tmp_path / "t.npz") as arrays:
        assert str(arrays["about"]) == "made here"
        assert arrays["found"].shape == (len(MEASURES), len(arrays["task"]), arrays["truth"].shape[2])
        for number, one in enumerate(read(path)):
            assert arrays["found"][0, number].tolist() == one.found[next(iter(MEASURES))]
            assert arrays["truth"][0, number].tolist() == one.truth[KINDS[0]]
    as_csv(read(path), tmp_path / "t.csv")
    lines = list(csv.reader((tmp_path / "t.csv").read_text().splitlines()))
    assert len(lines) == 1 + 3 * 8
    assert lines[0][:5] == ["task", "seed", "right", "head", "truth, resample"]
    assert [float(number) for number in lines[1][4:]] == [0.5] * (len(KINDS) + len(MEASURES))


@pytest.mark.parametrize("content", ["", "{}", '{"about": {"version": 1}, "rows": [{}]}', "[]"])
def test_another_file_is_refused(tmp_path, content):
    (tmp_path / "t.json").write_text(content)
    with pytest.raises(InputError, match="t.json: This is not"):
        read(tmp_path / "t.json")


def test_the_file_that_comes_with_the_app_has_every_model():
    rows = read(MODELS)
    assert sorted((one.task, one.seed) for one in rows) == sorted((name, seed) for name in TASKS for seed in range(20))
    assert summary(rows).left_out <= 5


@pytest.mark.slow
def test_a_model_of_the_bundled_file_comes_out_again():
    kept = next(one for one in read(MODELS) if (one.task, one.seed) == ("agreement", 2))
    again = study.measure_model("agreement", 2)
    assert again.right == pytest.approx(kept.right, abs=0.02)
    np.testing.assert_allclose(again.truth["resample"], kept.truth["resample"], atol=0.03)
