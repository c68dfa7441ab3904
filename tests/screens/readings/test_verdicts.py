"""The ten states of a difference, in their order, each with its exact sentence."""

import numpy as np
import pytest

from mha.analysis.floor import Floor, TwoWordsRates
from mha.screens.readings.score_line import score_line
from mha.screens.readings.states import ELSEWHERE, NO_PAIRS, SEVERAL, MovedScore, State, verdict
from tests.said import texts

SIZES = np.linspace(0.001, 0.029, 150)  # φ = 0.0262
FLOOR = Floor(SIZES, 0.021, 0.037, np.array([0.01]))
RATES = TwoWordsRates(70, 37, 5)
AGREEING = (("starving", 0.09), ("tasty", 0.01))


def moved(typed=0.11, other=-0.05, seconds=AGREEING, **more) -> MovedScore:
    given = {"forces": "B", "floor": FLOOR, "rates": RATES} | more
    return MovedScore(
        ("hungry", "delicious"), (typed, other), ("dog", "food"), "it", "pronoun", "MiniLM", seconds=seconds, **given
    )


SENTENCES = [
    (
        moved(forces=None),
        State.NO_SIDE,
        "Changing hungry to delicious moves the score by 0.16. Which of the two fits dog?",
    ),
    (
        moved(forces=None, no_kind=SEVERAL),
        State.NO_KIND,
        "The score changes by 0.16. There is no control, because more than one word differs.\n"
        "Change only one word to compare it with control swaps.",
    ),
    (
        moved(no_kind=NO_PAIRS, floor=None),
        State.NO_KIND,
        "The score changes by 0.16. There are no control swaps for this type of sentence.\n"
        "Choose a type of ambiguity under Edit readings if one fits.",
    ),
    (
        moved(no_kind=ELSEWHERE),
        State.NO_KIND,
        "The score changes by 0.16. There is no control, because control swaps of this type change another word of the "
        "sentence.\nChange the word that decides between the readings to compare it with control swaps.",
    ),
    (
        moved(floor=None),
        State.NO_FLOOR,
        "The score changes by 0.16. Control swaps are not measured for MiniLM yet.",
    ),
    (
        moved(valid=False),
        State.NOT_VALID,
        "On test pairs this score is not clearly better than chance, so there is no verdict.\n"
        "See Does it matter? for the reliability check.",
    ),
    (
        moved(-0.05, 0.11),
        State.WRONG_WAY,
        "The score moves in the unexpected direction: changing hungry to delicious moves it towards dog, although food "
        "should fit.\nThis model does not separate these readings.",
    ),
    (
        moved(0.10, 0.09),
        State.BELOW,
        "The score changes by 0.01, within the control limit.\nNo head is named: control swaps move the score as far.",
    ),
    (
        moved(0.11, 0.08, (("starving", 0.12), ("tasty", 0.01))),
        State.BARELY,
        "The score changes by 0.03, not clearly beyond the control limit.\n"
        "The limit is known only roughly (0.02 to 0.04), so no head is named.",
    ),
    (
        moved(seconds=(("starving", -0.06), ("tasty", -0.2))),
        State.DISAGREE,
        "The two words for each reading disagree.\n"
        "Changing hungry to delicious moves the score, but starving, a word for dog, scores closer to food than "
        "delicious does. So the words move it; that the reading does is not shown.",
    ),
    (
        moved(seconds=(("starving", 0.2), ("tasty", 0.15))),
        State.DISAGREE,
        "The two words for each reading disagree.\n"
        "Changing hungry to delicious moves the score, but tasty, a word for food, scores closer to dog than hungry "
        "does. So the words move it; that the reading does is not shown.",
    ),
    (
        moved(),
        State.ABOVE,
        "Changing hungry to delicious moves the score from dog towards food, more than all 150 control swaps.",
    ),
    (
        moved(seconds=(("starving", 0.09), None)),
        State.ONE_WORD,
        "Changing hungry to delicious moves the score from dog towards food, more than all 150 control swaps.\n"
        "Add a second word for each reading. If both agree, the evidence is much stronger.",
    ),
]


@pytest.mark.parametrize(("this", "state", "sentence"), SENTENCES)
def test_every_state_has_its_sentence(this, state, sentence):
    assert this.state is state
    assert texts(verdict(this)) == sentence


def test_the_first_state_that_fits():
    assert moved(forces=None, no_kind=NO_PAIRS).state is State.NO_SIDE  # 2 before 3
    assert moved(no_kind=NO_PAIRS, floor=None, valid=False).state is State.NO_KIND  # 3 before 4 and 5
    assert moved(-0.05, 0.11, valid=False).state is State.NOT_VALID  # 5 before 6
    assert moved(0.11, 0.08, (("x", 0.0), ("y", 0.2))).state is State.BARELY  # before the words are compared
    assert moved(0.08, 0.11, (None, None)).state is State.BARELY  # whichever way
    assert "Add a second word" not in texts(verdict(moved(0.11, 0.08, (None, None))))


def test_exactly_at_the_floor_is_below_and_a_difference_of_zero_too():
    assert moved(FLOOR.phi, 0.0, (None, None)).state is State.BELOW
    assert moved(-FLOOR.phi, 0.0, (None, None)).state is State.BELOW
    assert moved(0.0, 0.0).state is State.BELOW


def test_within_the_floor_words_that_do_not_agree_are_not_read():
    assert score_line(moved(0.0, 0.0, (("x", -0.01), ("y", 0.01)))).order == ""
    assert score_line(moved(0.001, 0.0, (("x", 0.002), ("y", -0.01)))).order == "both words agree"
    assert score_line(moved(0.001, 0.0, (("x", -0.002), ("y", 0.01)))).order == ""


def test_the_typed_word_may_force_either_reading():
    this = moved(-0.05, 0.11, (("tasty", 0.01), ("starving", 0.09)), forces="A")
    assert this.state is State.ABOVE
    assert "from food towards dog" in texts(verdict(this))
    assert this.sides == ("B", "A")
    assert moved(forces="A", seconds=(None, None)).state is State.WRONG_WAY


def test_a_part_of_the_changes_is_counted_down_so_that_all_are_never_said_too_early():
    this = moved(0.11, 0.11 - SIZES[-2] + 1e-6)
    assert this.further == "98 of 100"
    assert moved().further == "all 150"


def test_he_and_she_are_not_asked_for_second_words():
    this = MovedScore(
        ("he", "she"),
        (0.3, -0.1),
        ("king", "queen"),
        "he",
        "he/she",
        "MiniLM",
        "B",
        floor=FLOOR,
        rates=TwoWordsRates(40, 40, 0),
    )
    assert this.state is State.ONE_WORD
    said = texts(verdict(this))
    assert "Add a second word" not in said
    assert (
        "Among 40 test pairs with another word of the clause changed, both versions for each reading agree in 40 and"
        in said
    )


def test_only_two_states_share_anything_out():
    assert {state for state in State if state.shares} == {State.ABOVE, State.ONE_WORD}
