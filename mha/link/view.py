"""The link is the state, and this file owns its words: what a link may say, its defaults, and how it is read.

Pure: no streamlit, no model. Version 1: words and defaults never change, and every default is a constant. An empty
``pins`` or ``layer`` means that the app chooses for this text; heads that are *off* are stored, not those left on, so
that a model with another number of heads needs no other default.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from mha.errors import InputError, LinkError
from mha.maps import HeadId
from mha.words import MAX_CHARACTERS

VERSION = "1"
MAX_PINS = 4
NO_PINS = "none"  # the word for an explicit choice of no head at all
MAX_POSITION = 511  # the last axis position that a lock can name
MAX_LINK = 25_000  # characters of a whole link: 2,000 characters of text at up to 12 when encoded, and the rest

DEFAULT_TEXT = "I saw the man with the telescope"
DEFAULT_MODEL = "minilm"
UNITS = ("words", "tokens")
SCALES = ("all heads", "each head", "each row")  # what shares one colour scale
PINNED_VIEWS = ("heatmaps", "lines", "numbers")


@dataclass(frozen=True)
class View:
    """Everything a link says; the defaults are those of an empty link.

    ``layer``, ``pins`` and ``lock`` are None for *automatic*: the app chooses for this text and says so. Empty ``pins``
    pin no head; ``lock`` is a position on the axis before sinks are set aside, -1 for no word.
    """

    text: str = DEFAULT_TEXT
    model: str = DEFAULT_MODEL
    layer: int | None = None
    pins: tuple[HeadId, ...] | None = None
    off: tuple[HeadId, ...] = ()
    scale: str = SCALES[0]
    units: str = UNITS[0]
    sinks: bool = True
    lock: int | None = None
    reveal: bool = True
    large: bool = False
    heads_pinned: str = PINNED_VIEWS[0]


class ModelShape(NamedTuple):
    """What a link needs to know of a model: its title for sentences, and how many heads it has."""

    title: str
    n_layers: int
    n_heads: int


@dataclass(frozen=True)
class Parameter:
    """One word of the link: how its value is read from, and written to, the strings of a query."""

    name: str
    read: Callable[[Sequence[str], ModelShape], Any]
    write: Callable[[Any], list[str]]
    about: str


def _read_text(values: Sequence[str], shape: ModelShape) -> str:
    return values[-1]


def _read_choice(options: Sequence[str]) -> Callable[[Sequence[str], ModelShape], str]:
    def read(values: Sequence[str], shape: ModelShape) -> str:
        if values[-1] not in options:
            raise LinkError(f"it takes {' or '.join(options)}, not {_quoted(values[-1])}")
        return values[-1]

    return read


def _read_switch(values: Sequence[str], shape: ModelShape) -> bool:
    if values[-1].lower() not in ("true", "false"):
        raise LinkError(f"it takes true or false, not {_quoted(values[-1])}")
    return values[-1].lower() == "true"


def _read_reveal(values: Sequence[str], shape: ModelShape) -> bool:
    if values[-1] not in ("0", "1"):
        raise LinkError(f"it takes 0 or 1, not {_quoted(values[-1])}")
    return values[-1] == "1"


def _read_layer(values: Sequence[str], shape: ModelShape) -> int | None:
    if values[-1] == "":
        return None
    number = _number(values[-1])
    if not 0 <= number < shape.n_layers:
        raise LinkError(f"{shape.title} has layers 0 to {shape.n_layers - 1}; the link asks for {_quoted(values[-1])}")
    return number


def _read_lock(values: Sequence[str], shape: ModelShape) -> int | None:
    if values[-1] == "":
        return None
    number = _number(values[-1])
    if not -1 <= number <= MAX_POSITION:
        raise LinkError(
            f"a word's place is a number from 0 to {MAX_POSITION}, or -1 for none, not {_quoted(values[-1])}"
        )
    return number


def _read_heads(limit: int | None) -> Callable[[Sequence[str], ModelShape], tuple[HeadId, ...]]:
    def read(values: Sequence[str], shape: ModelShape) -> tuple[HeadId, ...]:
        heads = []
        for value in values:
            if value == "":
                continue
            try:
                head = HeadId.parse(value)
            except InputError as error:
                raise LinkError(str(error).rstrip(".").replace("A head", "a head")) from error
            if not (head.layer < shape.n_layers and head.head < shape.n_heads):
                last = HeadId(shape.n_layers - 1, shape.n_heads - 1)
                raise LinkError(f"{shape.title} has L0H0 to {last}; the link asks for {head}")
            if head not in heads:
                heads.append(head)
        if limit is not None and len(heads) > limit:
            raise LinkError(f"at most {limit} heads can be pinned; the link asks for {len(heads)}")
        return tuple(heads)

    return read


def _number(value: str) -> int:
    if not value.lstrip("-").isascii() or not value.lstrip("-").isdigit() or len(value) > 9:
        raise LinkError(f"it takes a whole number, not {_quoted(value)}")
    return int(value)


def _quoted(value: str) -> str:
    shown = "".join(character if character.isprintable() else "�" for character in value[:40])
    return f"“{shown}{'…' if len(value) > 40 else ''}”"


def _read_pins(values: Sequence[str], shape: ModelShape) -> tuple[HeadId, ...] | None:
    chosen = [value for value in values if value != ""]
    if NO_PINS in chosen:
        return ()
    return _read_heads(MAX_PINS)(chosen, shape) or None


def _write_pins(heads: Sequence[HeadId] | None) -> list[str]:
    return [""] if heads is None else _write_heads(heads) if heads else [NO_PINS]


def _write_heads(heads: Sequence[HeadId]) -> list[str]:
    return [str(head) for head in heads] or [""]


def _write_optional(value: int | None) -> list[str]:
    return ["" if value is None else str(value)]


def _write_switch(value: bool) -> list[str]:
    return [str(value).lower()]


def _write_text(value: str) -> list[str]:
    return [value]


PARAMETERS: tuple[Parameter, ...] = (
    Parameter("text", _read_text, _write_text, "the sentence"),
    Parameter("model", _read_text, _write_text, "the model, by its short name"),
    Parameter(
        "layer", _read_layer, _write_optional, "the layer that is drawn head by head; empty: chosen for the text"
    ),
    Parameter("pins", _read_pins, _write_pins, "pinned heads, repeated; empty: chosen for the text; none: no head"),
    Parameter("off", _read_heads(None), _write_heads, "heads that are switched off, repeated"),
    Parameter("scale", _read_choice(SCALES), _write_text, "what shares one colour scale"),
    Parameter("units", _read_choice(UNITS), _write_text, "what stands on the axes"),
    Parameter("sinks", _read_switch, _write_switch, "whether sinks are set aside"),
    Parameter("lock", _read_lock, _write_optional, "the word whose column is framed; empty: chosen, -1: none"),
    Parameter("reveal", _read_reveal, lambda value: [str(int(value))], "0 hides leans and findings until asked for"),
    Parameter("large", _read_switch, _write_switch, "large type, for a projector"),
    Parameter("heads_pinned", _read_choice(PINNED_VIEWS), _write_text, "how the pinned heads are drawn on Heads"),
)

READINGS = {  # the words that only the page of two readings has; a word of the text is meant by "number word", "6 it"
    "readings_pivot": "the word that can be taken in two ways",
    "readings_a": "the words it goes with in reading A, repeated",
    "readings_b": "the words it goes with in reading B, repeated",
    "readings_cue": "the word that decides; none: no word",
    "readings_contrast": "the sentence with another cue; none: no sentence",
    "readings_kind": "the kind of ambiguity",
    "readings_name_a": "what reading A is called",
    "readings_name_b": "what reading B is called",
    "readings_left": "the head in the left picture",
    "readings_right": "the head in the right picture",
    "readings_measure": "what a lean is measured on",
    "readings_score": "what the model is asked for",
    "readings_at": "after which layer the link margin is read",
    "readings_say_a": "what another score takes for reading A",
    "readings_say_b": "what another score takes for reading B",
    "readings_silenced": "what a silenced head's output becomes",
    "readings_set": "the heads that are silenced together",
    "readings_steered": "the head that is turned up or down",
    "readings_strength": "how far, from 0 to 3",
    "tab": "the open tab",
}


def parse(query: Mapping[str, Sequence[str]], models: Mapping[str, ModelShape]) -> tuple[View, tuple[str, ...]]:
    """Return what a link says, and one sentence for each thing in it that cannot be, with what is shown instead.

    ``query`` maps each parameter to its values (a list: ``pins`` repeats); ``models`` maps each model on offer to its
    shape. Unknown parameters are ignored, for a link may be newer than the app or pass through a mailer that adds some.
    """
    notes = []
    version = query.get("v", [VERSION])[-1]
    if version != VERSION:
        notes.append(
            f"This link is of version {_quoted(version)}; this app reads version {VERSION}. What it knows is shown."
        )
    values: dict[str, Any] = {}
    model = query.get("model", [DEFAULT_MODEL])[-1]
    if model not in models:
        *others, last = models
        offer = f"{', '.join(others)} and {last}" if others else last
        notes.append(
            f"This link asks for the model {_quoted(model)}. On offer: {offer}. Shown instead: {DEFAULT_MODEL}."
        )
        model = DEFAULT_MODEL
    shape = models[model]
    for parameter in PARAMETERS:
        if parameter.name not in query or parameter.name == "model":
            continue
        try:
            values[parameter.name] = parameter.read(query[parameter.name], shape)
        except LinkError as error:
            notes.append(_fallback(parameter.name, error))
    if len(query.get("text", ())) > 1:
        notes.append("This link gives the text more than once; the last one is shown.")
    if len(values.get("text", "")) > MAX_CHARACTERS:
        notes.append(f"The link's text has {len(values['text']):,} characters; the first {MAX_CHARACTERS:,} are shown.")
        values["text"] = values["text"][:MAX_CHARACTERS]
    return View(model=model, **values), tuple(notes)


def _fallback(name: str, error: LinkError) -> str:
    default = dataclasses.asdict(View())[name]
    shown = {"layer": "a layer chosen for this text", "pins": "heads chosen for this text", "off": "all heads on"}.get(
        name
    )
    if shown is None:
        shown = (
            "a word chosen for this text"
            if name == "lock"
            else str(default).lower()
            if isinstance(default, bool)
            else default
        )
    return f"In this link, {name}: {error}. Shown instead: {shown}."


def query(view: View) -> list[tuple[str, str]]:
    """Return the pairs of a view's link, ``v`` first, defaults left out."""
    pairs = [("v", VERSION)]
    for parameter in PARAMETERS:
        value = getattr(view, parameter.name)
        if value != getattr(View(), parameter.name):
            pairs.extend((parameter.name, written) for written in parameter.write(value))
    return pairs


def link(view: View, address: str = "") -> str:
    """Return the whole link of a view.

    Raises:
        LinkError: the link would be longer than 25,000 characters, which browsers and mailers cut.
    """
    whole = f"{address}?{urlencode(query(view))}"
    if len(whole) > MAX_LINK:
        raise LinkError(f"A link may have {MAX_LINK:,} characters; this view needs {len(whole):,}. Shorten the text.")
    return whole
