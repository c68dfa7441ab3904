"""What a newcomer is told of Heads: the line at the top, and the tour of five stops, whatever stands there now."""

from __future__ import annotations

from dataclasses import dataclass

from mha.analysis.looks import strongest_look
from mha.formats import labels
from mha.link.heads import BROUGHT
from mha.link.steps import STEPS
from mha.maps import HeadId
from mha.models.files.catalog import ModelRow
from mha.screens.blocks import Span, head, joined, say, word
from mha.screens.heads.picture import Picture
from mha.screens.shown import Shown


def orientation(row: ModelRow, shares: str = "") -> tuple[Span, ...]:
    """Return the line for a model; ``shares`` is what the page's shares were asked to be of, by the link's word."""
    n, earlier = row.n_layers * row.n_heads, "earlier" if row.causal else "other"
    every = f"each of {row.short}’s {n} heads" if n > 1 else f"the one head of {row.short}"
    shown, limit = f"See where {every} looks in your sentence.", "Where a head looks does not show why, or whether it "
    if shares == BROUGHT:
        shown = f"See what {every} passes between the words of your sentence."
        limit = "This does not show why, or whether it "
    return say(
        f"An {{head}} lets each word gather information from {earlier} words. {shown} {limit}matters.",
        head=("strong", "attention head"),
    )


TEN = {10: "ten"}


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
    readings = (
        "For ambiguous sentences: see where heads look, which heads carry the effect of one changed word, and what "
        "happens without them."
    )
    steps = (
        f"Follow one number from the words to the output in {TEN.get(len(STEPS), len(STEPS))} steps. You can change "
        "every number yourself."
    )
    return (
        TourStop("Your sentence", "sentence", _arcs(shown), small=_marks(shown)),
        TourStop("One head", "head", _one_head(shown, one), place),
        TourStop("Pinned heads", "pinned", _pinned(shown)),
        TourStop("Two readings", "readings", say(readings)),
        TourStop("Step by step", "steps", say(steps)),
    )


def _arcs(shown: Shown) -> tuple[Span, ...]:
    if not shown.pins:
        none = "No head is pinned yet. Choose a small map below, and its strongest connections appear on the sentence."
        return say(none)
    return say("Each arc starts at a word that looks and points to the word it looks at. Thicker means more attention.")


def _marks(shown: Shown) -> tuple[Span, ...]:
    if not shown.pins:
        return _arcs(shown)
    heads = joined([head(pin) for pin in shown.pins[:2]])
    look = "looks" if len(shown.pins) == 1 else "look"
    return say(f"This shows where {{heads}} {look}. Stronger marks and longer bars mean more attention.", heads=heads)


def _one_head(shown: Shown, one: HeadId) -> tuple[Span, ...]:
    look = strongest_look(shown.maps, one)
    said = "Each small map is one head. Rows look at columns; colour is the share. "
    if look is None:
        return say(f"{said}Here it hardly looks at other {shown.maps.units}.")
    query, key = labels(shown.maps.tokens)[look.query], labels(shown.maps.key_tokens)[look.key]
    return say(said + "Strongest here: {query} → {key}.", query=word(query), key=word(key))


def _pinned(shown: Shown) -> tuple[Span, ...]:
    if not shown.pins:
        return say("Pin a head and it appears here, enlarged. You can pin up to four.")
    whole = " Each row adds up to 100\u00a0%." if shown.aside or not shown.sinks else ""
    return say(f"Pinned heads appear here, enlarged.{whole} You can pin up to four heads.")
