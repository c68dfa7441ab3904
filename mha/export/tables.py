"""Tables that leave the page, as CSV, JSON or a NumPy archive, each with where its numbers come from.

What a reader typed is never a formula: in a CSV, a text that a spreadsheet would take for one is led by an apostrophe,
and the texts stand there as JSON too, which loses nothing. What UTF-8 cannot write is escaped.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.brief import brief
from mha.errors import InputError
from mha.export.provenance import Provenance, provenance_array

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
MOST_CELLS = 2_000_000  # of a table; more belongs into `mha.export.weights.weights_npz`


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one length by name, texts or numbers, and where they come from.

    Raises:
        InputError: the columns differ in length, or there are more cells than a table may have.
    """

    columns: Mapping[str, Sequence[str] | np.ndarray]
    provenance: Provenance

    __repr__ = brief

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.columns.values()}
        if len(lengths) > 1:
            raise InputError(f"The columns of a table are equally long; these have {sorted(lengths)} rows.")
        if sum(lengths) * len(self.columns) > MOST_CELLS:
            raise InputError(
                f"A table has at most {MOST_CELLS:,} cells; this one has {sum(lengths) * len(self.columns):,}. "
                "Choose fewer heads, or take the NumPy archive."
            )


def display(text: str) -> str:
    """Return a text that no spreadsheet runs: led by an apostrophe where it could begin a formula.

    >>> display("=1+1")
    "'=1+1"
    """
    return "'" + text if text.startswith(FORMULA_STARTS) else text


def csv_bytes(header: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    """Return a table as CSV in UTF-8, lines ended as RFC 4180 has it; what UTF-8 cannot write is escaped."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue().encode("utf-8", errors="backslashreplace")


def table_csv(table: Table) -> bytes:
    """Return a table as CSV; where it comes from stands in the first row's last columns.

    Numbers are written at full precision; one that is not known, as an empty cell.
    """
    source = {name: display(value) for name, value in table.provenance.pairs().items()}
    empty = [""] * len(source)
    columns = [_texts(column) for column in table.columns.values()]
    rows = [
        [*values, *(empty if place else source.values())] for place, values in enumerate(zip(*columns, strict=True))
    ]
    return csv_bytes([*map(display, table.columns), *source], rows)


def table_json(table: Table) -> bytes:
    """Return a table as JSON: ``provenance``, and ``columns`` by name; a number that is not known is null."""
    columns = {name: [_json(value) for value in column] for name, column in table.columns.items()}
    return json.dumps({"provenance": table.provenance.as_json(), "columns": columns}, allow_nan=False).encode("ascii")


def table_npz(table: Table) -> bytes:
    """Return a table as a NumPy archive without objects: an array a column, and ``provenance``, JSON as uint8.

    Columns are ``column_0``, ``column_1`` and so on; ``names``, JSON too, has what they are called.
    """
    arrays: dict[str, Any] = {
        f"column_{place}": column
        if isinstance(column, np.ndarray) and column.dtype.kind in "fiub"
        else np.array([str(value) for value in column], dtype=np.str_)
        for place, column in enumerate(table.columns.values())
    }
    names = np.frombuffer(json.dumps(list(table.columns)).encode("ascii"), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, names=names, provenance=provenance_array(table.provenance), **arrays)
    return buffer.getvalue()


@dataclass(frozen=True)
class Format:
    """One way to take a table away: what it is called, the ending and kind of its file, and who writes it."""

    title: str
    ending: str
    mime: str
    write: Callable[[Table], bytes]


FORMATS = (
    Format("CSV", "csv", "text/csv", table_csv),
    Format("JSON", "json", "application/json", table_json),
    Format("NPZ", "npz", "application/octet-stream", table_npz),
)


def number(value: float) -> str:
    """Return a number at full precision for a CSV; nothing where it is not known."""
    return "" if math.isnan(value) else repr(float(value))


def _texts(column: Sequence[str] | np.ndarray) -> list[str]:
    if isinstance(column, np.ndarray) and column.dtype.kind == "f":
        return [number(value) for value in column.tolist()]
    return [display(str(value)) if isinstance(value, str) else str(value) for value in column]


def _json(value: Any) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain
