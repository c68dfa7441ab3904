"""The texts of a corpus, read piece by piece from Parquet, CSV or plain lines."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from mha.errors import InputError

CHUNK = 64  # texts that are measured together: with them, what a forward pass holds is the same wherever it runs
FIELD = 1_000_000  # characters of a field of a CSV file


class TextRow(NamedTuple):
    """One text; with a pivot and two partners, an ambiguous one."""

    text: str
    pivot: str = ""
    a: str = ""
    b: str = ""

    @property
    def ambiguous(self) -> bool:
        """Whether there are two readings."""
        return bool(self.pivot and self.a and self.b)


def chunks(file: Path) -> Iterator[tuple[int, list[TextRow]]]:
    """Yield the texts of a corpus in numbered chunks; the file's ending says what it is, lines unless known.

    Raises:
        InputError: it has no column ``text``, or cannot be read.
    """
    rows = READERS.get(file.suffix.lower(), _lines)(file)
    number = 0
    while chunk := list(islice(rows, CHUNK)):
        yield number, chunk
        number += 1


def mark(file: Path) -> str:
    """Return what tells a file from any other: the hash of its bytes.

    Raises:
        InputError: there is none.
    """
    if not file.is_file():
        raise InputError(f"There is no file {file}.")
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _parquet(file: Path) -> Iterator[TextRow]:
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(file) as opened:
            names = [name for name in TextRow._fields if name in _checked(file, opened.schema_arrow.names)]
            for batch in opened.iter_batches(CHUNK * 16, columns=names):
                for row in batch.to_pylist():
                    yield _row(row)
    except pyarrow.ArrowInvalid as error:
        raise InputError(f"{file.name} is not a Parquet file: {str(error)[:120]}") from error


def _csv(file: Path) -> Iterator[TextRow]:
    csv.field_size_limit(FIELD)
    with file.open(encoding="utf-8-sig", newline="") as opened:
        rows = csv.DictReader(opened)
        _checked(file, list(rows.fieldnames or ()))
        try:
            for row in rows:
                yield _row(row)
        except csv.Error as error:
            raise InputError(f"Line {rows.line_num} of {file.name} cannot be read: {error}.") from error


def _lines(file: Path) -> Iterator[TextRow]:
    with file.open(encoding="utf-8-sig", errors="replace") as opened:
        for line in opened:
            if line.strip():
                yield TextRow(line.strip())


def _checked(file: Path, names: list[str]) -> list[str]:
    if "text" not in names:
        raise InputError(
            f"{file.name} needs a column text (and may have pivot, a, b); it has {', '.join(names)[:200]}."
        )
    return names


def _row(given: dict) -> TextRow:
    return TextRow(*(str(given.get(name) or "").strip() for name in TextRow._fields))


READERS = {".parquet": _parquet, ".csv": _csv}
