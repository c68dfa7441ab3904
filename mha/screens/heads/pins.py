"""What the pinned maps are drawn of: attention or what it brings, of one text, or of two by who looks at whom."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from mha.brief import brief
from mha.link.heads import BETWEEN
from mha.link.view import View
from mha.maps import BROUGHT, AttentionMaps, Token
from mha.screens.shown import Shown, shown_for

UNITS_DIFFER = (
    "Contribution: the size of the vector that arrives (‖weight · value · W_O‖), as a share of the row. Do not compare "
    "sizes across rows or heads. (Kobayashi et al. 2020) "
)
ELSE = {  # by whether all of the page can be drawn so
    True: "The other pictures still show attention. To change all of them, use View → “Show on this page”.",
    False: "The other pictures still show attention.",
}
PART = (
    "Shown: attention from the {first} text to the {second}. Percentages are shares of all {of}; the rest goes to "
    "markers and within the other text."
)
NOT_THERE = "None of the second text fits into the model, so the whole map is shown."


@dataclass(frozen=True, eq=False)
class Pins:
    """The maps of the pinned heads with what was set aside, as `pinned_spec` takes them.

    ``rows`` and ``columns`` are the positions of their axes on the shown ones; ``brought`` says that they are shares of
    what heads bring, ``note`` what is said of that.
    """

    maps: AttentionMaps
    share: np.ndarray
    mass: np.ndarray | None
    sinks: tuple[Token, ...]
    lock: int | None
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    brought: bool = False
    note: str = ""

    __repr__ = brief


def pins_of(
    shown: Shown, view: View, brought: AttentionMaps | None = None, between: str = "All", all_can: bool = True
) -> Pins:
    """Return what is drawn of the pinned heads; ``brought`` are the maps of what every look brings.

    ``all_can`` says whether all of the page can be drawn of that.
    """
    drawn = shown
    if brought is not None:
        drawn = shown_for(dataclasses.replace(view, pins=shown.pins, lock=-1), brought)
    note = UNITS_DIFFER + ELSE[all_can] if brought is not None else ""
    weighed = drawn.full.measure == BROUGHT
    part = BETWEEN[between]
    if part is not None and shown.full.kind == "self":
        rows, columns = _places(drawn.raw.tokens, part[0]), _places(drawn.raw.key_tokens, part[1])
        if rows and columns:
            return _between(drawn, shown.lock, shown.look, rows, columns, weighed, note, part)
        note = " ".join(filter(None, (note, NOT_THERE)))
    return Pins(
        maps=drawn.maps,
        share=drawn.share,
        mass=drawn.mass if drawn.aside and drawn.sinks else None,
        sinks=drawn.sinks,
        lock=shown.lock,
        rows=tuple(range(drawn.maps.n_queries)),
        columns=tuple(range(drawn.maps.n_keys)),
        brought=weighed,
        note=note,
    )


def _places(tokens: tuple[Token, ...], segment: int) -> tuple[int, ...]:
    return tuple(place for place, token in enumerate(tokens) if token.segment == segment and not token.special)


def _between(
    drawn: Shown,
    lock: int | None,
    look: str,
    rows: tuple[int, ...],
    columns: tuple[int, ...],
    brought: bool,
    note: str,
    part: tuple[int, int],
) -> Pins:
    raw = drawn.raw
    maps = dataclasses.replace(
        raw,
        weights=raw.weights[:, :, list(rows)][..., list(columns)],
        tokens=tuple(raw.tokens[place] for place in rows),
        key_tokens=tuple(raw.key_tokens[place] for place in columns),
        kind="self" if part[0] == part[1] else "cross",
    )
    names = ("first", "second")
    of = "contributions" if brought else "attention"
    said = PART.format(first=names[part[0]], second=names[part[1]], of=of)
    own = columns if look == "at" else rows
    return Pins(
        maps=maps,
        share=np.zeros(maps.weights.shape[:2]),
        mass=None,
        sinks=(),
        lock=own.index(lock) if lock in own else None,
        rows=rows,
        columns=columns,
        brought=brought,
        note=" ".join(filter(None, (said, note))),
    )
