"""Own texts: lines, CSV columns, and what is left out or refused with a sentence."""

import pytest

from mha.analysis.own_texts import MOST_TEXTS, own_texts
from mha.errors import InputError


def test_one_text_a_line_each_once():
    texts, notes = own_texts("A dog.\n\n  A   cat. \r\nA dog.\n")
    assert texts == ("A dog.", "A cat.")
    assert notes == ("1 text was left out: repeated.",)


def test_a_csv_gives_its_text_column_or_the_first():
    assert own_texts(b'\xef\xbb\xbfid,Text\n1,"One, two."\n2,=1+1\n', is_csv=True)[0] == ("One, two.", "=1+1")
    assert own_texts('"One, two.",x\n"Three",y\n', is_csv=True)[0] == ("One, two.", "Three")


def test_a_csv_may_be_divided_by_semicolons_or_tabs():
    assert own_texts('id;"Text"\n1;One, two.\n2;Three; four\n', is_csv=True) == (("One, two.", "Three"), ())
    assert own_texts("Sentence\tid\r\nOne; two.\t1\r\n", is_csv=True) == (("One; two.",), ())


@pytest.mark.parametrize("content", ["\nid;text\n1;One.\n", "id,text\r1,One.\r", '"id, or\nnumber",text\n1,One.\n'])
def test_the_names_of_columns_are_the_first_row_whatever_ends_its_lines(content):
    assert own_texts(content, is_csv=True) == (("One.",), ())


def test_where_no_column_has_a_name_of_texts_the_one_that_was_read_is_said():
    texts, notes = own_texts("comment,by\nOne; two.,A\n", is_csv=True)
    assert texts == ("comment", "One; two.")
    assert notes == ("No column is called “text”: the first column was read, with its first line.",)
    assert own_texts("comment,by\nOne.,A\n")[1] == ()  # lines that were pasted


def test_too_many_and_too_long_are_left_out_and_counted():
    texts, notes = own_texts("\n".join(f"text {n}" for n in range(MOST_TEXTS + 3)) + "\n" + "a " * 1500)
    assert len(texts) == MOST_TEXTS
    assert notes == (
        "1 text was left out: longer than 2,000 characters.",
        "3 texts were left out: beyond the first 2,000.",
    )


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\xff\xfe\x00a", "UTF-8"),
        ("a\0b", "not text"),
        (" \n\n", "no text"),
        ("a" * (2**20 + 1), "one megabyte"),
        ("a" * 3000, "longer than"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(content, says):
    with pytest.raises(InputError, match=says):
        own_texts(content)
