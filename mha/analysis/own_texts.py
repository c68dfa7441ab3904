"""Somebody's own texts from what was pasted or sent as a file: one a line, or the first column of a CSV."""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

from mha.errors import InputError

MOST_BYTES = 1024 * 1024
MOST_TEXTS = 2_000
MOST_CHARACTERS = 2_000  # of one text
HEADERS = ("text", "texts", "sentence", "sentences")


class OwnTexts(NamedTuple):
    """The ``texts`` in their order, each once; and ``notes``, a sentence for each thing that was left out."""

    texts: tuple[str, ...]
    notes: tuple[str, ...]


def own_texts(content: str | bytes, is_csv: bool = False) -> OwnTexts:
    """Return the texts of what was pasted or sent.

    Of a CSV the column that is called text or sentence, else the first. Empty lines and repetitions are left out.

    Raises:
        InputError: there is no text in it, it is larger than a megabyte, or no UTF-8.
    """
    content = decoded(content)
    lines = _column(content) if is_csv else content.splitlines()
    told = [" ".join(line.split()) for line in lines]
    whole = [line for line in told if line]
    if not whole:
        raise InputError("There is no text in it. One text a line.")
    short = [line for line in whole if len(line) <= MOST_CHARACTERS]
    texts = list(dict.fromkeys(short))
    kept = tuple(texts[:MOST_TEXTS])
    notes = (
        _note(len(whole) - len(short), f"longer than {MOST_CHARACTERS:,} characters"),
        _note(len(short) - len(texts), "there more than once"),
        _note(len(texts) - len(kept), f"beyond the first {MOST_TEXTS:,}"),
    )
    if not kept:
        raise InputError(f"Every text in it is longer than {MOST_CHARACTERS:,} characters.")
    return OwnTexts(kept, tuple(note for note in notes if note))


def decoded(content: str | bytes) -> str:
    """Return what was pasted or sent as text.

    Raises:
        InputError: it is larger than a megabyte, or no text in UTF-8.
    """
    if len(content) > MOST_BYTES:
        raise InputError("Texts of up to one megabyte can be measured here; this is more. `python -m "
                         "mha.engine.corpus` takes any length.")  # fmt: skip
    if isinstance(content, bytes):
        try:
            content = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError("The file is not text in UTF-8. Save it as UTF-8, one text a line.") from error
    if "\0" in content:
        raise InputError("The file is not text: it holds what no text does.")
    return content


def _note(count: int, why: str) -> str:
    return f"{count:,} {'text was' if count == 1 else 'texts were'} left out: {why}." if count else ""


def _column(content: str) -> list[str]:
    try:
        rows = [row for row in csv.reader(io.StringIO(content, newline="")) if row]
    except csv.Error as error:
        raise InputError(f"The CSV cannot be read: {error}.") from error
    if not rows:
        return []
    named = [name.strip().casefold() for name in rows[0]]
    at = next((place for place, name in enumerate(named) if name in HEADERS), None)
    body = rows[1:] if at is not None else rows
    return [row[at or 0] for row in body if len(row) > (at or 0)]
