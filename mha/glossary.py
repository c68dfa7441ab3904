"""The glossary as a table: term → its one sentence, read from `docs/glossary.md`."""

from __future__ import annotations

import functools
import re

from mha.assets import BESIDE
from mha.errors import InputError

FILE = BESIDE / "docs" / "glossary.md"
_LINE = re.compile(r"^- \*\*(.+?)\*\*: (.+)$")


@functools.cache
def glossary() -> dict[str, str]:
    """Return every term with its sentence, in the order of the file."""
    return read(FILE.read_text(encoding="utf-8"))


def read(text: str) -> dict[str, str]:
    """Return the terms of a glossary's text, whose entries are lines like ``- **term**: sentence``.

    Raises:
        InputError: a term stands there twice.
    """
    terms: dict[str, str] = {}
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        if match[1] in terms:
            raise InputError(f"The glossary explains {match[1]!r} twice.")
        terms[match[1]] = match[2]
    return terms
