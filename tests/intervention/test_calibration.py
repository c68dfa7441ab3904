"""The bundled calibration of MiniLM: its file, and the results in it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mha.errors import InputError
from mha.intervention.calibrated import FOLDER, calibration, read
from mha.intervention.patching import control_sets
from mha.maps import HeadId
from mha.pairs import KINDS


@pytest.fixture(scope="module")
def bundled():
    found = calibration("minilm")
    assert found is not None
    return found


def test_calibration_file_is_small(bundled):
    assert (FOLDER / "calibration_minilm.json").stat().st_size < 300_000
    assert tuple(bundled.kinds) == KINDS
    assert bundled.of("other") is None


def test_read_refuses_other_content():
    with pytest.raises(InputError, match="not a calibration"):
        read({"model": "MiniLM"})


def test_read_accepts_calibration_without_floors():
    content = json.loads((FOLDER / "calibration_minilm.json").read_text(encoding="utf-8"))
    for kind in content["kinds"].values():
        del kind["floor"], kind["two_words"], kind["paths"]
    old = read(content).of("pronoun")
    assert (old.floor, old.two_words, old.paths) == (None, None, ())


@pytest.mark.parametrize(
    ("kind", "head", "auc", "pair"),
    [
        ("attachment", (1, 0), 0.81, 0.82),
        ("attachment", (3, 3), 0.78, 0.79),
        ("pronoun", (3, 5), 0.61, 0.68),
        ("pronoun", (3, 1), 0.59, 0.72),
        ("he/she", (1, 3), 0.98, 1.00),
        ("relative clause", (3, 5), 0.63, 1.00),
        ("relative clause", (2, 4), 0.62, 0.97),
        ("relative clause", (3, 1), 0.62, 0.95),
    ],
)
def test_heads_that_tell_the_versions_apart(bundled, kind, head, auc, pair):
    found = bundled.of(kind).telling
    assert (found.auc[head], found.pair[head]) == pytest.approx((auc, pair), abs=0.01)
    assert found.auc_low[head] <= found.auc[head] <= found.auc_high[head]


def test_words_alone_tell_attachment_and_gender(bundled):
    for kind in ("attachment", "he/she"):
        assert bundled.of(kind).telling.named == ()
        assert bundled.of(kind).carrying.carrying is None
        gate = bundled.of(kind).scores.gates[5]
        assert gate.tells
        assert not gate.from_order
    for kind in ("pronoun", "relative clause"):
        assert HeadId(3, 1) in bundled.of(kind).telling.named
        assert bundled.of(kind).scores.gates[5].from_order


def test_heads_that_carry_pronouns(bundled):
    found = bundled.of("pronoun").carrying
    shares = [found.share[head] for head in ((2, 3), (2, 8), (3, 9), (2, 1), (3, 1))]
    np.testing.assert_allclose(shares, [0.22, 0.17, 0.12, 0.11, 0.10], atol=0.01)
    assert set(found.bringing.heads) == {(2, 1), (2, 3), (2, 8)}
    assert found.bringing.kept == pytest.approx(0.37, abs=0.05)
    assert 0.85 < found.bringing.control.min() < found.bringing.control.max() < 1.2
    assert found.low[2, 1] < 0 < found.low[2, 3]  # L2H1 is not safe on every set
    assert np.isnan(found.share[5]).all()


def test_a_final_full_stop_hardly_ever_changes_the_side_of_the_limit(bundled):
    pronoun = bundled.of("pronoun")
    assert pronoun.floor.full_stop == pytest.approx(79 / 82, abs=1e-4)
    assert all(kind.floor.full_stop == 1 for name, kind in bundled.kinds.items() if name != "pronoun")


@pytest.mark.parametrize(
    ("kind", "n", "phi", "low", "high", "bar", "n_fours", "right", "wrong"),
    [
        ("pronoun", 194, 0.0264, 0.0231, 0.0311, 0.0132, 92, 0.54, 0.08),
        ("he/she", 70, 0.1250, 0.0956, 0.1488, 0.0089, 50, 1, 0),
        ("relative clause", 128, 0.0298, 0.0199, 0.0426, 0.0126, 64, 0.70, 0),
        ("attachment", 142, 0.2952, 0.2480, 0.5376, 0.0163, 70, 0.53, 0.13),
    ],
)
def test_floors_and_two_words(bundled, kind, n, phi, low, high, bar, n_fours, right, wrong):
    found = bundled.of(kind)
    assert found.floor.n_swaps == n
    assert (found.floor.phi, found.floor.low, found.floor.high) == pytest.approx((phi, low, high), abs=2e-4)
    assert found.floor.head_bar == pytest.approx(bar, abs=1e-4)
    assert found.two_words.n == n_fours
    assert (found.two_words.right[0], found.two_words.wrong[0]) == pytest.approx((right, wrong), abs=0.01)


@pytest.mark.parametrize(
    ("kind", "senders", "receiver", "share", "direct", "control"),
    [
        ("pronoun", "L2H1 L2H3 L2H8", (3, 1), (0.95, 0.83, 1.10), 0.71, (-0.03, 0.03)),
        ("pronoun", "L2H1 L2H3 L2H8", (3, 5), (0.85, 0.69, 1.06), 0.78, (-0.03, 0.02)),
        ("pronoun", "L2H1 L2H3 L2H8", (4, 11), (0.63, 0.39, 0.95), 0.60, (-0.04, 0.06)),
        ("relative clause", "L1H4 L1H8", (2, 4), (0.87, 0.81, 0.91), 0.23, (-0.01, 0.05)),
        ("relative clause", "L1H4 L1H8 L2H8", (3, 1), (0.82, 0.76, 0.88), 0.22, (-0.02, 0.05)),
    ],
)
def test_paths(bundled, kind, senders, receiver, share, direct, control):
    (found,) = (path for path in bundled.of(kind).paths if path.receiver == receiver)
    assert [str(head) for head in found.senders] == senders.split()
    assert found.n_pairs == {"pronoun": 78, "relative clause": 40}[kind]
    assert found.share == pytest.approx(share, abs=0.01)
    assert found.direct[0] == pytest.approx(direct, abs=0.01)
    assert (found.control.min(), found.control.max()) == pytest.approx(control, abs=0.03)


def test_a_path_is_there_where_the_reading_is_kept_too(bundled):
    path = next(path for path in bundled.of("pronoun").paths if path.receiver == (3, 1))
    kept = path.kept
    assert kept.n_swaps == 181
    assert kept.share[0] == pytest.approx(0.747, abs=0.01)
    assert kept.share[1] > float(path.control.max())
    assert kept.share_of_pairs == pytest.approx(0.81, abs=0.01)
    assert kept.shift == pytest.approx(0.071, abs=0.002)
    assert kept.of_pairs == pytest.approx(0.096, abs=0.002)


def test_words_alone_have_no_path(bundled):
    assert bundled.of("attachment").paths == bundled.of("he/she").paths == ()


def test_controls_are_other_heads_of_the_same_layers():
    heads = [HeadId(1, 0), HeadId(1, 3), HeadId(2, 4)]
    for draw in control_sets(heads, n_heads=5):
        assert [head.layer for head in draw] == [1, 1, 2]
        assert not set(draw) & set(heads)
        assert len(set(draw)) == 3


@pytest.mark.parametrize(
    ("kind", "swaps", "pairs"),
    [("attachment", (0, 3), (0, 1)), ("pronoun", (6, 11), (9, 15)), ("he/she", (0, 3), (0, 40)),
     ("relative clause", (3, 5), (1, 1))],
)  # fmt: skip
def test_no_kind_names_heads_more_often_than_its_control_swaps(bundled, kind, swaps, pairs):
    rates = bundled.of(kind).naming
    assert (rates.swaps, rates.n_swaps) == swaps
    assert (rates.pairs, rates.n_pairs) == pairs
    assert not rates.shown
