"""Language counts of small sources are worked out by hand."""

import doctest

import pytest

from tests import language

SOURCE = '''"""Return what is drawn."""  # four words, one habit


def found(text, one, *, left=0):  # bindings text, one, left
    for token in text:  # token
        kept, head = token, one  # kept, head
    return head


class Box:
    def _given(self):  # self is left out
        """Return the box."""

    def __len__(self):
        return 0
'''


def test_language_counts_of_a_small_source():
    # 6 bindings: 2 participles (left, kept), 1 pronoun (one); both functions; docstrings: 1 habit in 7 words; comments:
    # no habit; a document of 10 words with 2 habits
    document = "The link says that nobody is here and all left."
    counts = language.language_counts(language.read_language([SOURCE], [document]))
    assert counts == {
        "participles_percent": 33.3, "pronouns_percent": 16.7, "functions_percent": 100, "docstring_habits": 142.9,
        "comment_habits": 0, "document_habits": 200,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "habits"),
    [
        ("Return the visible tokens.", {}),
        ("What is drawn?", {}),
        ("Queued requests are not run.", {}),
        ("What waits is not run.", {"what as a noun": 1}),
        ("The page tells the reader.", {"things that say or tell": 1}),
        ("A stands for attention.", {}),
        ("The word stands here.", {"stands, stood": 1}),
        ("Of Streamlit these are used.", {"fronted 'Of …'": 1}),
        ("None where the model has no limit.", {"None without a verb": 1}),
        ("There is none. This is no word.", {"'is none', 'is no x'": 2}),
        ("whoever waits, somebody else", {"whoever, nobody": 2}),
        ("drawn anew beside it", {"beside, anew": 2}),
        ("It brings a value in its place.", {"bring, brought": 1, "in the place of": 1}),
        ("The text is used as it stands.", {"stands, stood": 1, "as x has it": 1}),
        ("the one that runs", {"one that, those that": 1}),
        ("A head that looks at a word which a model that reads it knows.", {"three relative clauses": 1}),
    ],
)  # fmt: skip
def test_count_habits_of_a_sentence(text, habits):
    assert language.count_habits([text]) == habits


def test_language_of_the_project_meets_its_aims():
    assert language.excesses(language.language_counts(language.project_language())) == []


def test_excesses_name_each_number_above_its_aim():
    counts = dict.fromkeys(language.AIMS, 0) | {"pronouns_percent": 1.1, "comment_habits": 3}
    assert language.excesses(counts) == ["pronouns_percent: 1.1 exceeds 1."]


def test_language_examples_are_true():
    assert doctest.testmod(language) == (0, 1)
