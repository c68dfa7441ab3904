"""Proposals over the sentences of docs/proposals.md, where they are silent, and on whatever else may be typed."""

import json
from collections import Counter
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mha
from mha.analysis.proposals import MOST_WORDS, only_english, propose
from mha.errors import InputError
from mha.maps import Reading
from mha.pairs import pairs, swaps
from mha.words import words

ROWS = json.loads((Path(__file__).parents[1] / "data" / "proposals.json").read_text(encoding="utf-8"))["rows"]


def right(text: str, pivot: int, partners: list[int]) -> bool:
    """Return whether the first proposal has this pivot and these partners, in either order."""
    found = propose(text)
    return bool(found) and (found[0].pivot, set(found[0].partners)) == (pivot, set(partners))


def share(which: str, half: str) -> float:
    """Return the share of texts of one set and one half that are right: silent ones where nothing is proposed."""
    rows = [row for row in ROWS if (row["set"], row["half"]) == (which, half)]
    told = [
        not propose(text) if which == "silent" else right(text, row["pivot"], row["partners"])
        for row in rows
        for text in row["texts"]
    ]
    return sum(told) / len(told)


def said(text: str) -> tuple[str, str, str, str] | None:
    """Return kind, pivot and partners of the first proposal as words; None where there is none."""
    found = propose(text)
    listed = words(text)
    return (found[0].kind, *(listed[number] for number in (found[0].pivot, *found[0].partners))) if found else None


def test_the_sets_are_as_large_as_was_asked_and_halved():
    assert Counter(row["set"] for row in ROWS if row["half"] != "later") == {"pairs": 153, "typed": 102, "silent": 141}
    assert Counter(row["set"] for row in ROWS if row["half"] == "later") == {"typed": 35, "silent": 60}
    assert {row["half"] for row in ROWS} == {"open", "kept", "later"}
    texts = [text for row in ROWS for text in row["texts"]]
    assert len(texts) == len(set(texts))
    assert not set(texts) & {text for pair in pairs() for text in (pair.a, pair.b)}


@pytest.mark.parametrize("half", ["open", "kept"])
@pytest.mark.parametrize(("which", "least"), [("pairs", 0.95), ("typed", 0.95), ("silent", 0.98)])
def test_proposals_are_right_as_often_as_docs_say(which, half, least):
    assert share(which, half) >= least


@pytest.mark.parametrize(("which", "least"), [("typed", 0.87), ("silent", 0.9)])
def test_so_they_are_on_sentences_that_were_written_last(which, least):
    assert share(which, "later") >= least


def test_every_forced_pair_and_every_swap_is_found():
    texts = [(text, pair) for pair in pairs() for text in (pair.a, pair.b)]
    texts += [(text, one) for one in swaps() if one.author == "first" for text in (one.text, one.other)]
    missed = [
        text
        for text, pair in texts
        if said(text) is None
        or propose(text)[0].kind != pair.kind
        or not right(text, pair.readings[0].links[0][0], [reading.links[0][1] for reading in pair.readings])
    ]
    assert missed == []


def test_a_proposal_is_two_readings_named_by_their_words():
    (found,) = mha.propose("I saw the man with the telescope")
    assert found == mha.Proposal(
        "attachment",
        6,
        (1, 3),
        (Reading("the phrase goes with saw", ((6, 1),)), Reading("the phrase goes with man", ((6, 3),))),
    )
    with pytest.raises(FrozenInstanceError):
        found.pivot = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    "text",
    [
        "It rained and the dog bit the cat.",  # an expletive
        "The man told the boy that it was clear that the plan failed.",
        "My father is a teacher and he loves his job.",  # two nouns, one person
        "The waitress dropped the tray because she tripped.",  # one that may be meant
        "The queen called the clerk because he was late.",  # grammar leaves one
        "The dog barked until its owner came.",
        "The birds left the island before their nests were finished.",
        "He put the keys on the table.",  # a phrase that goes one way
        "They gave the money to the poor.",
        "I saw the film on Monday.",
        "The man with the beard laughed.",
        "I know that you are tired.",  # that joins clauses
        "The woman who called you is my aunt.",
        "She put on her coat and turned off the light.",  # particles
        "He bought a new car and a house.",
        "The teacher showed the class a film.",  # two objects
        "No, no, no, no!",  # Spanish has that word, too
        "Colorless green ideas sleep furiously.",
        "I love the naïve café and more than that.",
        "<b>bold</b> & [link](https://example.org) $x^2$",
    ],
)
def test_silence(text):
    assert propose(text) == ()
    assert only_english(text) == ""


@pytest.mark.parametrize(
    "text",
    ["Ich sah den Mann mit dem Fernrohr", "Vi al hombre con el telescopio", "Es regnete im Tal.",
     "Le chien a chassé le chat parce qu'il avait faim.", "La niña come una manzana.", "Il pleut dans la vallée.",
     "Ik zag de man met de verrekijker",
     "Я видел человека с телескопом", "ראיתי את האיש עם הטלסקופ"],
)  # fmt: skip
def test_other_languages_are_told_what_suggestions_work_for(text):
    assert propose(text) == ()
    assert only_english(text) == "Suggestions work for English."


@pytest.mark.parametrize(
    "text",
    ["", " ", ".", "it", "x" * 10_000, "saw it " * 5_000, "😀 it 😀 was 😀", "\0\x07 he \x1b said", "who " * 50,
     "'s 's 's", "\u202eI saw\u202c the man", "漢字漢字漢字", "... !!! ???", "of with from that",
     "it's it's it's", "İ ſ ß ﬁ", "1 2 3 4"],
)  # fmt: skip
def test_whatever_is_typed_is_answered(text):
    assert propose(text) == ()
    assert only_english(text) in ("", "Suggestions work for English.")


LISTED = (
    "the a his her old red man woman dogs king queen Anna Tom letter saw with in of who that it he she they them "
    "because and or was put gave told before rained . , ? Mr. Anna's 's der mit el con le avec qu'il 😀 שלום"
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(LISTED.split()) | st.text(max_size=8), max_size=30).map(" ".join))
def test_a_proposal_joins_three_different_words_of_the_text(text):
    for found in propose(text):
        numbers = (found.pivot, *found.partners)
        assert len(set(numbers)) == 3
        assert all(0 <= number < len(words(text)) for number in numbers)
        assert [reading.links for reading in found.readings] == [((found.pivot, one),) for one in found.partners]


def test_a_long_text_is_left_alone():
    text = "The dog chased the cat because it was hungry. " * 9
    assert len(words(text)) == 81 > MOST_WORDS
    assert propose(text) == ()


def test_a_lean_without_readings_is_that_of_the_suggested_ones():
    maps = mha.attend("The clerk thanked the guest because he waited")
    expected = mha.lean(maps, mha.propose(maps.text)[0].readings)
    np.testing.assert_array_equal(mha.lean(maps), expected)
    np.testing.assert_array_equal(mha.lean(maps.text), mha.lean(maps.merged()))
    with pytest.raises(InputError, match="Nothing is suggested for this text"):
        mha.lean(mha.attend("It rained."))
