"""Which score is asked for: what was typed, what the readings suggest, and a sentence where neither will do."""

import pytest

from mha.engine.experiments import LINK, Score
from mha.link.readings import ReadingsWords
from mha.screens.readings.choices import resolved
from mha.screens.readings.score import SCORE_ROWS, asked_score, missing_text, not_offered, suggested, told_block
from tests.said import texts

DOG = resolved("A dog ate the food because it was hungry.", ReadingsWords())
TELESCOPE = resolved("I saw the man with the telescope", ReadingsWords())
OWN = resolved("He hid it", ReadingsWords(pivot="2 it", a=("0 He",), b=("1 hid",)))


@pytest.mark.parametrize(
    ("label", "found", "expected"),
    [
        ("fills", DOG, ("dog", "food")),
        ("fills", TELESCOPE, ("", "")),  # the telescope stands for neither of its partners
        ("continuations", TELESCOPE, ("I used it", "he had it")),
        ("targets", DOG, ("the dog was hungry", "the food was hungry")),
        ("continuations", OWN, ("", "")),  # nobody has named the readings
    ],
)
def test_what_the_readings_suggest(label, found, expected):
    assert suggested(SCORE_ROWS[label], found) == expected


def test_what_was_typed_comes_first():
    row = SCORE_ROWS["continuations"]
    assert asked_score(row, (" It barked. ", ""), DOG) == Score("continuations", "It barked.", "the food was hungry")


def test_a_text_that_is_missing_is_asked_for():
    row = SCORE_ROWS["fills"]
    score = asked_score(row, ("lens", ""), TELESCOPE)
    assert missing_text(row, score).startswith("Fill in “")
    same = asked_score(row, ("lens", "lens"), TELESCOPE)
    assert missing_text(row, same) == "Both texts are the same. Change one."
    assert missing_text(row, asked_score(row, ("", ""), DOG)) == ""


def test_every_score_says_what_its_number_is_and_whom_it_can_be_asked():
    for row in SCORE_ROWS.values():
        if row.name == LINK:
            continue
        said = texts([told_block(row, Score(row.name, "lens", "beard"), TELESCOPE)])
        assert "lens" in said
        assert "beard" in said
        assert "in nats" in said
        assert not_offered(row, "MiniLM").startswith("MiniLM cannot use this score (")


@pytest.mark.parametrize(("score", "reach"), [(Score(at=5), 5), (Score("fills", "a", "b"), 6), (Score(), 5)])
def test_how_many_layers_can_act_on_a_score(score, reach):
    assert score.reach(6) == reach
