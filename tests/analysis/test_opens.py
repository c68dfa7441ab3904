"""What a notebook opens with is what the page opens with, for examples and for any other text."""

import numpy as np
import pytest

import mha
from mha.engine.bundled import bundled
from mha.examples import NEXT_WORD_EXAMPLES, examples
from mha.views.heads import select

TEXTS = [
    *dict.fromkeys(example.text for example in examples() if example.readings),
    "The clerk told the guest that he was late.",
    "The quick brown fox jumps over the lazy dog.",
    "hello world again",
    "Dogs",
    "?",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_notebook_and_the_page_open_with_the_same_heads(text):
    maps = mha.from_arrays(np.full((2, 3, 1, 1), 1.0), ["?"]) if text == "?" else mha.attend(text)
    page = select(maps)
    assert str(mha.opening(maps)) == str(page.opening)  # as text, since a usual share may be NaN
    assert tuple(dict.fromkeys(mha.opening_heads(maps))) == page.pins


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("The developer told the designer that her prototype was not ready for the launch.", "from"),
        ("The girl tickled the baby with the stuffed rabbit.", "at"),
    ],
)
def test_both_candidates_are_looked_at_in_one_direction(text, way):
    found = mha.opening(mha.attend(text))
    assert found.sides == ("a", "b")
    assert [query == found.word for query, _ in found.looks] == [way == "from"] * 2


def test_a_language_model_opens_with_its_next_word():
    maps = bundled(NEXT_WORD_EXAMPLES["capital of France"], "smollm2").maps
    found = mha.opening(maps)
    words = [token.text for token in maps.merged().tokens]
    assert [
        (str(head), words[query], words[key]) for head, (query, key) in zip(found.heads, found.looks, strict=True)
    ] == [
        ("L13H8", "is", "capital"),
        ("L23H4", "is", "France"),  # the head whose ablation takes Paris from 77 to 14 %
    ]
