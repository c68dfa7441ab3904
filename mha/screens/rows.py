"""A table of the page as a file that leaves it has it: rows of text that any browser shows, and all of it as CSV.

On the page itself tables are Streamlit's, which needs a server.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mha.export.tables import csv_bytes, display
from mha.screens.blocks import Block

Columns = Mapping[str, Sequence[Any]] | Mapping[str, list[str] | np.ndarray]
MOST_ROWS = 200  # that stand in the file; the CSV beside them has all
MOST_BYTES = 2_000_000  # of a CSV that travels in the file


class Rows(Block, kind="rows"):
    """A table as text: ``names`` of its columns, which are ``numbers``, its ``rows``; ``note`` says what is cut.

    ``csv`` is the whole table, "" where it would be too large; ``file`` is what it is called.
    """

    title: str
    names: Sequence[str]
    numbers: Sequence[bool]
    rows: Sequence[Sequence[str]]
    note: str
    csv: str
    file: str


def rows_of(title: str, columns: Columns, formats: Mapping[str, str], file: str) -> Rows:
    """Return columns of one length as a table; ``formats`` are as Streamlit takes them, ``%.2f``."""
    given = [list(column) for column in columns.values()]
    whole = list(zip(*given, strict=True))
    shown = [[_written(value, formats.get(name, "")) for name, value in zip(columns, row, strict=True)]
             for row in whole[:MOST_ROWS]]  # fmt: skip
    csv = csv_bytes([display(name) for name in columns], [[_raw(value) for value in row] for row in whole]).decode()
    kept = csv if len(csv) <= MOST_BYTES else ""
    note = ""
    if len(whole) > MOST_ROWS:
        where = "the CSV has all of them" if kept else "Download has the numbers as files"
        note = f"The first {MOST_ROWS} of {len(whole):,} rows; {where}."
    numbers = [any(_is_number(value) for value in column[:MOST_ROWS]) for column in given]
    return Rows(title, list(columns), numbers, shown, note, kept, f"{file}.csv")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)


def _written(value: Any, how: str) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if value is None or (isinstance(value, float | np.floating) and not math.isfinite(value)):
        return "–"
    if not _is_number(value):
        return str(value)
    written = how % value if how else f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
    return written.replace("-", "\u2212")


def _raw(value: Any) -> object:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return display(value) if isinstance(value, str) else value
