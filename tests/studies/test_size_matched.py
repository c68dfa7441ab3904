"""Random heads that are moved as far from their outputs as a chosen head, on a tiny decoder."""

from pathlib import Path

import numpy as np
import pytest

from mha.intervention import bank
from mha.maps import HeadId
from mha.models.files.loading import load_snapshot
from studies.bundled import head_outputs
from studies.language_model.lab import Lab, Moved, size_matched
from tests.models.snapshots import SNAPSHOTS

TEXT = "the man saw the"
CHOSEN, OTHER = HeadId(0, 1), HeadId(1, 2)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder: Path = tmp_path_factory.mktemp("lab")
    return Lab.for_model(load_snapshot(SNAPSHOTS["tiny-causal"].save(folder / "model")), folder / "work")


def test_ablation_is_a_move_of_once(lab):
    (scores,) = lab.log_probabilities(
        [(TEXT, ["man", "it"])], [(CHOSEN,), (Moved(CHOSEN, 1.0),), (Moved(CHOSEN, 0.0),)]
    )
    np.testing.assert_allclose(scores[1], scores[2], atol=1e-6)
    np.testing.assert_allclose(scores[3], scores[0], atol=1e-6)
    assert np.abs(scores[1] - scores[0]).max() > 1e-5


def test_lengths_are_those_of_deviations_after_w_o(lab):
    experiment = lab.experiment
    output = head_outputs(experiment, TEXT)[*OTHER, -1].numpy()
    deviation = output - bank.head_means(experiment)[OTHER]
    d_head = len(deviation)
    w_o = experiment.model.transformer.h[OTHER.layer].attn.c_proj.weight.detach().numpy()
    (lengths,) = lab.deviation_lengths([TEXT])
    by_hand = np.linalg.norm(deviation @ w_o[OTHER.head * d_head : (OTHER.head + 1) * d_head])
    assert lengths[OTHER] == pytest.approx(float(by_hand), rel=1e-4)


def test_heads_of_the_layer_are_moved_as_far(lab):
    lengths = np.ones((lab.experiment.n_layers, lab.experiment.n_heads))
    lengths[0, :2] = 6.0, 0.5
    moves = [move for (move,) in size_matched(lab, HeadId(0, 0), lengths)]
    assert {move.head.layer for move in moves} == {0}
    assert HeadId(0, 0) not in [move.head for move in moves]
    assert len(moves) == lab.experiment.n_heads - 1
    assert [move.times for move in moves[:2]] == [12.0, 6.0]  # 6 / 0.5 and 6 / 1
