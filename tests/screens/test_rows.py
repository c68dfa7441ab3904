"""A table that leaves the page: what its cells say, what is cut, and a CSV that no spreadsheet runs."""

import csv
import io

import numpy as np

from mha.screens.rows import MOST_ROWS, rows_of


def test_cells_are_written_as_the_page_has_them():
    columns = {
        "head": ["L0H0", "=1+1", "<b>"],
        "lean": np.array([0.1234, -0.5, np.nan], dtype=np.float32),
        "share": [None, 12.6, 3.0],
        "passes": np.array([True, False, True]),
        "n": [1, 2, 3],
    }
    found = rows_of("Heads", columns, {"lean": "%.2f", "share": "%.0f\u00a0%%"}, "parallax-x")
    assert found.rows == [
        ["L0H0", "0.12", "–", "yes", "1"],
        ["=1+1", "\u22120.50", "13\u00a0%", "no", "2"],
        ["<b>", "–", "3\u00a0%", "yes", "3"],
    ]
    assert found.numbers == [False, True, True, False, True]
    assert (found.note, found.file) == ("", "parallax-x.csv")
    read = list(csv.reader(io.StringIO(found.csv, newline="")))
    assert read[0] == list(columns)
    assert read[2][0] == "'=1+1"
    assert read[3][1] == ""
    assert float(read[1][1]) == np.float32(0.1234)


def test_a_long_table_is_cut_and_says_so_and_its_file_is_whole():
    many = MOST_ROWS + 7
    found = rows_of("", {"step": np.arange(many)}, {}, "x")
    assert len(found.rows) == MOST_ROWS
    assert found.note == f"The first {MOST_ROWS} of {many} rows; the CSV has all of them."
    assert len(found.csv.splitlines()) == many + 1
    huge = rows_of("", {"text": ["x" * 20_000] * many}, {}, "x")
    assert huge.csv == ""
    assert huge.note.endswith("as files.")


def test_hostile_text_is_written_as_text():
    half = "\ud83d"
    found = rows_of("", {"text": [half, "a\nb"]}, {}, "x")
    assert "\\ud83d" in found.csv
