"""From a view and a recording to what is drawn: words or tokens, sinks aside or not, and what the app chose itself.

Pure: no streamlit. Every page that draws heads goes through `shown_for`, so that all of them mean the same by a pin, a
locked word and "set aside".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from mha.analysis.looks import strongest_look
from mha.analysis.opening import Opening, opening, suggested_readings
from mha.analysis.sinks import SetAside, mean_over_words, set_aside, sink_columns, sink_mass
from mha.analysis.usual import Habit, bundled
from mha.brief import once_of_each, with_arrays
from mha.link.view import View, fitted
from mha.maps import ATTENTION, AttentionMaps, HeadId, Reading, Token

SAID_FROM = 0.01  # of a row; less may be rounding of maps that were made elsewhere
OWN_SINK = Token("a sink that is no token", special=True)  # of a model such as GPT-OSS: what its rows lack to 1
MOST_WORDS = 128  # of a text on Heads, and of large maps


@with_arrays
class Shown:
    """What a page of heads draws.

    ``full`` are the maps in the chosen units before anything is set aside, ``maps`` those that are drawn, ``kept`` the
    positions of their axis on the full one; ``mass`` is float64 [layer, head, shown query], ``share`` float64 [layer,
    head], ``sinks`` the pieces they are about; ``empty`` marks rows with nothing left, bool [layer, head, shown query],
    None while sinks are shown. ``raw`` are the same pieces before rescaling: shares of all attention.

    ``pins``, ``lock`` (a position on the shown axis) and ``look`` are the reader's or the app's choice;
    ``chosen_pins`` and ``chosen_lock`` say that it was the app's. ``look`` says what the locked word
    is about: "at" who looks at it, "from" where it looks, "ask" the same with all heads that answer. ``opening`` is how
    this text opens when nobody has chosen anything, with the two ``readings`` of an ambiguous word or none; ``habit``
    is what the model's heads usually do, where it is known. ``n_tokens`` is the number of tokens in words of the text,
    whatever the units.
    """

    full: AttentionMaps
    maps: AttentionMaps
    raw: AttentionMaps
    kept: tuple[int, ...]
    mass: np.ndarray
    share: np.ndarray
    sinks: tuple[Token, ...]
    empty: np.ndarray | None
    aside: bool
    pins: tuple[HeadId, ...]
    lock: int | None
    look: str
    chosen_pins: bool
    chosen_lock: bool
    opening: Opening
    habit: Habit | None
    readings: tuple[Reading, ...] = ()
    n_tokens: int = 0

    @property
    def locked(self) -> dict[str, int]:
        """The locked word as `strongest_look` takes it: as the key or as the query, or neither."""
        return {} if self.lock is None else {"key" if self.look == "at" else "query": self.lock}

    def position(self, shown: int) -> int:
        """Return the place on the full axis of a position on the shown one."""
        return self.kept[shown]


def shown_for(
    view: View, maps: AttentionMaps, readings: Sequence[Reading] | None = None, habit: Habit | None = None
) -> Shown:
    """Return what a view shows of these maps; ``readings`` choose the opening heads, as `opening` takes them.

    By default the habit is the one that comes with the program for this model, if there is one. Heads that these
    maps have not are left (`mha.screens.heads.picture` says so).
    """
    view = fitted(view, maps.n_layers, maps.n_heads)
    if view.units == "words":
        in_words(maps)  # kept, so that it is made once; by tokens it is let go before anything else takes room
    given = readings is not None
    readings = _two(maps, readings)
    habit = habit or bundled(maps)
    opens = _opening(maps, readings, habit)
    words = {word for reading in readings for link in reading.links for word in link if isinstance(word, int)}
    words -= {maps.tokens[0].word} if maps.causal else set()  # an attention sink, whatever a reading names
    derived = _derived(maps, view.units, frozenset(words | _locked_word(view, maps)))
    full = derived.full or maps
    left = derived.words if view.sinks else None
    drawn = full if left is None else left.maps
    kept = tuple(range(full.n_keys)) if left is None else left.kept
    pins = view.pins if view.pins is not None else tuple(dict.fromkeys(opens.heads))
    lock, look = _lock(view, maps, derived, opens, given and bool(readings), drawn, kept, pins)
    look = look if lock is None or full.kind != "self" else _possible(full, kept[lock], look)
    if look == "ask" and maps.measure != ATTENTION:  # answers about a word are about its looks
        look = "from"
    return Shown(
        full=full,
        maps=drawn,
        raw=full if left is None or derived.raw is None else derived.raw,
        kept=kept,
        mass=derived.mass[..., list(kept)] if full.kind == "self" else derived.mass,
        share=derived.share,
        sinks=derived.sinks,
        empty=None if left is None else left.empty,
        aside=left is not None,
        pins=pins,
        lock=lock,
        look=look,
        chosen_pins=view.pins is None,
        chosen_lock=view.lock is None,
        opening=opens,
        habit=habit,
        readings=readings,
        n_tokens=sum(token.word is not None for token in maps.tokens),
    )


def in_words(maps: AttentionMaps) -> AttentionMaps:
    """Return recorded maps with words as axes and sinks kept, merged once as long as the recording is kept."""
    return maps if maps.units == "words" else _merged(maps)


@once_of_each
def _merged(maps: AttentionMaps) -> AttentionMaps:
    return maps.merged()


def _locked_word(view: View, maps: AttentionMaps) -> set[int]:
    """Return the number of the selected word, or nothing: a word that a visitor selects stays a column."""
    tokens = (maps.merged_axes() if view.units == "words" else maps).key_tokens
    chosen = tokens[view.lock].word if view.lock is not None and 0 <= view.lock < len(tokens) else None
    return set() if chosen is None else {chosen}


def left_of_words(maps: AttentionMaps) -> SetAside | None:
    """Return what is left of recorded maps in words without their sinks, worked out once; None where nothing is."""
    return _derived(maps, "words", frozenset()).words


@with_arrays
class _Derived:
    """What is made of maps once: in other units (``full``, None where they have them), their sinks.

    It never holds on to the maps themselves, which would keep it alive.
    """

    full: AttentionMaps | None
    words: SetAside | None
    raw: AttentionMaps | None
    mass: np.ndarray
    share: np.ndarray
    sinks: tuple[Token, ...]


@once_of_each
def _derived(maps: AttentionMaps, units: str, needed: frozenset[int]) -> _Derived:
    """Return the maps in the chosen units and without sinks, made once as long as the recording is in memory.

    ``needed`` are the numbers of words that are no sinks by measurement: those of readings, and the selected one.
    """
    merged = in_words(maps) if units == "words" != maps.units else None
    full = maps if merged is None else merged
    words = set_aside(full, needed) if not sink_columns(full, needed).all() else None
    raw = None if words is None else _before(full, words)
    mass = sink_mass(full, needed)
    return _Derived(merged, words, raw, mass, mean_over_words(full, mass), _sinks(full, needed))


def own_sink(maps: AttentionMaps) -> tuple[Token, ...]:
    """Return what stands for the mass that goes to no token, where there is some: `OWN_SINK`."""
    lacks = maps.measure == ATTENTION and maps.absent_mass.max(initial=0) >= SAID_FROM
    return (OWN_SINK,) if lacks else ()


def _sinks(full: AttentionMaps, needed: frozenset[int]) -> tuple[Token, ...]:
    """Return the pieces that serve as sinks, and first what stands for the mass that goes to no piece."""
    return (*own_sink(full), *(full.key_tokens[position] for position in np.flatnonzero(sink_columns(full, needed))))


def _before(full: AttentionMaps, words: SetAside) -> AttentionMaps:
    """Return the pieces that are left as they were before rescaling."""
    first, last = words.kept[0], words.kept[-1]
    side_by_side = last - first == len(words.kept) - 1  # nearly always: then it is no copy
    kept = slice(first, last + 1) if side_by_side else list(words.kept)
    weights = full.weights[:, :, kept] if full.kind == "self" else full.weights
    tokens, keys = words.maps.tokens, words.maps.key_tokens
    return dataclasses.replace(full, weights=weights[..., kept], tokens=tokens, key_tokens=keys)


def _two(maps: AttentionMaps, readings: Sequence[Reading] | None) -> tuple[Reading, ...]:
    """Return the two readings that are drawn of a text: those given, or, nothing being given, those suggested."""
    if readings is None:
        readings = suggested_readings(maps) if maps.kind == "self" else ()
    read = {token.word for token in maps.tokens if token.word is not None}
    there = all(set(link) <= read for reading in readings for link in reading.links)  # a model may read less
    return tuple(readings) if len(readings) == 2 and maps.kind == "self" and there else ()


@once_of_each
def _opening(maps: AttentionMaps, readings: tuple[Reading, ...], habit: Habit | None) -> Opening:
    """Return how a text opens, found once for a recording: a click does not change it."""
    return opening(maps.merged(), readings, habit)


def _lock(
    view: View,
    maps: AttentionMaps,
    derived: _Derived,
    opens: Opening,
    given: bool,
    drawn: AttentionMaps,
    kept: tuple[int, ...],
    pins: Sequence[HeadId],
) -> tuple[int | None, str]:
    """Return the locked word's shown position, or None, and whether it is looked at ("at") or looks ("from", "ask").

    Nobody having chosen one, it is the word that the opening is about: as the word that is looked at where all of its
    looks are at it. Where readings are ``given`` and other heads pinned, it is the word that the first of them looks at
    most.
    """
    if view.lock is not None and maps.kind == "cross" and view.look != "at":  # a row of another text than the columns
        return (view.lock if 0 <= view.lock < drawn.n_queries else None), view.look
    if view.lock is not None:
        return (kept.index(view.lock) if view.lock in kept else None), view.look
    if given and view.pins is not None and not set(pins) & set(opens.heads):
        return _strongest_key(derived.words, pins, kept), "at"
    at = bool(opens.looks) and all(key == opens.word for _, key in opens.looks)
    return _word(maps, drawn, opens), "at" if at else "from"


def _possible(full: AttentionMaps, place: int, look: str) -> str:
    """Return the direction that a mask leaves a selected word: no word attends to the last one of a causal text.

    A question about both directions stays, for it has a sentence on each.
    """
    others = full.visible & ~np.eye(full.n_queries, full.n_keys, dtype=bool)
    if look == "at" and others[place].any() and not others[:, place].any():
        return "from"
    return "at" if look == "from" and others[:, place].any() and not others[place].any() else look


def _word(maps: AttentionMaps, drawn: AttentionMaps, opens: Opening) -> int | None:
    """Return the first shown position of the word that a text's opening is about, or None."""
    if opens.word is None:
        return None
    word = maps.merged_axes().tokens[opens.word].word
    return next((place for place, token in enumerate(drawn.tokens) if token.word == word), None)


def _strongest_key(words: SetAside | None, pins: Sequence[HeadId], kept: tuple[int, ...]) -> int | None:
    """Return the shown position of the word that the first pinned head looks at most, or None."""
    look = strongest_look(words.maps, pins[0]) if words is not None and pins else None
    return kept.index(words.kept[look.key]) if look is not None and words is not None else None
