"""The bundled pairs and the corpus are what the calibration takes them for."""

from collections import Counter

import pytest

from mha.analysis.readings import first_change
from mha.errors import InputError
from mha.pairs import KINDS, LATE_KINDS, Pair, corpus, pairs, pairs_of, swaps, swaps_of
from mha.words import words
from studies.calibrate import measured_kinds

AUTHORS = ("first", "second", "third")
GENDERED = {  # nouns that *he* or *she* alone can go with
    *("king", "queen", "man", "woman", "boy", "girl", "father", "mother", "son", "daughter", "brother", "sister"),
    *("uncle", "aunt", "husband", "wife", "actress", "waiter", "waitress", "prince", "princess", "lady", "lord"),
    *("niece", "nephew", "bride", "groom", "widow", "monk", "nun", "duke", "duchess", "heroine", "host", "hostess"),
} - {"host"}


def test_there_are_244_pairs_in_four_kinds():
    assert Counter(pair.kind for pair in pairs()) == {
        "attachment": 82, "pronoun": 82, "he/she": 40, "relative clause": 40,
    }  # fmt: skip
    assert len({pair.id for pair in pairs()}) == 244
    assert sum(len(pairs_of(kind)) for kind in KINDS) == 244


def test_versions_differ_in_the_cue_and_in_nothing_else():
    def differences(pair: Pair) -> list[int]:
        there = words(pair.b)
        return [number for number, word in enumerate(words(pair.a)) if word != there[number]]

    assert [pair.id for pair in pairs() if len(words(pair.a)) != len(words(pair.b))] == []
    assert [pair.id for pair in pairs() if differences(pair) != [pair.cue]] == []


def test_readings_share_the_pivot_and_their_words_exist():
    for pair in pairs():
        numbers = [number for reading in pair.readings for number in reading.links[0]]
        assert numbers[0] == numbers[2]
        assert len(set(numbers)) == 3
        assert all(isinstance(number, int) and number < len(words(pair.a)) for number in numbers)
        assert pair.a.endswith(".")
        assert pair.b.endswith(".")


def test_other_sentences_have_no_pairs_and_unknown_kinds_are_refused():
    assert pairs_of("other") == ()
    with pytest.raises(InputError, match="relative clause, other; this is 'irony'"):
        pairs_of("irony")


def test_the_corpus_is_300_different_sentences_of_5_to_16_words():
    assert len(corpus()) == len(set(corpus())) == 300
    assert all(5 <= len(words(sentence)) <= 16 for sentence in corpus())
    assert all(sentence.endswith((".", "?")) and sentence.isascii() for sentence in corpus())


def test_swaps_of_three_authors_keep_the_reading_of_one_version():
    counts = {author: Counter(one.kind for one in swaps() if one.author == author) for author in AUTHORS}
    assert counts == {
        "first": {"attachment": 102, "pronoun": 150, "he/she": 80, "relative clause": 80},
        "second": {"attachment": 40, "pronoun": 44, "he/she": 20, "relative clause": 48},
        "third": {"he/she": 70},
    }
    assert sum(sum(one.values()) for one in counts.values()) == len(swaps()) == 634
    by_id = {pair.id: pair for pair in pairs()}
    for swap in swaps():
        differing = [n for n, (x, y) in enumerate(zip(words(swap.text), words(swap.other), strict=True)) if x != y]
        assert differing == [swap.word]
        assert (swap.a, swap.b) == (swap.text, swap.other)
        if swap.author == "first":
            assert swap.text == getattr(by_id[swap.item], swap.version)
            assert swap.readings == by_id[swap.item].readings
            assert (swap.word == by_id[swap.item].cue) == (swap.place == "cue")
            assert swap.other not in (by_id[swap.item].a, by_id[swap.item].b)


def matched_swaps_of(kind):
    """Return the swaps of one kind that change the very place which decides its pairs: its control."""
    return tuple(swap for swap in swaps_of(kind) if swap.place == "cue")


def test_what_controls_a_kind_changes_the_place_that_decides_it():
    assert {swap.kind for swap in swaps() if swap.place == "other"} == {"he/she"}
    assert {kind: len(matched_swaps_of(kind)) for kind in KINDS} == {
        "attachment": 142, "pronoun": 194, "he/she": 70, "relative clause": 128,
    }  # fmt: skip
    for swap in matched_swaps_of("he/she"):
        assert {words(swap.text)[swap.word], words(swap.other)[swap.word]} == {"he", "she"}
        assert not set(map(str.casefold, words(swap.text))) & GENDERED, swap.text
    assert len({swap.text for swap in matched_swaps_of("he/she")}) == 70


def test_other_sentences_have_no_swaps():
    assert swaps_of("other") == ()
    with pytest.raises(InputError, match="this is 'irony'"):
        swaps_of("irony")


def test_pairs_whose_first_version_allows_both_readings_are_marked():
    loose = {pair.id: words(pair.a)[pair.cue] for pair in pairs() if pair.loose}
    assert loose == {"pp00": "binoculars", "pp03": "stick", "pp77": "radar", "pp87": "cameras", "pp90": "photo"}


@pytest.mark.parametrize("kind", KINDS)
def test_late_kinds_are_those_whose_change_no_causal_score_can_read(kind):
    late = [first_change(words(pair.a), words(pair.b)) > max(max(*link) for reading in pair.readings for link in
            reading.links) for pair in pairs_of(kind)]  # fmt: skip
    assert all(late) if kind in LATE_KINDS else not any(late)
    assert (kind in measured_kinds(causal=True)) == (kind not in LATE_KINDS)
    assert kind in measured_kinds(causal=False)
