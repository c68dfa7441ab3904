"""The bundled calibration says what was measured, and the code that made it makes it again."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mha.analysis.floor import floor
from mha.errors import InputError
from mha.intervention import calibrate
from mha.intervention.calibrated import FOLDER, calibration, read, write
from mha.intervention.controls import largest_moves, naming_any
from mha.intervention.forced import control_sets, margins_at, patched, seen, share_interval, versions
from mha.intervention.parts import Parts
from mha.intervention.subject import subject
from mha.maps import HeadId
from mha.pairs import KINDS, matched_swaps_of, pairs_kept_apart, pairs_of
from mha.stepwise import finished
from tests.intervention.brute import ROWS


@pytest.fixture(scope="module")
def bundled():
    found = calibration("minilm")
    assert found is not None
    return found


def test_the_file_is_small_and_reads_back_as_it_was(bundled):
    content = (FOLDER / "calibration_minilm.json").read_text()
    assert len(content) < 300_000
    assert json.loads(write(bundled)) == json.loads(content)
    assert tuple(bundled.kinds) == KINDS
    assert bundled.of("other") is None
    with pytest.raises(InputError, match="not a calibration"):
        read({"model": "MiniLM"})


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


def test_a_few_pairs_made_again_are_the_bundled_ones(minilm, bundled):
    chosen = pairs_of("relative clause")[:7]
    real = finished(seen(subject(minilm), versions(chosen)))
    stored = bundled.of("relative clause").scores
    np.testing.assert_allclose(real.margins[0], stored.a[:, :7], atol=1e-4)
    np.testing.assert_allclose(real.margins[1], stored.b[:, :7], atol=1e-4)
    separation, moved = finished(
        patched(subject(minilm), chosen[:3], [[HeadId(1, 8)], [HeadId(1, 8), HeadId(1, 4)]], at=5)
    )
    moved = moved.mean(axis=0)  # of both directions
    assert (moved[:, 0] / separation > 0.1).all()
    assert (moved[:, 1] > moved[:, 0]).all()


@pytest.fixture
def few(monkeypatch):
    """Three pairs a kind, two orders, four swaps and two sentences."""
    monkeypatch.setattr(calibrate, "pairs_of", lambda kind: pairs_of(kind)[:3])
    monkeypatch.setattr(calibrate, "COUNT", 2)
    monkeypatch.setattr(calibrate, "N_STEPS", 4 * (1 + 2 + 5 + 3))
    monkeypatch.setattr("mha.intervention.controls.swaps_of", lambda kind: matched_swaps_of(kind)[:4])
    monkeypatch.setattr("mha.intervention.controls.pairs_kept_apart", lambda kind: pairs_kept_apart(kind)[:2])
    monkeypatch.setattr("mha.intervention.bank.corpus", lambda: ("I saw the man.", "It was a dog."))


@pytest.mark.slow
def test_an_interrupted_calibration_goes_on_where_it_was(tiny, few, tmp_path, monkeypatch):
    class Interrupted(Exception):
        pass

    def until(last):
        def progress(done, whole):
            if done == last:
                raise Interrupted

        return progress

    loaded = tiny(ROWS["BertModel"])
    looked_at = []
    look = calibrate.seen
    monkeypatch.setattr(calibrate, "seen", lambda *given: looked_at.append(1) or (yield from look(*given)))
    whole = write(calibrate.calibrated(subject(loaded)))
    assert len(looked_at) == 4 * (1 + 2 + 5)
    looked_at.clear()
    for last, seen_then in ((9, 9), (31, 22), (40, 1)):  # of 32 that are seen, then three parts a kind
        with pytest.raises(Interrupted):
            calibrate.calibrated(subject(loaded), until(last), Parts.of(tmp_path / "kept", "one"))
        assert len(looked_at) == seen_then
        looked_at.clear()
    [*_, newest] = sorted((tmp_path / "kept").glob("*.npz"), key=lambda file: file.stat().st_mtime_ns)
    newest.write_bytes(b"half of it")
    kept = Parts.of(tmp_path / "kept", "one")
    assert write(calibrate.calibrated(subject(loaded), kept=kept)) == whole
    assert not looked_at
    Parts.of(tmp_path / "kept", "another revision")
    assert [file.name for file in (tmp_path / "kept").iterdir()] == ["about.json"]
    kept.forget()
    assert not (tmp_path / "kept").exists()


def test_another_model_is_calibrated_the_same_way(tiny, few):
    """A random model: nothing tells, and everything is there."""
    told = []
    loaded = tiny(ROWS["BertModel"])
    found = calibrate.calibrated(subject(loaded), progress=lambda done, whole: told.append((done, whole)))
    assert told == [(done, 44) for done in range(45)]
    again = read(json.loads(write(found)))
    for kind in KINDS:
        assert again.of(kind).telling.auc.shape == (2, 5)
        assert again.of(kind).scores.a.shape == (3, 3)  # block outputs 0 to 2, three pairs
        assert again.of(kind).n_pairs == 3
        assert again.of(kind).floor.n_swaps == 4
        assert again.of(kind).floor.low <= again.of(kind).floor.phi <= again.of(kind).floor.high
        assert 0 <= again.of(kind).floor.full_stop <= 1
        assert again.of(kind).two_words == found.of(kind).two_words
        np.testing.assert_allclose(again.of(kind).kept_apart.scores, found.of(kind).kept_apart.scores, atol=1e-4)
        assert len(again.of(kind).kept_apart.scores) == 2 >= len(again.of(kind).kept_apart.heads)


def test_pairs_kept_apart_made_again_are_the_bundled_ones(minilm, bundled):
    chosen = pairs_kept_apart("relative clause")[:2]
    experiment, stored = subject(minilm), bundled.of("relative clause").kept_apart
    separation, moved = finished(patched(experiment, chosen, [[HeadId(1, 8)], [HeadId(1, 4)]], at=5))
    np.testing.assert_allclose(separation, stored.scores[:2], atol=1e-4)
    assert (largest_moves(moved) <= stored.heads[:2] + 1e-4).all()
    assert [len(bundled.of(kind).kept_apart.scores) for kind in KINDS] == [46, 69, 16, 22]


def test_largest_moves_are_of_heads_whose_directions_agree():
    moved = np.array([[[0.3, -0.2, 0.1]], [[0.1, -0.1, 0.1]]])  # [direction, change, head]: only the last two agree
    assert largest_moves(moved).tolist() == [pytest.approx(0.15)]
    assert largest_moves(moved[..., :1]).tolist() == [0]
    assert largest_moves(moved[..., :0]).tolist() == [0]


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


def test_a_calibration_made_before_floors_still_reads(bundled):
    content = json.loads(write(bundled))
    for kind in content["kinds"].values():
        del kind["floor"], kind["two_words"], kind["paths"]
    old = read(content).of("pronoun")
    assert (old.floor, old.two_words, old.paths) == (None, None, ())


def test_a_few_swaps_made_again_are_the_bundled_ones(minilm, bundled):
    chosen = matched_swaps_of("pronoun")[:9]
    texts, others = (
        finished(margins_at(subject(minilm), [(text, one.readings) for one, text in some], 5))
        for some in ([(one, one.text) for one in chosen], [(one, one.other) for one in chosen])
    )
    sizes = bundled.of("pronoun").floor.sizes
    for size in np.abs(texts - others):
        assert np.abs(sizes - size).min() < 2e-4


def test_versions_follow_their_words():
    (pair,) = pairs_of("pronoun")[:1]
    (a, readings), (b, _) = versions([pair], order=5)
    assert sorted(a.split()) != a.split()
    assert sorted(a.strip(".").split()) == sorted(pair.a.strip(".").split())
    pivot, partner = readings[0].links[0]
    was_pivot, was_partner = pair.readings[0].links[0]
    assert a.strip(".").split()[pivot] == pair.a.strip(".").split()[was_pivot]
    assert a.strip(".").split()[partner] == pair.a.strip(".").split()[was_partner]
    assert [n for n, (x, y) in enumerate(zip(a.split(), b.split(), strict=True)) if x != y] == [readings[0].cue]


def test_a_share_is_of_sums():
    parts, whole = np.array([[1.0, 0.0], [2.0, 5.0], [0.0, 0.0]]), np.array([2.0, 5.0, 3.0])
    share, low, high = share_interval(parts, whole)
    np.testing.assert_allclose(share, [0.3, 0.5])
    assert (low <= share).all()
    assert (share <= high).all()


def test_controls_are_other_heads_of_the_same_layers():
    heads = [HeadId(1, 0), HeadId(1, 3), HeadId(2, 4)]
    for draw in control_sets(heads, n_heads=5):
        assert [head.layer for head in draw] == [1, 1, 2]
        assert not set(draw) & set(heads)
        assert len(set(draw)) == 3


def test_how_long_calibrating_takes_goes_with_heads_and_layers():
    looks, heads = 244 * 52, 2 * 0.6 * 12  # 244 pairs in 26 ways, both versions; 534 swaps at the deciding place
    assert calibrate.texts_looked_at(12, 5) == pytest.approx(looks + heads * (244 * 5 + 534 * 4))
    assert calibrate.texts_looked_at(24, 5) < 2 * calibrate.texts_looked_at(12, 5)


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


def test_a_head_is_counted_where_it_passes_its_limit_in_both_directions():
    limit = floor(np.full(10, 0.1), [str(one) for one in range(10)], heads=[0.05])
    moved = np.array(
        [
            [[0.10, 0.0], [0.10, 0.0], [0.10, 0.0], [0.02, 0.01]],
            [[0.08, 0.0], [0.01, 0.0], [0.10, 0.0], [0.02, 0.01]],
        ]
    )  # [direction, change, head]
    separations = np.array([0.4, 0.4, 0.05, -0.4])
    assert naming_any(limit, separations, moved) == [
        True,
        False,
        False,
    ]  # the third is within the limit, and not counted
