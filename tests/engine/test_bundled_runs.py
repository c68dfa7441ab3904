"""The recorded runs of Watch heads learn."""

from dataclasses import replace

import numpy as np
import pytest

from mha import assets
from mha.engine.bundled import RUNS, RUNS_FILE, _runs, bundled_runs, siblings
from mha.training.model import train
from mha.training.settings import Settings
from studies.files import write_runs
from studies.training_runs import train_run

SHORT = Settings(n_heads=2, n_steps=17, batch=3)


def test_every_run_is_bundled_and_finished():
    assert set(bundled_runs()) == set(RUNS)
    assert all(curves.step[-1] == curves.settings.n_steps for curves in bundled_runs().values())
    assert [curves.settings.seed for curves in siblings(RUNS[0])] == [1, 2, 3]
    assert siblings(replace(SHORT, seed=1)) == ()
    assert RUNS_FILE.stat().st_size < 400_000


@pytest.mark.slow
def test_the_file_is_what_the_code_produces(tmp_path):
    """One short run, written and read; and the first moment of a bundled run, trained again here."""
    made = train_run(SHORT, interval=16)
    write_runs([made], tmp_path / "runs.npz")
    ((settings, found),) = assets.read(tmp_path / "runs.npz", _runs).items()
    assert settings == SHORT
    for name, array in made.arrays().items():
        np.testing.assert_allclose(found.arrays()[name], array, atol=6e-4, err_msg=name)
    for settings in (RUNS[0], RUNS[4]):
        again, kept = train(settings, interval=75), bundled_runs()[settings]
        for moment in (0, 3):
            snapshot = next(again)
            assert kept.step[moment] == snapshot.step
            np.testing.assert_allclose(kept.weights[moment], snapshot.weights, atol=2e-3)
            np.testing.assert_allclose(kept.joint[moment], snapshot.joint, atol=5e-3)


def test_the_bundled_runs_show_what_the_page_says_of_them():
    runs = bundled_runs()
    ends = {(s.n_heads, s.seed): runs[s] for s in RUNS[:8]}
    for seed in range(4):
        assert 0.3 <= ends[1, seed].joint[-1] <= 0.57
        assert ends[2, seed].joint[-1] >= 0.99
        assert set(ends[2, seed].holds()) == {0, 1}
    identical = runs[Settings(n_heads=4, start="identical")]
    assert identical.diverse_weights.max() < 1e-3
    assert identical.parted() is None
