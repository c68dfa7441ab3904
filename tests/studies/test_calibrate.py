"""Making the bundled calibration again gives the same numbers; a stopped run continues; another model works alike."""

import json
from collections import Counter

import numpy as np
import pytest

from mha.assets import ASSETS
from mha.errors import InputError
from mha.intervention.calibrated import calibration, read
from mha.intervention.subject import subject
from mha.pairs import KINDS, corpus, pairs, pairs_of, swaps
from mha.words import words
from studies.forced import (
    floor,
    margins_at,
    naming_any,
    pairs_kept_apart,
    pairs_with_leans,
    share_interval,
    versions,
)
from tests.intervention.brute import ROWS


@pytest.fixture(scope="module")
def bundled():
    found = calibration("minilm")
    assert found is not None
    return found


def test_the_file_is_small_and_reads_back_as_it_was(bundled):
    content = (ASSETS / "calibration_minilm.json").read_text()
    assert len(content) < 300_000
    fields = ["kind", "n_pairs", "telling", "carrying", "floor", "naming"]
    assert list(json.loads(content)["kinds"]["pronoun"]) == fields
    assert tuple(bundled.kinds) == KINDS
    assert bundled.of_kind("other") is None
    with pytest.raises(InputError, match="not a calibration"):
        read({"model": "MiniLM"})


def test_a_few_swaps_made_again_are_the_bundled_ones(minilm, bundled):
    chosen = [swap for swap in swaps() if (swap.kind, swap.place) == ("pronoun", "cue")][:9]
    texts, others = (
        margins_at(subject(minilm), [(text, one.readings) for one, text in some], 5)
        for some in ([(one, one.text) for one in chosen], [(one, one.other) for one in chosen])
    )
    sizes = bundled.of_kind("pronoun").floor.sizes
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
    assert all(versions([pair], order=order, fixed=1)[0][0].split()[0] == pair.a.split()[0] for order in range(5))


def test_pairs_of_a_causal_model_name_no_first_word(tiny):
    causal, both_ways = (subject(tiny(ROWS[name])) for name in ("GPT2Model", "BertModel"))
    chosen = pairs_of("he/she")
    assert pairs_with_leans(both_ways, chosen) == chosen
    left = pairs_with_leans(causal, chosen)
    assert len(chosen) - len(left) == 6
    assert not any(0 in link for pair in left for reading in pair.readings for link in reading.links)


def test_a_share_is_of_sums():
    parts, whole = np.array([[1.0, 0.0], [2.0, 5.0], [0.0, 0.0]]), np.array([2.0, 5.0, 3.0])
    share, low, high = share_interval(parts, whole)
    np.testing.assert_allclose(share, [0.3, 0.5])
    assert (low <= share).all()
    assert (share <= high).all()


def test_a_head_is_counted_where_it_passes_its_limit_in_both_directions():
    limit = floor(np.full(10, 0.1), [str(one) for one in range(10)], heads=[0.05])
    moved = np.array(
        [[[0.10, 0.0], [0.10, 0.0], [0.10, 0.0], [0.02, 0.01]], [[0.08, 0.0], [0.01, 0.0], [0.10, 0.0], [0.02, 0.01]]]
    )  # [direction, change, head]
    separations = np.array([0.4, 0.4, 0.05, -0.4])
    assert naming_any(limit, separations, moved) == [
        True,
        False,
        False,
    ]  # the third is within the limit, and not counted


def test_pairs_kept_apart_are_of_no_other_set():
    apart = [pair for kind in KINDS for pair in pairs_kept_apart(kind)]
    assert Counter(pair.kind for pair in apart) == {
        "attachment": 46, "pronoun": 69, "he/she": 16, "relative clause": 22,
    }  # fmt: skip
    other = {text.casefold() for one in (*pairs(), *swaps()) for text in (one.a, one.b)} | {*corpus()}
    texts = [text for pair in apart for text in (pair.a, pair.b)]
    assert len({text.casefold() for text in texts} - other) == len(texts) == 2 * 153
    for pair in apart:
        a, b = words(pair.a), words(pair.b)
        assert [number for number, word in enumerate(a) if word != b[number]] == [pair.cue]
        assert len(a) == len(b)
