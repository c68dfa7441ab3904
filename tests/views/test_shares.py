"""Shares, their changes and ranks as pages write them; the docstrings have the usual cases."""

import pytest

from mha.formats import from_to, moves, nats, ordinal, points, share


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (0.77, 0.13, "falls from 77 to 13\xa0%"),
        (0.495, 0.5049, "rises from 49.5 to 50.5\xa0%"),  # both are 50 % as whole numbers
        (0.5, 0.5004, "stays at 50\xa0%"),
        (0.001, 0.0049, "stays at less than 1\xa0%"),
        (0.001, 0.11, "rises from less than 1\xa0% to 11\xa0%"),
        (0.999, 0.998, "stays at more than 99\xa0%"),
    ],
)
def test_moves_prints_what_changed(before, after, expected):
    assert moves(before, after) == expected


def test_no_change_is_written_as_zero():
    assert [points(value) for value in (0.005, 0.0049, -0.0049, -0.005)] == ["+1", "", "", "−1"]
    assert [nats(value) for value in (0.05, 0.049, -0.049)] == ["+0.1", "", ""]
    assert share(0.005) == "1\xa0%"
    assert from_to(0.5, 0.5) == "50.0 to 50.0\xa0%"


def test_ordinals_of_teens_end_in_th():
    assert [ordinal(n) for n in (1, 2, 3, 4, 12, 21, 113, 1_002)] == [
        "first", "2nd", "3rd", "4th", "12th", "21st", "113th", "1,002nd",
    ]  # fmt: skip
