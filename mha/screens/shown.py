"""From a view and a recording to what is drawn: words or tokens, sinks aside or not, and what the app chose itself.

Pure: no streamlit. Every page that draws heads goes through `shown_for`, so that all of them mean the same by a pin, a
locked word and "set aside".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from mha.analysis.looks import strongest_look
from mha.analysis.opening import opening_heads
from mha.analysis.sinks import SetAside, set_aside, sink_columns, sink_mass, sink_share
from mha.brief import brief
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Reading, Token

# By recorded maps, which they never hold on to: what is made from them goes when they leave the engine's cache.
_made: WeakKeyDictionary[AttentionMaps, dict[str, tuple[AttentionMaps | None, SetAside | None]]] = WeakKeyDictionary()
_opened: WeakKeyDictionary[AttentionMaps, dict[tuple[Reading, ...], tuple[HeadId, ...]]] = WeakKeyDictionary()


GRID_TOKENS = 128  # more than these are shown in the overview and one head at a time, not head by head


@dataclass(frozen=True, eq=False)
class Shown:
    """What a page of heads draws.

    ``full`` are the maps in the chosen units before anything is set aside, ``maps`` those that are drawn, ``kept`` the
    positions of their axis on the full one; ``mass`` is float64 [layer, head, shown query], ``share`` float64 [layer,
    head], ``sinks`` the pieces they are about; ``empty`` marks rows with nothing left, bool [layer, head, shown query],
    None while sinks are shown. ``pins``, ``layer`` and ``lock`` (a position on the shown axis) are the reader's or the
    app's choice; ``chosen_pins``, ``chosen_layer`` and ``chosen_lock`` say that it was the app's.
    """

    full: AttentionMaps
    maps: AttentionMaps
    kept: tuple[int, ...]
    mass: np.ndarray
    share: np.ndarray
    sinks: tuple[Token, ...]
    empty: np.ndarray | None
    aside: bool
    pins: tuple[HeadId, ...]
    off: frozenset[HeadId]
    layer: int
    lock: int | None
    chosen_pins: bool
    chosen_layer: bool
    chosen_lock: bool

    __repr__ = brief

    @property
    def all_off(self) -> bool:
        """Whether every head is switched off."""
        return len(self.off) == len(self.full.heads)

    def position(self, shown: int) -> int:
        """Return the place on the full axis of a position on the shown one."""
        return self.kept[shown]


def shown_for(view: View, maps: AttentionMaps, readings: Sequence[Reading] | None = None) -> Shown:
    """Return what a view shows of these maps; ``readings`` help to choose the opening heads."""
    full, words = _derived(maps, view.units)
    sinks = sink_columns(full)
    aside = view.sinks and words is not None
    drawn = words.maps if aside and words is not None else full
    kept = words.kept if aside and words is not None else tuple(range(full.n_keys))
    pins = view.pins if view.pins is not None else _opening(maps, readings)
    layer = view.layer if view.layer is not None else (pins[0].layer if pins else 0)
    if view.lock is not None:
        lock = kept.index(view.lock) if view.lock in kept else None
    elif readings and view.pins is None:
        lock = _pivot(drawn, readings[0])  # the opening heads were chosen by who looks at it
    else:
        lock = _strongest_key(words, pins, kept)
    return Shown(
        full=full,
        maps=drawn,
        kept=kept,
        mass=sink_mass(full)[..., list(kept)] if full.n_queries == full.n_keys else sink_mass(full),
        share=sink_share(full),
        sinks=tuple(full.key_tokens[position] for position in np.flatnonzero(sinks)),
        empty=words.empty if aside and words is not None else None,
        aside=aside,
        pins=pins,
        off=view.switched_off(full.heads),
        layer=layer,
        lock=lock,
        chosen_pins=view.pins is None,
        chosen_layer=view.layer is None,
        chosen_lock=view.lock is None,
    )


def in_words(maps: AttentionMaps) -> AttentionMaps:
    """Return recorded maps with words as axes and sinks kept, merged once as long as the recording is kept."""
    return _derived(maps, "words")[0]


def _derived(maps: AttentionMaps, units: str) -> tuple[AttentionMaps, SetAside | None]:
    """Return the maps in the chosen units and with sinks set aside, made once as long as the recording is kept."""
    known = _made.setdefault(maps, {})
    if units not in known:
        merged = maps.merged() if units == "words" and maps.units != "words" else None
        full = maps if merged is None else merged
        known[units] = merged, set_aside(full) if not sink_columns(full).all() else None
    merged, aside = known[units]
    return maps if merged is None else merged, aside


def _opening(maps: AttentionMaps, readings: Sequence[Reading] | None) -> tuple[HeadId, ...]:
    """Return the opening heads, found once for a recording: a click does not change them."""
    known, named = _opened.setdefault(maps, {}), tuple(readings or ())
    if named not in known:
        known[named] = tuple(dict.fromkeys(opening_heads(maps, readings)))
    return known[named]


def _pivot(drawn: AttentionMaps, reading: Reading) -> int | None:
    """Return the first position on the shown axis of the word that a reading joins with its partner, or None.

    In a causal model only the earlier one of the two can be looked at by the other; it is that one's position.
    """
    pivot, partner = reading.links[0]
    word = min(pivot, partner) if drawn.causal else pivot
    return next(
        (place for place, token in enumerate(drawn.key_tokens) if token.word is not None and token.word == word), None
    )


def _strongest_key(words: SetAside | None, pins: Sequence[HeadId], kept: tuple[int, ...]) -> int | None:
    """Return the shown position of the word that the first pinned head looks at most, or None."""
    look = strongest_look(words.maps, pins[0]) if words is not None and pins else None
    return kept.index(words.kept[look.key]) if look is not None and words is not None else None
