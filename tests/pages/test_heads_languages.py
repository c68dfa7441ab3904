"""Heads of a text in another language than English: one sentence, and what it says is so."""

import pytest

SUGGESTS = "Suggestions work for English."
SCHOOL = "Die Lehrerin erklärte den Kindern geduldig das schwierige Gedicht"
RAIN = "Es regnete im Tal."


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("link", "told"),
    [
        ({"text": "I saw the man near the house"}, ()),
        ({"text": "It rained in the valley"}, ()),
        ({"text": SCHOOL}, (SUGGESTS,)),
        ({"text": "Я видел человека с телескопом"}, (SUGGESTS,)),
        ({"text": "Der Wächter beobachtete den Spaziergänger mit dem Fernglas"}, (SUGGESTS,)),
        ({"text": SCHOOL, "model": "toy"}, (SUGGESTS,)),
        ({"text": RAIN, "heads_pair": "Es regnete."}, ()),  # of two texts nothing is suggested in any language
    ],
)
def test_one_sentence_says_what_is_not_known_of_a_text_in_another_language(visit, link, told):
    said = visit(**link).said().split("\n")
    assert tuple(line for line in said if "English" in line) == told
