"""Sentences with two readings from a CSV: what is taken, and every line that is not, by its number."""

import pytest

from mha.analysis.own_texts import (
    COLUMNS,
    EXAMPLES,
    MOST_LINES,
    MOST_READINGS,
    OwnReading,
    own_readings,
    place_of,
    template,
)
from mha.errors import InputError
from mha.words import words

HEADER = ",".join(COLUMNS)
TRUE = "The dog chased the cat because it was hungry.,it,dog,cat"


def test_the_template_can_be_sent_back_as_it_is():
    rows, left_out = own_readings(template())
    assert left_out == ""
    assert [row.text for row in rows] == [row[0] for row in EXAMPLES]
    for row, (text, *named) in zip(rows, EXAMPLES, strict=True):
        assert [words(text)[number] for number in row[2:]] == named
    assert [reading.links for reading in rows[1].readings] == [((6, 1),), ((6, 4),)]


@pytest.mark.parametrize("divider", [",", ";", "\t"])
def test_columns_in_any_order_divided_as_spreadsheets_do(divider):
    lines = [("note", "B", "a", " Text ", "pivot"), ("x", "cat", "Dog", "It saw a dog, a cat", "it")]
    content = "\r\n".join(divider.join(f'"{one}"' for one in line) for line in lines)
    assert own_readings(b"\xef\xbb\xbf" + content.encode())[0] == (OwnReading(2, "It saw a dog, a cat", 0, 3, 5),)


def test_every_line_that_is_left_out_is_named_and_nothing_else_is_lost():
    lines = [
        HEADER,  # 1
        TRUE,
        "",
        "The dog slept,it,dog,slept",  # 4
        "A dog saw a dog and it ran,it,dog,saw",
        "It saw it,1,1,saw",  # 6: a word is taken as a number only where no word reads so
        "Look here now,look,here,here",
        ",it,a,b",  # 8
        "One two three,one,two",
        '"One, two',  # 10 and 11: a cell may have two lines
        'three four",one,two,four',
        TRUE,
        "...,a,b,c",  # 13
        "x " * 1500 + ",x,y,z",
        "Ann met Eve,1,0,2",
    ]
    rows, left_out = own_readings("\n".join(lines))
    assert [row.line for row in rows] == [2, 10, 15]
    assert rows[1].text == "One, two\nthree four"
    assert rows[2][2:] == (1, 0, 2)
    assert left_out == (
        "Left out: line 4 “it” (not a word of its text); line 5 “dog” (it occurs more than once; give its number, "
        "counted from 0); line 6 (the ambiguous word is also a candidate); line 7 (a and b are the same word); "
        "line 8 (no text); "
        "line 9 (no word in column b); line 12 (repeated); line 13 (no word in the text); line 14 (longer than "
        "2,000 characters)."
    )


def test_a_quotation_mark_that_is_not_closed_names_all_lines_that_it_took():
    content = "\n".join([HEADER, TRUE, '"Never closed', *["x " * 600] * 4])
    assert own_readings(content)[1] == "Left out: lines 3–7 (no pivot)."


def test_more_than_may_be_measured_is_named_too():
    lines = [HEADER, *(f"word{n} sees two dogs,sees,two,dogs" for n in range(MOST_LINES + 5))]
    rows, left_out = own_readings("\n".join(lines))
    assert len(rows) == MOST_READINGS
    assert left_out == (
        "Left out: lines 202–2001 (beyond the first 200 sentences); lines 2002–2006 (beyond the first 2,000 lines)."
    )


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "pivot, a and b are missing"),
        ("text,a,b\nx,y,z", "pivot is missing"),
        (HEADER, "no sentence below"),
        (f"{HEADER}\nA dog,cat,dog,a", "line 2 “cat”"),
        (b"\xff\xfe\x00", "UTF-8"),
        ("a\0b", "not text"),
        ("a" * (2**20 + 1), "one megabyte"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(content, says):
    with pytest.raises(InputError, match=says):
        own_readings(content)


def test_a_word_that_reads_as_a_number_is_a_word():
    assert place_of("3", ("a", "3", "b", "c")) == 1
    assert place_of("3", ("a", "x", "b", "c")) == 3
    with pytest.raises(InputError):
        place_of("4", ("a", "x", "b", "c"))
