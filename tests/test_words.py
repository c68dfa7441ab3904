"""What a word is, and what text is accepted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.errors import InputError
from mha.words import MAX_CHARACTERS, accept, right_to_left, split, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I saw the man.", ["I", "saw", "the", "man"]),
        ("It doesn't matter; it's well-known!", ["It", "doesn't", "matter", "it's", "well-known"]),
        ("“Quoted” (and) 'single'", ["Quoted", "and", "single"]),
        ("rock 'n' roll -- 3.14 a/b", ["rock", "n", "roll", "3.14", "a/b"]),
        ("你好。世界", ["你", "好", "世", "界"]),
        ("リンゴを食べる", ["リンゴを", "食", "べる"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("👩‍👩‍👧‍👦 🇩🇪 👍🏽", ["👩‍👩‍👧‍👦", "🇩🇪", "👍🏽"]),
        ("", []),
        ("... !?", []),
    ],
)
def test_words(text, expected):
    assert list(words(text)) == expected


def test_marks_that_touch_are_one_piece_and_others_are_not():
    assert [(piece.text, piece.word) for piece in split('He said "yes!", - no')] == [
        ("He", 0), ("said", 1), ('"', None), ("yes", 2), ('!",', None), ("-", None), ("no", 3),
    ]  # fmt: skip


@given(st.text(max_size=60))
def test_pieces_cover_all_but_white_space_in_order(text):
    pieces = split(text)
    end = 0
    for piece in pieces:
        assert text[end : piece.start].strip() == ""
        assert piece.text == text[piece.start : piece.end] != ""
        end = piece.end
    assert text[end:].strip() == ""
    assert [piece.word for piece in pieces if piece.word is not None] == list(range(len(words(text))))


@pytest.mark.parametrize("text", ["", "   ", "\n" * 10_000, "\0", "\u200b\u200d\ufeff", "\ud800", "\u202e"])
def test_nothing_to_look_at(text):
    with pytest.raises(InputError, match="Type a sentence or choose an example"):
        accept(text)


@pytest.mark.parametrize("text", ["...", "?!", "— “”", "。"])
def test_only_punctuation(text):
    with pytest.raises(InputError, match="no words. Type one"):
        accept(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\0b c", "ab c"), ("\x1b[31mred\x07", "[31mred"), ("abc\u202edef ghi", "abcdef ghi"), ("a\ud800b", "ab"),
        ("zero\u200bwidth", "zerowidth"), ("tail\u200d end", "tail end"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_left_out_and_said(text, kept):
    accepted = accept(text)
    assert accepted.text == kept
    assert accepted.notes == ("Unreadable characters were removed.",) or "\u200d" in text


@pytest.mark.parametrize("text", ["👩‍👩‍👧‍👦", "می‌خواهم", "Z" + "\u0301" * 60 + "A", "<b>x</b> & $5 %{x} [SEP]", "नमस्ते"])
def test_what_can_be_shown_stays_as_it_is(text):
    assert accept(text) == (accepted := accept(accept(text).text))
    assert accepted.text == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("def f(x):\n    return 1\n", "def f(x):\n    return 1\n"),
        ("a\tb   c ", "a\tb   c "),
        ("a\r\nb\rc\x0bd\u2028e\x85f", "a\nb\nc\nd\ne\nf"),
        ("a\xa0b\u3000c", "a\xa0b\u3000c"),
    ],
)
def test_accept_keeps_white_space(text, kept):
    assert accept(text).text == kept
    assert accept(text).notes == ()


def test_long_text_is_cut_by_characters_before_anything_else():
    accepted = accept("x" * 100_000)
    assert accepted.text == "x" * MAX_CHARACTERS
    assert accepted.notes == ("Using the first 2,000 of 100,000 characters.",)
    assert len(accept("ab " * 33_333).text) <= MAX_CHARACTERS


@given(st.text(max_size=80))
def test_accepting_twice_changes_nothing_more(text):
    try:
        once = accept(text)
    except InputError:
        return
    assert accept(once.text).text == once.text
    once.text.encode("utf-8")


def test_a_text_runs_as_its_first_letter_does():
    assert right_to_left("  3) שלום")
    assert right_to_left("مرحبا world")
    assert not right_to_left("world שלום")
    assert not right_to_left("123 …")
