"""The words of the frame, which every page has: the link is the state, and its words and defaults never change (v=1).

Every default is a constant. An empty ``pins`` means that the app chooses for this text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mha.examples import DEFAULT_TEXT as DEFAULT_TEXT
from mha.lesson import MOST_STOPS
from mha.link.kinds import Choice, Heads, Number, Shape, Switch, Text, quoted
from mha.link.word import Query, Words, word
from mha.maps import HeadId
from mha.models.files.catalog import hindrance
from mha.navigation import VERSION as VERSION
from mha.words import MAX_CHARACTERS

START, END = "c", "e"  # the first and the last word of a link that was copied here
COPIED = {START: "1", END: "1"}
MAX_PINS = 4
MAX_POSITION = 511  # the last axis position that a lock can name
MOST_NAME = 60  # letters of a lesson's name

DEFAULT_MODEL = "minilm"
UNITS = ("words", "tokens")
SCALES = ("all heads", "each head", "each row")  # what shares one colour scale
LOOKS = ("at", "from", "ask")  # what is framed of the locked word: its column, its row, its row with all its answers
AS_DRAWN, BOTH = TABLE_SINKS = ("as drawn", "both")  # what the table of heads does with sinks
SCALE_NAMES = {"all heads": "same for all", "each head": "per head", "each row": "per row"}

CHOSEN = "picked for this text"
PLACE = f"from 0 to {MAX_POSITION}, or -1 for none"
MODELS = "`minilm`, `smollm2`, `toy`; a folder's name or `org/name` that `PARALLAX_MODELS` offers"


@dataclass(frozen=True)
class View(Words):
    """Everything a link says to every page; the defaults are those of an empty link.

    ``pins`` and ``lock`` are None for *automatic*: the app chooses for this text and says so. Empty ``pins``
    pin no head; ``lock`` is a position on the axis before sinks are set aside, -1 for no word, and ``look`` says of a
    word that is locked whether its column is framed (who looks at it) or its row (where it looks).
    """

    # fmt: off
    text: str = word(Text(MAX_CHARACTERS, "area"), DEFAULT_TEXT, "Your sentence", "the sentence")
    model: str = word(Choice(lambda shape: shape.models, reasons=hindrance), DEFAULT_MODEL, "Model",
                      "the model, by its short name", values=MODELS)
    pins: tuple[HeadId, ...] | None = word(Heads(most=MAX_PINS, none=True), None, "Pinned heads", "the pinned heads",
                                           instead=f"heads {CHOSEN}", placeholder=CHOSEN)
    scale: str = word(Choice(SCALES, names=SCALE_NAMES), SCALES[0], "Colour scale", "what shares one colour scale")
    units: str = word(Choice(UNITS, "segments"), UNITS[0], "Axis", "what stands on the axes")
    sinks: bool = word(Switch(), True, "Exclude special tokens and final punctuation", "whether attention sinks are "
                        "excluded")
    lock: int | None = word(Number(-1, MAX_POSITION, offer=PLACE), None, "Selected word, by its place (−1: none)",
                            "the word that is framed, by its place on the axis",
                            instead=f"a word {CHOSEN}", placeholder=CHOSEN)
    look: str = word(Choice(LOOKS), LOOKS[0], "Selected word shows",
                     "of a selected word: its column, its row, or its row with the heads that answer for it")
    reveal: bool = word(Switch("1", "0", "select"), True, "Results: 1 now, 0 guess first",
                        "0 hides leans and findings until asked for")
    large: bool = word(Switch(), False, "Large type (projector)", "large type, for a projector")
    heads_table: str = word(Choice(TABLE_SINKS), AS_DRAWN, "Table",
                      "attention sinks in the table of heads: as in the pictures, or excluded and included")
    lesson: str = word(Text(MOST_NAME), "", "Lesson, by its name", "the lesson that is on", instead="none",
                       placeholder="none", values="the name of a lesson; `open` for the visitor’s own file")
    stop: int = word(Number(1, MOST_STOPS), 1, "Stop of the lesson", "its stop, from 1")
    # fmt: on


def fitted(view: View, n_layers: int, n_heads: int) -> View:
    """Return a view without the pinned heads that a stack of this size has not.

    Where nothing is left of what was said, the app chooses. An encoder–decoder has stacks of two sizes, and a link may
    name heads of both.
    """
    if not view.pins:
        return view
    return replace(view, pins=tuple(pin for pin in view.pins if pin.layer < n_layers and pin.head < n_heads) or None)


def shape_of(query: Query, models: Mapping[str, Shape]) -> Shape:
    """Return the shape of the model that a link asks for; of the default where there is no such model."""
    name = (query.get("model") or [DEFAULT_MODEL])[-1]
    return models.get(name, models[DEFAULT_MODEL])._replace(models=tuple(models))


def complaint_of_end(query: Query) -> str:
    """Return what to say of a link that was copied here and has lost its end on the way; "" where all is there.

    The copy button puts ``c=1`` before all other words and ``e=1`` behind them. Chat programs cut a link at its end, so
    that one with the first and without the last was cut; other links have neither.
    """
    if START not in query or (query.get(END) or [""])[-1] == COPIED[END]:
        return ""
    return "This link was cut off. Showing what arrived."


def complaint_of_version(query: Query) -> str:
    """Return what to say of a link's version; "" for our own."""
    version = (query.get("v") or [VERSION])[-1]
    if version == VERSION:
        return ""
    return (
        f"This link is from another version ({quoted(version)}; this app reads {VERSION}). Showing what still applies."
    )


def parse(query: Query, models: Mapping[str, Shape]) -> tuple[View, tuple[str, ...]]:
    """Return what a link says, and one sentence for each thing in it that cannot be, with what is shown instead.

    ``query`` maps each word to its values (a list: ``pins`` repeats); ``models`` maps each model on offer to its shape.
    Other words are left alone; `mha.link.pages.misspelt` has those that were to be one.
    """
    view, notes = View.read(query, shape_of(query, models))
    return view, tuple(filter(None, (complaint_of_version(query), *notes)))


def query(view: View) -> list[tuple[str, str]]:
    """Return the pairs of a view's link, ``v`` first, defaults left out."""
    return [("v", VERSION), *view.pairs()]
