"""The sentence about the strongest look, word for word."""

import numpy as np
import pytest

from mha.analysis.looks import (
    Look,
    finding,
    labels,
    percent,
    plain,
    set_aside_badge,
    set_aside_finding,
    sink_names,
    strongest_look,
)
from mha.analysis.sinks import SetAside, set_aside
from mha.errors import InputError
from mha.maps import AttentionMaps, HeadId, Token

CLS, SEP = Token("[CLS]", special=True), Token("[SEP]", special=True)


def aside_of(rows: list[list[float]], texts: str = "I saw the man", heads: int = 3, causal: bool = False) -> SetAside:
    """Two layers of the same head over [CLS] … [SEP]; rows are those of the words, columns all tokens."""
    tokens = (CLS, *(Token(text, word=word) for word, text in enumerate(texts.split())), SEP)
    weights = np.zeros((2, heads, len(tokens), len(tokens)), dtype=np.float32)
    weights[..., 1:-1, :] = rows
    return set_aside(AttentionMaps(weights, tokens, causal=causal))


ROWS = [
    [0.5, 0.1, 0.1, 0.1, 0.1, 0.1],
    [0.3, 0.1, 0.0, 0.1, 0.3, 0.2],  # saw: 0.3 of 0.5 to man
    [0.2, 0.0, 0.0, 0.6, 0.1, 0.1],  # the: mostly at itself
    [0.0, 0.0, 0.4, 0.4, 0.1, 0.1],
]


def test_the_strongest_look_goes_from_a_word_to_another_word() -> None:
    look = strongest_look(aside_of(ROWS), (1, 2))
    assert look == Look(HeadId(1, 2), 1, 3, pytest.approx(0.6, abs=1e-6), pytest.approx(0.3, abs=1e-6))


def test_a_key_may_be_chosen() -> None:
    look = strongest_look(aside_of(ROWS), HeadId(0, 1), key=1)
    assert look is not None
    assert (look.query, look.key, look.weight) == (3, 1, pytest.approx(4 / 9, abs=1e-6))
    with pytest.raises(InputError, match=r"There are 4 words .* asked for 7"):
        strongest_look(aside_of(ROWS), (0, 0), key=7)
    with pytest.raises(InputError, match="you asked for L2H0"):
        strongest_look(aside_of(ROWS), (2, 0))


def test_empty_rows_do_not_look() -> None:
    rows = [[1.0, 0, 0, 0, 0, 0], [0.995, 0, 0, 0, 0.005, 0], [1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
    assert strongest_look(aside_of(rows), (0, 0)) is None
    assert plain(finding(aside_of(rows), [(0, 1)])[0]) == (
        "Head L0H1 rests nearly all its attention on [CLS] and [SEP]; what is left says nothing about words."
    )


def test_one_word_has_no_other_to_look_at() -> None:
    alone = aside_of([[0.25, 0.5, 0.25]], "Hello")
    assert strongest_look(alone, (0, 0)) is None
    assert plain(finding(alone, [(0, 0)])[0]) == "In head L0H0, no word looks at another one here."


def test_the_finding_reads_as_designed_and_keeps_its_spans() -> None:
    first, second = finding(aside_of(ROWS), [(0, 1), (1, 0)])
    assert first == [
        ("plain", "In head "), ("head", "L0H1"), ("plain", ", "), ("word", "saw"), ("plain", " looks at "),
        ("word", "man"), ("plain", " with 60 % of the attention it gives to words."),
    ]  # fmt: skip
    assert plain(second) == "In head L1H0, saw does, with 60 %."


def test_heads_that_look_at_different_words_are_both_told_in_full() -> None:
    tokens = tuple(Token(text, word=word) for word, text in enumerate(("a", "b", "c")))
    weights = np.zeros((1, 2, 3, 3), dtype=np.float32)
    weights[0, 0, 0, 1] = weights[0, 1, 2, 0] = 1
    sentences = finding(set_aside(AttentionMaps(weights, tokens)), [(0, 0), (0, 1)])
    assert plain(sentences[1]) == "In head L0H1, c looks at a with 100 % of the attention it gives to words."


def test_what_is_set_aside_is_said_for_all_heads_and_for_one() -> None:
    aside = aside_of(ROWS)
    share = (0.6 + 0.5 + 0.3 + 0.1) / 4
    assert aside.share[0, 0] == pytest.approx(share, abs=1e-6)
    assert plain(set_aside_finding(aside)) == (
        "All 6 together rest 38 % of their attention on [CLS] and [SEP]; that part is set aside."
    )
    assert set_aside_badge(aside, (0, 1)) == "38 % of this head's attention is on [CLS] and [SEP]; the rest, rescaled"
    bare = set_aside(AttentionMaps(np.full((1, 2, 2, 2), 0.5), (Token("a", word=0), Token("b", word=1))))
    assert plain(set_aside_finding(bare)).startswith("There is nothing to set aside")


def test_sinks_are_named_once_each() -> None:
    tokens = (CLS, Token("a", word=0), SEP, Token("b", word=1, segment=1), Token(".", segment=1), SEP)
    aside = set_aside(AttentionMaps(np.full((1, 1, 6, 6), 1 / 6), tokens))
    assert sink_names(aside) == "[CLS], [SEP] and ."


def test_repeated_words_are_numbered() -> None:
    texts = ["the", "man", "with", "the", "The"]
    assert labels([Token(text) for text in texts]) == ("the₁", "man", "with", "the₂", "The")
    assert labels([Token("a")] * 11)[10] == "a₁₁"


def test_a_causal_mask_hides_later_words() -> None:
    look = strongest_look(aside_of([[0.5, 0.5, 0, 0, 0, 0], *ROWS[1:]], causal=True), (0, 0), key=3)
    assert look is None  # only earlier words could look at the last one


def test_percent_has_a_space_and_whole_numbers() -> None:
    assert [percent(share) for share in (0, 0.004, 0.695, 1)] == ["0 %", "0 %", "70 %", "100 %"]
