"""What grammar settles between two candidates, and that it is silent everywhere else."""

import pytest

from mha.analysis.proposals.groups import WordAgreement, agreement
from mha.words import words

CASES = [
    ("The nephew of the lawyers who was late", "who nephew lawyers", WordAgreement(6, 0)),
    ("The nephews of the lawyer who was late", "who nephews lawyer", WordAgreement(6, 1)),
    ("The sons of the man who always are late", "who sons man", WordAgreement(7, 0)),
    ("The dog of the boys that has left", "that dog boys", WordAgreement(6, 0)),
    ("The king thanked the queen because he waited", "he king queen", WordAgreement(6, 0)),
    ("The queen met the clerk because he waved", "he queen clerk", WordAgreement(6, 1)),
    ("Anna met Paul when She left", "She Anna Paul", WordAgreement(4, 0)),
]
SILENT = [
    ("The clerk thanked the guest because he waited", "he clerk guest"),
    ("The king met the prince because he waved", "he king prince"),
    ("The king thanked the guest because he waited", "he king guest"),
    ("The nurse called her mother because she was worried", "she nurse mother"),
    ("The nephew of the lawyer who was late", "who nephew lawyer"),
    ("The friend of the sisters who sang", "who friend sisters"),
    ("The owner of the dogs that put on weight", "that owner dogs"),
    ("The owner of the dogs that can swim", "that owner dogs"),
    ("The players of the team who were late", "who players team"),
    ("The dog ate the food because it was hungry", "it dog food"),
    ("I saw the man with the telescope", "telescope saw man"),
    ("Der Mann sah die Frau weil er wartete", "er Mann Frau"),
]


def asked(text: str, three: str) -> WordAgreement | None:
    said = words(text)
    pivot, a, b = (said.index(one) for one in three.split())
    return agreement(text, pivot, (a, b))


@pytest.mark.parametrize(("text", "three", "found"), CASES)
def test_number_and_gender_settle_what_they_can(text, three, found):
    assert asked(text, three) == found


@pytest.mark.parametrize(("text", "three"), SILENT)
def test_nothing_is_settled_where_both_may_be_meant(text, three):
    assert asked(text, three) is None
