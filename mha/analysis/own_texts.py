"""A visitor's texts, pasted or uploaded as a file: one a line, or in one column of a CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from mha.errors import InputError

MOST_BYTES = 1024 * 1024
MOST_TEXTS = 2_000
MOST_CHARACTERS = 2_000  # of one text
HEADERS = ("text", "texts", "sentence", "sentences")
DIVIDERS = ",;\t"  # of columns


def own_texts(content: str | bytes, is_csv: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts of what was pasted or sent, in their order, each once; and a sentence for what was left out.

    Of a CSV the column that is called text or sentence, else the first, and that is said. Empty lines and repetitions
    are left out.

    Raises:
        InputError: there is no text in it, it is larger than a megabyte, or no UTF-8.
    """
    content = decoded(content)
    lines, unnamed = _column(content) if is_csv else (content.splitlines(), "")
    told = [" ".join(line.split()) for line in lines]
    whole = [line for line in told if line]
    if not whole:
        raise InputError("There is no text in it. Put one text on each line.")
    short = [line for line in whole if len(line) <= MOST_CHARACTERS]
    texts = list(dict.fromkeys(short))
    kept = tuple(texts[:MOST_TEXTS])
    notes = (
        unnamed,
        _note(len(whole) - len(short), f"longer than {MOST_CHARACTERS:,} characters"),
        _note(len(short) - len(texts), "repeated"),
        _note(len(texts) - len(kept), f"beyond the first {MOST_TEXTS:,}"),
    )
    if not kept:
        raise InputError(f"Every text in it is longer than {MOST_CHARACTERS:,} characters.")
    return kept, tuple(note for note in notes if note)


def decoded(content: str | bytes) -> str:
    """Return what was pasted or sent as text.

    Raises:
        InputError: it is larger than a megabyte, or no text in UTF-8.
    """
    if len(content) > MOST_BYTES:
        raise InputError("Texts of up to one megabyte can be measured here; this is more. `python -m "
                         "studies.corpus` takes any length.")  # fmt: skip
    if isinstance(content, bytes):
        try:
            content = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError("The file is not text in UTF-8. Save it as UTF-8, one text a line.") from error
    if "\0" in content:
        raise InputError("The file is not text: it holds characters that no text has.")
    return content


def _note(count: int, why: str) -> str:
    return f"{count:,} {'text was' if count == 1 else 'texts were'} left out: {why}." if count else ""


def _column(content: str) -> tuple[list[str], str]:
    """Return the texts of a CSV, and what has to be said of the column that they are in."""
    try:
        heads = ((divider, _named(next(_rows(content, divider), []))) for divider in DIVIDERS)
        divider, at = next((head for head in heads if head[1] is not None), (",", None))
        rows = list(_rows(content, divider))
    except csv.Error as error:
        raise InputError(f"The CSV cannot be read: {error}.") from error
    if at is None:
        return [row[0] for row in rows], "No column is called “text”: the first column was read, with its first line."
    return [row[at] for row in rows[1:] if len(row) > at], ""


def _rows(content: str, divider: str) -> Iterator[list[str]]:
    """Yield the rows of a CSV that are not empty, whatever ends its lines."""
    return (row for row in csv.reader(io.StringIO(content, newline=""), delimiter=divider) if row)


def _named(row: Sequence[str]) -> int | None:
    """Return the place of the column whose name says that it has texts."""
    return next((place for place, name in enumerate(row) if name.strip().casefold() in HEADERS), None)


def place_of(word: str, all_words: Sequence[str]) -> int:
    """Return the number of a word that is named by its text, as it stands or in other letters, or by its number.

    Raises:
        InputError: no such word, or several.
    """
    found = [number for number, one in enumerate(all_words) if one == word] or [
        number for number, one in enumerate(all_words) if one.casefold() == word.casefold()
    ]
    if not found and word.isdecimal() and len(word) < 5 and int(word) < len(all_words):
        return int(word)
    if not found:
        raise InputError("not a word of its text")
    if len(found) > 1:
        raise InputError("it occurs more than once; give its number, counted from 0")
    return found[0]
