"""Kinds guessed from the pivot, and kinds that do not fit it."""

import pytest

from mha.link.readings import ReadingsWords
from mha.pairs import KINDS, pairs
from mha.screens.readings.ambiguity import fits, guessed
from mha.screens.readings.choices import resolved
from mha.words import words

COOK = "The cook warned the waiter because he was late"


@pytest.mark.parametrize(
    ("text", "pivot", "partners", "other", "kind"),
    [
        ("The trophy did not fit in the suitcase because it was big", 9, (1, 7), "", "pronoun"),
        (COOK, 6, (1, 4), "", "pronoun"),
        (COOK, 6, (1, 4), "The cook warned the waiter because she was late", "he/she"),
        (COOK, 6, (1, 4), "The cook warned the waiter because he was rude", "pronoun"),
        ("They shot the dogs that barked", 4, (0, 3), "", "relative clause"),
        ("She hit the thief with her long umbrella", 7, (1, 3), "", "attachment"),
        ("They discussed books in Rome", 4, (1, 2), "", "attachment"),
        ("With the telescope I saw the man", 2, (4, 6), "", "other"),  # its partners come after it
        ("Visiting relatives can be boring", 0, (1, 4), "", "other"),
    ],
)  # fmt: skip
def test_the_kind_is_guessed_from_the_pivot(text, pivot, partners, other, kind):
    assert guessed(words(text), pivot, partners, words(other) if other else ()) == kind


def test_every_forced_pair_fits_its_kind_and_would_be_guessed():
    for pair in pairs():
        (pivot, a), (_, b) = (reading.links[0] for reading in pair.readings)
        assert fits(pair.kind, words(pair.a), pivot, (a, b), words(pair.b)), pair.id
        assert guessed(words(pair.a), pivot, (a, b), words(pair.b)) == pair.kind, pair.id


def test_c19_a_kind_is_no_free_choice_for_a_verdict():
    dog = "A dog ate the food because it was hungry."
    chosen = resolved(dog, ReadingsWords(kind="relative clause"))
    assert chosen.kind == "relative clause"
    assert chosen.compared_with is None
    assert resolved(dog, ReadingsWords()).compared_with == "pronoun"
    for kind in KINDS:
        assert not fits(kind, words("The old man the boat"), 2, (1, 4))
