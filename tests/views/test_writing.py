"""Let it write: which token gets most attention, said of words and of other tokens."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from mha.maps import HeadId
from mha.tokens import Token
from mha.views import writing

TEXT = "The capital is New York \n"


def generation(rows, texts=("The", "capital", "is", "New", "ers", "\n"), spaces=(0, 1, 1, 1, 0, 0), n_read=3):
    """Return a generation of one layer: ``rows`` are [step][head][key]; a token follows a space or not."""
    tokens, end = [], 0
    for text, space in zip(texts, spaces, strict=True):
        tokens.append(Token(text, start=end + space, end=end + space + len(text)))
        end = tokens[-1].end
    looks = [np.array([row], dtype=np.float32) for row in rows]
    return SimpleNamespace(
        tokens=tuple(tokens), n_read=n_read, written=tuple(tokens[n_read:]), n_steps=len(tokens) - n_read,
        looks=lambda step: looks[step], recording=SimpleNamespace(stacks={"self": None}), ended=False,
    )  # fmt: skip


ROWS = [
    [[0.2, 0.7, 0.1], [0.6, 0.3, 0.1]],
    [[0.9, 0.05, 0.05, 0.0], [0.6, 0.1, 0.3, 0.0]],
    [[0.1, 0.1, 0.1, 0.6, 0.1], [0.1, 0.1, 0.1, 0.1, 0.6]],
]


@pytest.mark.parametrize(
    ("step", "head", "sentence"),
    [
        (1, 0, "To write *New*, `L0H0` gives 70\xa0% of its attention to *capital*, the largest share of any head "
               "outside the first and the last token."),
        (1, 1, "To write *New*, `L0H1` gives 60\xa0% of its attention to the first *The*."),
        (2, 1, "To write the token *ers*, `L0H1` gives 60\xa0% of its attention to the first *The*, and 30\xa0% to "
               "*is*, the largest share of any head outside the first and the last token."),
        (3, 0, "To write the token *↵*, `L0H0` gives 60\xa0% of its attention to *New*, the largest share of any head "
               "outside the first and the last token."),
        (3, 1, "To write the token *↵*, `L0H1` gives 60\xa0% of its attention to itself, the token *ers*."),
    ],
)  # fmt: skip
def test_the_finding_names_tokens_and_the_largest_share(step, head, sentence):
    case = generation(ROWS)
    largest = writing.largest_head(case, step)
    assert writing.finding(case, step, HeadId(0, head), largest == HeadId(0, head)) == sentence


def test_a_text_of_one_token_has_no_other_token():
    case = generation([[[1.0], [1.0]]], ("The", "cat"), (0, 1), 1)
    assert writing.finding(case, 1, writing.largest_head(case, 1), True) == (
        "To write *cat*, every head gives all attention to *The*, the only token before it."
    )


def test_a_text_of_two_tokens_has_no_largest_share():
    case = generation([[[0.7, 0.3], [0.2, 0.8]]], ("The", "cat", "sat"), (0, 1, 1), 2)
    sentence = "To write *sat*, `L0H0` gives 70\xa0% of its attention to the first *The*."
    largest = writing.largest_head(case, 1)
    assert largest == HeadId(0, 0), "the first one of equals"
    between = "No head attends to a token between the first and the last one."
    assert writing.finding(case, 1, largest, True) == f"{sentence} {between}"
    assert writing.finding(case, 1, largest, False) == sentence


def test_written_tokens_are_visible():
    case = generation(ROWS)
    assert "Written: *New* *ers* *↵*." in writing.steps_text(case)


@pytest.mark.parametrize(
    ("text", "is_word"), [("cat", True), (".", False), ("\n", False), ("\ufffd", False), ("7", True)]
)
def test_a_token_that_is_no_word_is_seen(text, is_word):
    tokens = Token("a", start=0, end=1), Token(text, start=2, end=3)
    assert writing.is_word(tokens, 1) == is_word
    assert not writing.is_word((tokens[0], replace(tokens[1], special=True)), 1)


def test_pictures_write_small_shares_with_a_sign(monkeypatch):
    prediction = SimpleNamespace(words=("New", "Paris"), probabilities=(0.998, 0.002))
    monkeypatch.setattr(writing, "predicted_step", lambda *_: prediction)
    bars = writing.sentence_data("", "", generation(ROWS), 1, HeadId(0, 0))["candidates"]
    assert [bar["text"] for bar in bars] == [">99\xa0%", "<1\xa0%"]
    assert [bar["label"] for bar in bars] == ["New: more than 99\xa0%", "Paris: less than 1\xa0%"]
