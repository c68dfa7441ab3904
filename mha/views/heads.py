"""Heads: what is shown of a recording. Pure: a case holds the maps, the heads and the word of one view.

Every share, in maps, arcs and sentences alike, is one of all attention of the word that looks: nothing is rescaled.
Excluded attention sinks have no row and no column; their share is said with each head.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mha.analysis.looks import AskedConnection, ask, strongest_look
from mha.analysis.opening import Opening, default_readings, opening
from mha.analysis.sinks import side_by_side, sink_columns, sink_mass
from mha.analysis.usual import Habit, bundled
from mha.cuts import Cut
from mha.maps import ATTENTION, AttentionMaps, HeadId, Reading, Token, piece_groups
from mha.memo import array_dataclass, memoise

MAX_PINS = 4
MAX_WORDS = 128  # of a text on this page
SMALLEST_ABSENT = 0.01  # of a row; less may be rounding of maps that were recorded elsewhere
NO_TOKEN = Token("a sink that is no token", special=True)  # of a model such as GPT-OSS: what its rows lack to 1


@dataclass(frozen=True)
class HeadsChoice:
    """What a visitor has chosen: parameters of the link.

    Without ``pins`` heads are picked for the text. ``lock`` is the selected word by its position among all tokens or
    words, sinks included: None picks one, -1 selects none. ``look`` is "at" (which words look at it), "from" (where it
    looks) or "ask" (the same with all heads that answer). ``sinks`` excludes attention sinks. ``ablated`` heads are
    those without which the maps were recorded.
    """

    pins: tuple[HeadId, ...] = ()
    lock: int | None = None
    look: str = "at"
    units: str = "words"
    sinks: bool = True
    ablated: tuple[HeadId, ...] = ()


@array_dataclass
class HeadsCase:
    """What Heads shows of one recording.

    ``full`` are the maps in the chosen units, ``maps`` those without excluded tokens, ``kept`` the positions of their
    axis on the full one. ``excludes`` is whether sinks are excluded, ``excluded`` their share in each row, float64
    [layer, head, query], ``sink_share`` its mean, float64 [layer, head], ``sinks`` their tokens, excluded or not.
    ``pins`` are the shown heads, ``word`` is the position of the selected word on the axis of ``maps``, or None.
    ``direction`` is "at" if the selection is about the words that look at the selected word, else "from". ``answers``
    are the connections at the word and those from it, if it is asked about; ``leading`` is the first of them.
    ``opening`` has the heads and the connections picked for this text.
    """

    recorded: AttentionMaps
    choice: HeadsChoice
    full: AttentionMaps
    maps: AttentionMaps
    kept: tuple[int, ...]
    excludes: bool
    excluded: np.ndarray
    sink_share: np.ndarray
    sinks: tuple[Token, ...]
    pins: tuple[HeadId, ...]
    word: int | None
    look: str
    direction: str
    opening: Opening
    readings: tuple[Reading, ...]
    usual_shares: Habit | None
    answers: tuple[Sequence[AskedConnection], Sequence[AskedConnection]] | None
    leading: AskedConnection | None

    @property
    def is_automatic(self) -> bool:
        """Whether heads and word were picked for this text."""
        return not self.choice.pins and self.choice.lock is None

    @cached_property
    def picked(self) -> dict[HeadId, tuple[int, int]]:
        """The connections for which heads were picked, by position on the shown axis, while their word is selected.

        If the visitor has selected the word, those in the direction of the selection only.
        """
        opens = self.opening
        if self.maps.units != "words" or self.word is None or self.kept[self.word] != opens.word:
            return {}
        side = 1 if self.look == "at" else 0
        return {
            head: (self.kept.index(look[0]), self.kept.index(look[1]))
            for head, look in zip(opens.heads, opens.looks, strict=True)
            if set(look) <= set(self.kept) and (self.choice.lock is None or look[side] == opens.word)
        }


_memoised_opening = memoise(opening)


@array_dataclass
class _Shown:
    """Maps in other units and without sinks, made once for a recording; ``full`` is None for the recording itself."""

    full: AttentionMaps | None
    maps: AttentionMaps
    kept: tuple[int, ...]
    excludes: bool
    excluded: np.ndarray
    sink_share: np.ndarray
    sinks: tuple[Token, ...]


def select(
    maps: AttentionMaps,
    choice: HeadsChoice | None = None,
    readings: Sequence[Reading] | None = None,
    usual_shares: Habit | None = None,
) -> HeadsCase:
    """Return what Heads shows of recorded maps.

    ``readings`` of an ambiguous word pick the heads of the opening; by default those of the example, or those that the
    text suggests. ``usual_shares`` is the usual attention of the model; by default what is bundled for it.
    """
    choice = choice or HeadsChoice()
    readings = default_readings(maps) if readings is None else tuple(readings)
    usual_shares = usual_shares or bundled(maps)
    needed = {word for reading in readings for link in reading.links for word in link if isinstance(word, int)}
    needed -= {maps.tokens[0].word} if maps.causal else set()  # an attention sink, whatever a reading names
    axes = maps.merged_axes() if choice.units == "words" else maps
    if choice.lock is not None and 0 <= choice.lock < axes.n_keys:
        selected = axes.key_tokens[choice.lock].word
        needed |= set() if selected is None else {selected}  # it stays a column
    shown = _shown(maps, choice.units, choice.sinks, frozenset(needed))
    full = shown.full or maps
    opens = _memoised_opening(maps, readings, usual_shares)
    word, look = _selection(choice, full, shown.kept, opens)
    answers = None
    connections: tuple[AskedConnection, ...] = ()
    if word is not None and look == "ask" and is_word(full, shown.kept[word]):
        from_word, to_word = ask(full, full.tokens[shown.kept[word]].word or 0, usual_shares, limit=None)
        answers, connections = (to_word, from_word), (*to_word, *from_word)
    direction = "at" if look == "at" or (answers and answers[0]) else "from"
    pins = tuple(head for head in choice.pins if head.layer < maps.n_layers and head.head < maps.n_heads)
    if not pins:
        heads = dict.fromkeys(connection.head for connection in connections)
        pins = tuple(heads)[:2] or tuple(dict.fromkeys(opens.heads))
    return HeadsCase(
        maps, choice, full, shown.maps, shown.kept, shown.excludes, shown.excluded, shown.sink_share, shown.sinks,
        pins, word, look, direction, opens, readings, usual_shares, answers,
        connections[0] if connections else None,
    )  # fmt: skip


def is_word(maps: AttentionMaps, position: int) -> bool:
    """Return whether a position is a word that can be asked about: no mark, and no attention sink."""
    return maps.kind == "self" and maps.tokens[position].word is not None and not sink_columns(maps)[position]


@memoise
def _shown(maps: AttentionMaps, units: str, excludes: bool, needed: frozenset[int]) -> _Shown:
    """Return maps in the chosen units without sinks; ``needed`` words are no measured sinks."""
    full = maps.merged() if units == "words" else maps
    sinks = sink_columns(full, needed)
    excludes = bool(excludes and sinks.any() and not sinks.all())
    columns = np.flatnonzero(~sinks) if excludes else np.arange(full.n_keys)
    rows = columns if full.kind == "self" else np.arange(full.n_queries)
    weights = full.weights[:, :, side_by_side(rows)][..., side_by_side(columns)]
    tokens = tuple(full.tokens[row] for row in rows)
    keys = tokens if full.kind == "self" else tuple(full.key_tokens[column] for column in columns)
    mass, share = sink_mass(full, sinks)  # [layer, head, query], [layer, head]
    absent = full.measure == ATTENTION and full.absent_mass.max(initial=0) >= SMALLEST_ABSENT
    names = (NO_TOKEN,) * bool(absent) + tuple(full.key_tokens[place] for place in np.flatnonzero(sinks))
    return _Shown(
        None if full is maps else full,
        dataclasses.replace(full, weights=weights, tokens=tokens, key_tokens=keys),
        tuple(int(column) for column in columns),
        excludes,
        mass[..., rows],
        share,
        names,
    )


def _selection(
    choice: HeadsChoice, full: AttentionMaps, kept: tuple[int, ...], opens: Opening
) -> tuple[int | None, str]:
    """Return the selected word by its position on the shown axis, and "at", "from" or "ask".

    By default it is the word of the opening. A direction that the mask makes impossible is turned round.
    """
    if full.kind != "self":  # a word of the output has no column, one of the text no row
        return None, "at"
    if choice.lock is not None:
        place, look = choice.lock, choice.look
    else:
        place = -1 if opens.word is None else opens.word
        if place >= 0 and full.units != "words":
            groups = piece_groups(full.tokens)
            place = groups[place][0] if place < len(groups) else -1
        look = "at" if opens.looks and all(key == opens.word for _, key in opens.looks) else "from"
    if place not in kept:
        return None, "at"
    other_keys = full.visible & ~np.eye(full.n_queries, full.n_keys, dtype=bool)
    if look == "at" and other_keys[place].any() and not other_keys[:, place].any():
        look = "from"
    elif look == "from" and other_keys[:, place].any() and not other_keys[place].any():
        look = "at"
    return kept.index(place), look


def control_connection(case: HeadsCase) -> tuple[HeadId, int, int] | None:
    """Return head, query and key (word numbers) of the strongest picked connection of one text, for its control.

    None if heads or word were chosen.
    """
    opens = case.opening
    if not (case.is_automatic and opens.looks):
        return None
    best = int(np.argmax(opens.weights))
    tokens = case.recorded.merged_axes().tokens
    query, key = (tokens[place].word for place in opens.looks[best])
    return None if query is None or key is None else (opens.heads[best], query, key)


# ---- one cell


def steps_link(
    case: HeadsCase, model: str, head: HeadId, query: int, key: int, step: tuple[int, int] = (1, 1)
) -> dict[str, str]:
    """Return the parameters of Step by step for a drawn cell of a head.

    A drawn cell may have several tokens, of words with several tokens and of ``step`` neighbours that share a cell: the
    link names those with the largest weight.
    """
    maps = case.recorded
    queries = _tokens(case, range(query, min(query + step[0], case.maps.n_queries)))
    keys = _tokens(case, range(key, min(key + step[1], case.maps.n_keys)))
    cells = maps[head][np.ix_(queries, keys)]
    row, column = np.unravel_index(int(np.argmax(cells)), cells.shape)
    numbers = {"layer": head.layer, "head": head.head, "query": queries[row], "key": keys[column]}
    place = {name: str(number) for name, number in numbers.items()}
    return {"v": "1", "text": maps.text, "model": model, **place}


def _tokens(case: HeadsCase, shown: range) -> list[int]:
    places = [case.kept[place] for place in shown]
    if case.full.units == case.recorded.units:
        return places
    groups = piece_groups(case.recorded.tokens)
    return [token for place in places for token in groups[place]]


def cell_cut(case: HeadsCase, head: HeadId, query: int, key: int) -> Cut:
    """Return all tokens of a cell of the shown axes as a link that can be cut."""
    queries, keys = (_tokens(case, range(place, place + 1)) for place in (query, key))
    return Cut(head, (queries[0], queries[-1]), (keys[0], keys[-1]))


def leading_cell(case: HeadsCase) -> tuple[HeadId, int, int] | None:
    """Return head, query and key (on the shown axis) of the first connection that the page names; None without one."""
    if case.maps.kind != "self" or not case.pins:
        return None
    connection = case.leading
    if connection is not None and case.word is not None:
        target = shown_word(case, connection.other)
        if target is None:
            return None
        ends = (target, case.word) if case.direction == "at" else (case.word, target)
        return (connection.head, *ends)
    head = case.pins[0]
    if head in case.picked:
        return (head, *case.picked[head])
    selected = {} if case.word is None else {"key" if case.look == "at" else "query": case.word}
    look = strongest_look(case.maps, head, **selected) or strongest_look(case.maps, head)
    return (head, look.query, look.key) if look else None


def shown_word(case: HeadsCase, merged_position: int) -> int | None:
    """Return the position of a word on the shown axis, given by its position between words; None if it is excluded."""
    token = case.recorded.merged_axes().tokens[merged_position]
    name = token.segment, token.word
    return next((p for p, other in enumerate(case.maps.key_tokens) if (other.segment, other.word) == name), None)
