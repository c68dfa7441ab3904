"""The glossary as a table: term → its one sentence, read from `docs/glossary.md`."""

from __future__ import annotations

import functools
import re

from mha.assets import BESIDE
from mha.errors import InputError

FORMER = {  # what an entry was called before: its name now
    "score": "attention score",
    "toy": "toy example",
    "scrambled twin": "scrambled copy",
    "row attends to column": "from and to",
    "sink": "attention sink",
    "set aside": "excluded",
    "scale": "colour scale",
    "switched off": "hidden",
    "locked word": "selected word",
    "chosen for you": "picked for you",
    "heads in effect": "effective number of heads",
    "pivot": "ambiguous word",
    "partner": "candidate",
    "cue": "deciding word",
    "contrast": "changed version",
    "no opinion": "little attention to either",
    "forced pair": "test pair",
    "telling": "distinguishing",
    "readout": "score of a sentence",
    "gate": "reliability check",
    "silence": "ablation",
    "mean silencing": "mean ablation",
    "patch": "activation patching",
    "direct": "scored layer",
}
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
