"""What a page says and shows: a column of blocks, each a sentence or a picture.

What a browser draws has its ``kind`` as a row of the drawers' tables in `assets/js`, a control that needs no server
among it; places, other controls and what leaves the page (`places`, `inputs`, `takings`) are drawn by Python.
`as_data` makes of a block what travels. Sentences are spans, words of the reader's text among them, which are only
ever set as text.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Annotated, Any, ClassVar, dataclass_transform

import numpy as np

from mha.brief import with_arrays
from mha.formats import many
from mha.glossary import glossary
from mha.maps import HeadId

Span = Annotated[tuple[str, ...], "Span"]  # (kind, text), and for a term its entry of the glossary as a third
Spans = tuple[Span, ...]  # a sentence
# An array of numbers, or of yes and no, by how many axes it has; the second name is its own in JavaScript.
NumberRow = Annotated[np.ndarray, "NumberRow"]
NumberRows = Annotated[np.ndarray, "NumberRows"]
FlagRow = Annotated[np.ndarray, "FlagRow"]
FlagRows = Annotated[np.ndarray, "FlagRows"]
_MARK = re.compile(r"\{(\w+)\}|\[\[([^\]|]+)(?:\|([^\]]+))?\]\]|\*([^*]+)\*")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Block:
    """Anything that is said, drawn or chosen: each class below it is a frozen dataclass.

    Its ``kind`` says who draws it. One that ``asks`` stands on the page before findings are shown, too
    (`mha.screens.guessing`): it holds other blocks, or it is a control or a question. All others are answers. Two are
    equal if they say the same; one that holds ``arrays`` is as `with_arrays` makes it, equal to itself alone.
    """

    kind: ClassVar[str]
    asks: ClassVar[bool] = False
    arrays: ClassVar[bool] = False

    def __init_subclass__(cls, **says: Any) -> None:
        for name, value in says.items():
            setattr(cls, name, value)
        (with_arrays if cls.arrays else dataclass(frozen=True))(cls)


class LabelledPicture(Block, arrays=True):
    """A picture; ``label`` is its text alternative."""

    label: str = field(kw_only=True)


class Said(Block, kind="said"):
    """Sentences in one paragraph, whose terms open their line of the glossary.

    Styles: verdict, result, headline, finding, sub, text, cap, note; and caption, of which "caption sub" is
    larger. What opens a page is "finding lead".
    """

    style: str
    spans: Spans


class Asked(Said, asks=True):
    """A question, which gives no finding away."""


class Definitions(Block, kind="definitions"):
    """Entries as a list of definitions: each has a ``name``, a ``text`` and a ``formula``, a command."""

    entries: Sequence[Mapping[str, str]]


class Heading(Block, kind="heading"):
    """A heading; ``style`` is "first" at the top of a column of pictures, "near" after a small one."""

    spans: tuple[Span, ...]
    level: str = "h2"
    style: str = ""


class Columns(Block, kind="columns"):
    """Columns that stand under each other on a phone."""

    columns: tuple[Sequence[Block], ...]
    shares: tuple[float, ...] = (1, 1)


class CopyLink(Block, kind="copy_link", asks=True):
    """The button that copies the address of this very view; the browser does it alone."""

    label: str = "Copy link"


def word(text: str) -> Span:
    """Return a word of the reader's text as a span."""
    return "word", text


def head(one: HeadId) -> Span:
    """Return a head's name as a span."""
    return "head", str(one)


def chip(letter: str) -> Span:
    """Return the letter of a reading in its shape and colour."""
    return "chip", letter


def say(template: str, **slots: Span | str | HeadId | Sequence[Span]) -> tuple[Span, ...]:
    """Return a sentence as spans: slots in braces, terms of the glossary in double brackets, words between asterisks.

    A slot takes a span, several, a head, or plain text, in which nothing is a mark; so the reader's words stand in
    slots. A term may differ from its entry: ``[[left out|excluded]]``.

    >>> say("{head} looks at *dog*.", head=HeadId(3, 1))
    (('head', 'L3H1'), ('plain', ' looks at '), ('word', 'dog'), ('plain', '.'))
    >>> say("Rows are [[queries|query]].")
    (('plain', 'Rows are '), ('term', 'queries', 'query'), ('plain', '.'))

    Raises:
        KeyError: a slot is not given, or a term is not in the glossary.
    """
    parts: list[Span] = []
    end = 0
    for mark in _MARK.finditer(template):
        parts.append(("plain", template[end : mark.start()]))
        slot, term, entry, ours = mark.groups()
        if slot is not None:
            parts += _filled(slots[slot])
        elif term is not None:
            parts.append(_term(term, entry or term))
        else:
            parts.append(word(ours))
        end = mark.end()
    found: list[Span] = []
    for part in (*parts, ("plain", template[end:])):
        if found and found[-1][0] == part[0] == "plain":
            found[-1] = ("plain", found[-1][1] + part[1])
        elif part[1]:
            found.append(part)
    return tuple(found)


def size_said(n_layers: int, n_heads: int) -> str:
    """Return how large a model is, for the template of `say`: its heads are a term of the glossary."""
    return f"{many(n_layers, 'layer')} × {n_heads} {'[[head]]' if n_heads == 1 else '[[heads|head]]'}"


def _filled(value: Span | str | HeadId | Sequence[Span]) -> Sequence[Span]:
    if isinstance(value, HeadId):
        return [head(value)]
    if isinstance(value, str):
        return [("plain", value)]
    if value and isinstance(value[0], str):
        return [tuple(str(part) for part in value)]
    return [tuple(span) for span in value]


def _term(text: str, entry: str) -> Span:
    if entry not in glossary():
        raise KeyError(f"{entry!r} is not in docs/glossary.md")
    return "term", text, entry


def as_text(spans: Sequence[Span]) -> str:
    """Return spans as plain text, for where there is nothing but text: a picture's alternative.

    >>> as_text(say("{head} looks at *dog*.", head=HeadId(3, 1)))
    'L3H1 looks at dog.'
    """
    return "".join(span[1] for span in spans)


def joined(parts: Sequence[Span]) -> tuple[Span, ...]:
    """Return several spans as an enumeration: a, b and c."""
    found: list[Span] = []
    for place, part in enumerate(parts):
        if place:
            found.append(("plain", " and " if place == len(parts) - 1 else ", "))
        found.append(part)
    return tuple(found)


def said(style: str, template: str, **slots: Any) -> Said:
    """Return a block with one sentence, its template as `say` takes it."""
    return Said(style, say(template, **slots))


def caption(*parts: str | Sequence[Span], style: str = "") -> Said:
    """Return a caption of templates, as `say` takes them, and of ready spans: words of the reader's are such."""
    spans = [span for part in parts for span in (say(part) if isinstance(part, str) else part)]
    return Said(f"caption {style}".rstrip(), tuple(tuple(span) for span in spans))


def heading(text: str, level: str = "h2", style: str = "") -> Heading:
    """Return a heading of one of our own sentences."""
    return Heading((("plain", text),), level, style)


def as_data(value: Any, digits: int = 4) -> Any:
    """Return a block, or anything in one, as JSON has it: objects with their kind, arrays rounded, NaN as null.

    A field that may be None by default is left out where it is; a name ends in "_" where Python keeps it for itself.
    Arrays have four digits after the point, or as many as a block's ``digits`` say.
    """
    if type(value) is float:
        return round(value, 6) if math.isfinite(value) else None
    if value is None or type(value) in (str, int, bool):  # most of what is asked about
        return value
    if is_dataclass(value) and not isinstance(value, type):
        found = {"kind": value.kind} if hasattr(value, "kind") else {}
        digits = getattr(value, "digits", digits)
        for name, sent, left_out in _fields(type(value)):
            own = getattr(value, name)
            if own is not None or not left_out:
                found[sent] = as_data(own, digits)
        return found
    if isinstance(value, Mapping):
        return {name: as_data(own, digits) for name, own in value.items()}
    if isinstance(value, np.ndarray):
        exact = value if value.dtype.kind in "bi" else np.round(value.astype(np.float64), digits)
        return as_data(exact.tolist(), digits)
    if isinstance(value, list | tuple):
        return [as_data(own, digits) for own in value]
    if isinstance(value, np.generic):
        return as_data(value.item(), digits)
    return value


@functools.cache
def _fields(kind: type) -> tuple[tuple[str, str, bool], ...]:
    """Return the fields of a block: their names, those that are sent, and whether they are left out where None."""
    return tuple((part.name, part.name.rstrip("_"), part.default is None) for part in fields(kind))


@with_arrays
class Drawing:
    """Everything a component draws: a JSON header and the arrays it names, uint8, uint16 or float32."""

    header: dict[str, Any]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
