"""The bundled calibration of MiniLM: its file, and the results in it."""

import json

import numpy as np
import pytest

from mha.assets import ASSETS
from mha.intervention.calibrated import calibration


@pytest.fixture(scope="module")
def bundled():
    found = calibration("minilm")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def content():
    return json.loads((ASSETS / "calibration_minilm.json").read_text(encoding="utf-8"))


def measured(content, kind, part):
    """Return a part of the file that the study wrote and pages do not read: its arrays by name."""
    return {name: np.array(value, dtype=float) for name, value in content["kinds"][kind][part].items()}


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
def test_heads_that_tell_the_versions_apart(content, kind, head, auc, pair):
    found = measured(content, kind, "telling")
    assert (found["auc"][head], found["pair"][head]) == pytest.approx((auc, pair), abs=0.01)
    assert found["auc_low"][head] <= found["auc"][head] <= found["auc_high"][head]


def test_no_head_tells_attachment_and_gender(content):
    for kind in ("attachment", "he/she"):
        assert not measured(content, kind, "telling")["telling"].any()
    for kind in ("pronoun", "relative clause"):
        assert measured(content, kind, "telling")["telling"][3, 1] == 1


def test_heads_that_carry_pronouns(content):
    found = measured(content, "pronoun", "carrying")
    shares = [found["share"][head] for head in ((2, 3), (2, 8), (3, 9), (2, 1), (3, 1))]
    np.testing.assert_allclose(shares, [0.22, 0.17, 0.12, 0.11, 0.10], atol=0.01)
    assert found["low"][2, 1] < 0 < found["low"][2, 3]  # L2H1 is not safe on every set
    assert np.isnan(found["share"][5]).all()


@pytest.mark.parametrize(
    ("kind", "n", "phi", "low", "high", "bar"),
    [
        ("pronoun", 194, 0.0264, 0.0231, 0.0311, 0.0132),
        ("he/she", 70, 0.1250, 0.0956, 0.1488, 0.0089),
        ("relative clause", 128, 0.0298, 0.0199, 0.0426, 0.0126),
        ("attachment", 142, 0.2952, 0.2480, 0.5376, 0.0163),
    ],
)
def test_floors(bundled, kind, n, phi, low, high, bar):
    found = bundled.of_kind(kind)
    assert found.floor.n_swaps == n
    assert (found.floor.phi, found.floor.low, found.floor.high) == pytest.approx((phi, low, high), abs=2e-4)
    assert found.floor.head_bar == pytest.approx(bar, abs=1e-4)


@pytest.mark.parametrize(
    ("kind", "swaps", "pairs"),
    [("attachment", (0, 3), (0, 1)), ("pronoun", (6, 11), (9, 15)), ("he/she", (0, 3), (0, 40)),
     ("relative clause", (3, 5), (1, 1))],
)  # fmt: skip
def test_naming_rates_are_those_of_the_claims(bundled, kind, swaps, pairs):
    rates = bundled.of_kind(kind).naming
    assert (rates.swaps, rates.n_swaps) == swaps
    assert (rates.pairs, rates.n_pairs) == pairs
