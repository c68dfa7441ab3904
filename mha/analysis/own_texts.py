"""Somebody's own texts and sentences with two readings, from what was pasted or sent as a file, each line checked.

Texts stand one a line, or in the first column of a CSV. Sentences with two readings are a CSV with the columns text,
pivot, a and b, those of ``python -m studies.corpus``: a word is named as it stands in the text, or, where it stands
there more than once, by its number, counted from 0. A line that cannot be measured is left out and told by its number.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from mha.errors import InputError
from mha.formats import cut, listed
from mha.maps import Reading
from mha.words import accept, words

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


COLUMNS = ("text", "pivot", "a", "b")
MOST_READINGS = 200
MOST_LINES = 2_000  # that are looked at
NAMED = 12  # lines of one complaint that are told with their word; of more, the numbers alone
SHOWN = 24  # characters of a word in a complaint
EXAMPLES = (
    ("I saw the man with the telescope.", "telescope", "saw", "man"),
    ("The dog chased the cat because it was hungry.", "it", "dog", "cat"),
    ("The boy hit the dog with the stick.", "stick", "hit", "dog"),
)


class OwnReading(NamedTuple):
    """One line: its number in the file, its text, and the numbers of its words."""

    line: int
    text: str
    pivot: int
    a: int
    b: int

    @property
    def readings(self) -> tuple[Reading, Reading]:
        """The two readings: pivot with a, pivot with b."""
        return Reading("a", ((self.pivot, self.a),)), Reading("b", ((self.pivot, self.b),))


class _Complaint(InputError):
    """What is wrong with a line, ``why``, and of which word."""

    def __init__(self, why: str, word: str = "") -> None:
        super().__init__(why)
        self.why, self.word = why, word


def template() -> bytes:
    """Return a CSV that `own_readings` takes, with three sentences to be replaced."""
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\r\n").writerows((COLUMNS, *EXAMPLES))
    return written.getvalue().encode("utf-8")


def own_readings(content: str | bytes) -> tuple[tuple[OwnReading, ...], str]:
    """Return the sentences of what was pasted or sent, at most 200, in their order, each once.

    And what says of every other line why it is left out, "" where there is none.
    The columns may be divided by commas, semicolons or tabs; others beside them are passed over.

    Raises:
        InputError: no column has one of the names, no line can be measured, it is too large, or no text in UTF-8.
    """
    lines = _lines(decoded(content))
    _, header = next(lines, (range(1, 2), []))
    names = [name.strip().casefold() for name in header]
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise InputError(
            f"The first line needs the columns text, pivot, a and b; {listed(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing. Download the template for a file to fill in."
        )
    places = [names.index(name) for name in COLUMNS]
    found: dict[tuple[str, int, int, int], OwnReading] = {}
    wrong: dict[str, list[tuple[int, str]]] = {}
    for numbers, fields in islice(lines, MOST_LINES):
        try:
            row = _row(numbers[0], [fields[at].strip() if at < len(fields) else "" for at in places])
            if row[1:] in found:
                raise _Complaint("repeated")
            if len(found) == MOST_READINGS:
                raise _Complaint(f"beyond the first {MOST_READINGS} sentences")
            found[row[1:]] = row
        except _Complaint as complaint:
            wrong.setdefault(complaint.why, []).extend((number, complaint.word) for number in numbers)
    rest = list(chain.from_iterable(numbers for numbers, _ in lines))
    if rest:
        wrong[f"beyond the first {MOST_LINES:,} lines"] = [(number, "") for number in rest]
    left_out = left_out_said(wrong)
    if not found:
        raise InputError(left_out or "There is no sentence below the names of the columns.")
    return tuple(found.values()), left_out


def left_out_said(wrong: dict[str, list[tuple[int, str]]]) -> str:
    """Return one message that names every line that is left out, by what is wrong with it; "" where none is.

    >>> left_out_said({"no pivot": [(3, ""), (4, ""), (9, "")]})
    'Left out: lines 3–4 and 9 (no pivot).'
    """
    parts = []
    for why, lines in wrong.items():
        if all(word for _, word in lines) and len(lines) <= NAMED:
            numbers = ", ".join(f"{number} “{cut(word, SHOWN)}”" for number, word in lines)
        else:
            numbers = _ranges([number for number, _ in lines])
        parts.append(f"{'line' if len(lines) == 1 else 'lines'} {numbers} ({why})")
    return f"Left out: {'; '.join(parts)}." if parts else ""


def _lines(content: str) -> Iterator[tuple[range, list[str]]]:
    """Yield each row that is not empty with the numbers of the lines of the file that it stands on."""
    divider = max(DIVIDERS, key=content.partition("\n")[0].count)
    csv.field_size_limit(max(MOST_BYTES, csv.field_size_limit()))
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=divider)
    before = 0
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                yield range(before + 1, reader.line_num + 1), fields
            before = reader.line_num
    except csv.Error as error:
        raise InputError(f"Line {reader.line_num} of the CSV cannot be read: {error}.") from error


def _row(number: int, fields: Sequence[str]) -> OwnReading:
    text, *named = fields
    if not text:
        raise _Complaint("no text")
    for name, word in zip(COLUMNS[1:], named, strict=True):
        if not word:
            raise _Complaint(f"no {'pivot' if name == 'pivot' else f'word in column {name}'}")
    if len(text) > MOST_CHARACTERS:
        raise _Complaint(f"longer than {MOST_CHARACTERS:,} characters")
    try:
        text = accept(text).text
    except InputError:
        raise _Complaint("no word in the text") from None
    pivot, a, b = (place_of(word, words(text)) for word in named)
    if pivot in (a, b):
        raise _Complaint("the ambiguous word is also a candidate")
    if a == b:
        raise _Complaint("a and b are the same word")
    return OwnReading(number, text, pivot, a, b)


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
        raise _Complaint("not a word of its text", word)
    if len(found) > 1:
        raise _Complaint("it occurs more than once; give its number, counted from 0", word)
    return found[0]


def _ranges(numbers: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    said = [str(first) if first == last else f"{first}–{last}" for first, last in runs]
    return listed(said)
