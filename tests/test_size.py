"""Counts of small sources are worked out by hand; the check names each count above its limit."""

import ast
import doctest

import pytest

from tests import language, size

SOURCE = '''"""Return what is drawn."""  # four words, one habit

import os  # statement 1


class Box:  # 2
    width = 1; height = 2  # 3, 4

    def _given(self):  # 5; self is left out
        """Return the box."""
        if self:  # 6
            "not a docstring"  # 7


def found(text, one, *, left=0):  # 8
    for token in text:  # 9
        kept, head = token, one  # 10
    return head  # 11
'''


def test_statements_lines_and_names_of_a_small_source():
    tree = ast.parse(SOURCE)
    assert (size.count_statements(tree), size.count_classes(tree)) == (11, 1)
    # an empty line, a line of 120, a line of 121 (two) and a line of 361 (four)
    assert size.count_script_lines("\n" + "a" * 120 + "\n" + "a" * 121 + "\n" + "a" * 361) == 8
    # 8 bindings: 2 participles (left, kept), 1 pronoun (one); both functions; 1 habit in 7 words of docstrings; a
    # document of 10 words with 2 habits
    document = "The link says that nobody is here and all left."
    assert language.language_counts(language.read_language([SOURCE], [document])) == {
        "participles_percent": 25.0, "pronouns_percent": 12.5, "functions_percent": 100, "docstring_habits": 142.9,
        "comment_habits": 0, "document_habits": 200,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "habits"),
    [
        ("Return the visible tokens. What is drawn? A stands for attention.", {}),
        ("What waits is not run.", {"what as a noun": 1}),
        ("It brings a value in its place.", {"bring, brought": 1, "in the place of": 1}),
        ("A head that looks at a word which a model that reads it knows.", {"three relative clauses": 1}),
    ],
)
def test_count_habits_of_a_sentence(text, habits):
    assert language.count_habits([text]) == habits


def test_excesses_name_the_count():
    counts = {"statements": 33_501, "files": 5, "classes": 7}
    limits = {"statements": 33_500, "files": 5, "test_lines": 1}
    assert size.excesses(counts, limits) == [
        "statements in `mha` + `pages`, without docstrings: 33,501 exceeds the limit of 33,500.",
        "classes in `mha` + `pages`: tests/size.json has no limit.",
        "tests/size.json limits 'test_lines', which is not counted.",
    ]


def test_examples_are_true():
    assert [doctest.testmod(module) for module in (size, language)] == [(0, 1), (0, 1)]
