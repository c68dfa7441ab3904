"""The tour of Heads: five stops, each with a sentence on what stands there now, whatever sentence and heads that is."""

from __future__ import annotations

from dataclasses import dataclass

from mha.analysis.looks import strongest_look
from mha.formats import labels
from mha.link.steps import STEPS
from mha.maps import HeadId
from mha.screens.blocks import Span, head, joined, say, word
from mha.screens.heads.findings import sink_names
from mha.screens.heads.picture import Picture
from mha.screens.shown import Shown


@dataclass(frozen=True)
class TourStop:
    """One stop: its name, where it is ("sentence", "head", "pinned", or a page's part of the address), what is said.

    ``at`` is the number of the head; ``small`` is said instead where the sentence is drawn without arcs.
    """

    name: str
    where: str
    said: tuple[Span, ...]
    at: int | None = None
    small: tuple[Span, ...] | None = None


def tour(picture: Picture) -> tuple[TourStop, ...]:
    """Return the stops for what is on the page."""
    shown = picture.shown
    one = shown.pins[0] if shown.pins else shown.full.heads[0]
    place = one.layer * shown.full.n_heads + one.head
    return (
        TourStop("the sentence", "sentence", _arcs(shown), small=_marks(shown)),
        TourStop("one head", "head", _one_head(shown, one), place),
        TourStop("pinned, large", "pinned", _pinned(shown)),
        TourStop(
            "two readings",
            "readings",
            say(
                "A page of its own for sentences that can be taken in two ways: where heads look, what carries the "
                "difference, whether it matters. Examples are marked already; in a sentence of yours you mark the "
                "words."
            ),
        ),
        TourStop(
            "step by step",
            "steps",
            say(
                f"How one number comes about, in {len(STEPS)} steps from the words to the output: with a toy’s "
                f"numbers, which you can change, or with those of {picture.row.short}."
            ),
        ),
    )


def _drawn(shown: Shown) -> tuple[Span, ...]:
    """Return whose looks the sentence carries."""
    first, *second = shown.pins[:2]
    if not second:
        return say("Drawn now: {first}.", first=first)
    return say("Above: head {first}. Below: {second}.", first=first, second=second[0])


def _arcs(shown: Shown) -> tuple[Span, ...]:
    if not shown.pins:
        return say("No head is pinned, so none is drawn here. Choose one below, and its looks stand on the sentence.")
    said = "Each arc is one look. It starts at the word that looks, and its arrow rests on the word looked at; the "
    return say(said + "thicker, the larger the share. {drawn}", drawn=_drawn(shown))


def _marks(shown: Shown) -> tuple[Span, ...]:
    if not shown.pins:
        return _arcs(shown)
    heads = joined([head(pin) for pin in shown.pins[:2]])
    return say("The marks on the words show looks of {heads}: the stronger, the larger the share.", heads=heads)


def _one_head(shown: Shown, one: HeadId) -> tuple[Span, ...]:
    look = strongest_look(shown.maps, one)
    said = (
        "This small map is {head}: each row is a word that looks, each column a word looked at; colour is the share. "
    )
    if look is None:
        return say(f"{said}Here it hardly looks from one {shown.maps.units.removesuffix('s')} to another.", head=one)
    query, key = labels(shown.maps.tokens)[look.query], labels(shown.maps.key_tokens)[look.key]
    return say(said + "Strongest here: from {query} to {key}.", head=one, query=word(query), key=word(key))


def _pinned(shown: Shown) -> tuple[Span, ...]:
    if not shown.pins:
        return say("Heads that are pinned stand here, large. None is now.")
    heads = joined([head(pin) for pin in shown.pins])
    aside = f" What went to {sink_names(shown.sinks)} is set aside, and told." if shown.aside and shown.sinks else ""
    return say("Pinned and large: {heads}. Up to four heads stand here side by side.{aside}", heads=heads, aside=aside)
