"""Curves say what snapshots said, and count from them: who holds what, who is idle, when heads part."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mha.training.model import train
from mha.training.settings import Curves, Settings

SHORT = Settings(n_heads=2, n_steps=7, batch=5)


@pytest.fixture(scope="module")
def snapshots():
    return list(train(SHORT, interval=3))


def test_curves_repeat_the_snapshots(snapshots):
    curves = Curves.from_snapshots(SHORT, snapshots)
    assert curves.step.tolist() == [0, 3, 6, 7]
    assert curves.weights.shape == (4, 1, 2, 10, 10)
    assert curves.looks.shape == curves.ablated.shape == (4, 2, 2)
    for moment, snapshot in enumerate(snapshots):
        assert curves.joint[moment] == snapshot.joint
        np.testing.assert_array_equal(curves.readings[moment], snapshot.readings)
        assert curves.diverse_weights[moment] == snapshot.diversity
    assert curves.words[-2:] == ("telescope", ".")
    assert [curves.words[place] for place in (*curves.nouns, curves.pivot)] == ["woman", "bear", "telescope"]


def test_holding_idling_and_parting_are_counted(snapshots):
    curves = replace(
        Curves.from_snapshots(SHORT, snapshots),
        looks=np.array([[[0.5, 0.4], [0.05, 0.95]]] * 4),
        readings=np.array([[1.0, 0.8]] * 4),
        ablated=np.array([[[0.995, 0.8], [1.0, 0.3]]] * 4),
        diverse_weights=np.array([0.0, 0.3, 0.05, 0.6]),
    )
    assert curves.holds() == (None, 1)
    assert curves.idle() == (0,)
    assert curves.parted() == 7
    assert replace(curves, diverse_weights=np.array([0.0, 0.3, 0.4, 0.05])).parted() is None
    assert replace(curves, diverse_weights=np.full(4, np.nan)).parted() is None
    assert replace(curves, diverse_weights=np.full(4, 0.2)).parted() == 0


def test_settings_grammar_and_curves_need_no_torch():
    code = (
        "import sys, mha.training.settings, mha.training.settings, mha.engine.bundled as bundled; "
        "from mha.training.settings import Settings; "
        "assert Settings(n_heads=1) in bundled.bundled_runs(); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=Path(__file__).parents[2]).returncode == 0
