"""What a page says and shows: a column of blocks, each a sentence or a picture.

A block is a dict with a ``kind`` from the drawers' table. Sentences are spans [kind, text]; words of the reader's text
travel as spans and are only ever set as text.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mha.maps import HeadId

Span = list[str]
Block = dict[str, Any]
_SLOT = re.compile(r"\{(\w+)\}")


def word(text: str) -> Span:
    """Return a word of the reader's text as a span."""
    return ["word", text]


def head(one: HeadId) -> Span:
    """Return a head's name as a span."""
    return ["head", str(one)]


def chip(letter: str) -> Span:
    """Return the letter of a reading in its shape and colour."""
    return ["chip", letter]


def say(template: str, **slots: Span | str | HeadId | Sequence[Span]) -> list[Span]:
    """Return a sentence as spans; slots take a span, several, a head, or plain text.

    >>> say("{head} looks at {word}.", head=HeadId(3, 1), word=["word", "dog"])
    [['head', 'L3H1'], ['plain', ' looks at '], ['word', 'dog'], ['plain', '.']]
    """
    found: list[Span] = []
    end = 0
    for match in _SLOT.finditer(template):
        found.append(["plain", template[end : match.start()]])
        value = slots[match[1]]
        if isinstance(value, HeadId):
            found.append(head(value))
        elif isinstance(value, str):
            found.append(["plain", value])
        elif value and isinstance(value[0], str):
            found.append([str(part) for part in value])
        else:
            found += [list(span) for span in value]
        end = match.end()
    found.append(["plain", template[end:]])
    return [span for span in found if span[1]]


def said(style: str, template: str, **slots: Any) -> Block:
    """Return a block with one sentence; styles: verdict, result, finding, sub, text, cap, note."""
    return {"kind": "said", "style": style, "spans": say(template, **slots)}


def heading(text: str, level: str = "h2", style: str = "") -> Block:
    """Return a heading of one of our own sentences."""
    return {"kind": "heading", "level": level, "style": style, "spans": [["plain", text]]}


def columns(*parts: list[Block], shares: Sequence[float] = (1, 1), gap: int = 56) -> Block:
    """Return columns that stand under each other on a phone."""
    return {"kind": "columns", "columns": list(parts), "shares": list(shares), "gap": gap}


def numbers(array: np.ndarray, digits: int = 4) -> list:
    """Return an array as nested lists for JSON, rounded; NaN becomes null."""
    array = np.asarray(array)
    if array.dtype == bool:
        return array.tolist()
    plain = np.round(array.astype(np.float64), digits).astype(object)
    plain[~np.isfinite(array)] = None
    listed: list = plain.tolist()
    return listed


def joined(parts: Sequence[Span]) -> list[Span]:
    """Return several spans as an enumeration: a, b and c."""
    found: list[Span] = []
    for place, part in enumerate(parts):
        if place:
            found.append(["plain", " and " if place == len(parts) - 1 else ", "])
        found.append(list(part))
    return found


def texts(blocks: Sequence[Mapping[str, Any]]) -> str:
    """Return every sentence in blocks as plain text, a line each; columns included."""
    lines = []
    for block in blocks:
        if block["kind"] == "columns":
            lines += [texts(part) for part in block["columns"]]
        for row in (block, *block.get("rows", ()), *block.get("ways", ())):
            if isinstance(row, Mapping) and "spans" in row:
                lines.append("".join(span[1] for span in row["spans"]))
    return "\n".join(lines)


def as_data(block: Any) -> Any:
    """Return a block, a dict or a frozen dataclass with a ``kind``, as plain data for JSON, with all that is in it.

    Arrays and tuples become lists, head ids their names, NaN null.
    """
    if isinstance(block, HeadId):
        return str(block)
    if dataclasses.is_dataclass(block) and not isinstance(block, type):
        kind = {"kind": block.kind} if hasattr(block, "kind") else {}
        return kind | {field.name: as_data(getattr(block, field.name)) for field in dataclasses.fields(block)}
    if isinstance(block, Mapping):
        return {name: as_data(value) for name, value in block.items()}
    if isinstance(block, np.ndarray | np.generic):
        return as_data(block.tolist())
    if isinstance(block, list | tuple):
        return [as_data(value) for value in block]
    return None if isinstance(block, float) and not math.isfinite(block) else block
