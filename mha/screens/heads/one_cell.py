"""From a number of a drawn map to its arithmetic on Step by step: which two tokens of the recording it is between."""

from __future__ import annotations

import numpy as np

from mha.analysis.looks import strongest_look
from mha.figures.thumbnails import block_size
from mha.link.acts import OpenCell
from mha.link.view import VERSION
from mha.maps import AttentionMaps, HeadId, piece_groups
from mha.screens.heads.overview import named_look
from mha.screens.heads.own import KIND as OWN
from mha.screens.heads.picture import Picture
from mha.screens.heads.pinned import SIDE
from mha.screens.shown import Shown


def has_steps(picture: Picture) -> bool:
    """Return whether Step by step has these numbers: those of one text, read by the model itself."""
    return not (picture.row.kind == OWN or picture.stack or picture.recording.maps.pair)


def steps_link(picture: Picture, asked: OpenCell) -> dict[str, str]:
    """Return the link of Step by step to a clicked number."""
    head, query, key = clicked_cell(picture, asked.placed())
    view, numbers = picture.view, {"layer": head.layer, "head": head.head, "query": query, "key": key}
    link = {"v": VERSION, "text": picture.recording.maps.text, "model": view.model}
    link |= {name: str(number) for name, number in numbers.items()}
    link |= {"lesson": view.lesson, "stop": str(view.stop)} if view.lesson else {}
    return link | ({"large": "true"} if view.large else {})


def clicked_cell(picture: Picture, asked: OpenCell) -> tuple[HeadId, int, int]:
    """Return head, query and key of a clicked cell, or of a connection of a head."""
    shown, head, side = picture.shown, asked.head, asked.side
    assert isinstance(head, HeadId)
    query, key = asked.query, asked.key
    named = named_look(shown, head) if asked.named else None
    if named is not None:
        query, key, side = named.query, named.key, None
    elif query is None or key is None:
        look = strongest_look(shown.maps, head, **shown.locked) or strongest_look(shown.maps, head)
        (query, key), side = look[:2] if look else (0, 0), SIDE
    assert isinstance(query, int)
    assert isinstance(key, int)
    maps = shown.maps
    step = (block_size(maps.n_queries, side), block_size(maps.n_keys, side)) if side else (1, 1)
    return picked(picture.recording.maps, shown, head, query, key, step)


def picked(
    maps: AttentionMaps, shown: Shown, head: HeadId, query: int, key: int, step: tuple[int, int]
) -> tuple[HeadId, int, int]:
    """Return the cell of recorded maps with the largest weight among those that a drawn cell has, by tokens.

    A drawn cell may have several: of joined words, and of the ``step`` [query, key] neighbours of a pooled map.
    """
    queries = _tokens(maps, shown, range(query, min(query + step[0], shown.maps.n_queries)))
    keys = _tokens(maps, shown, range(key, min(key + step[1], shown.maps.n_keys)))
    row, column = np.unravel_index(int(np.argmax(maps[head][np.ix_(queries, keys)])), (len(queries), len(keys)))
    return head, queries[row], keys[column]


def _tokens(maps: AttentionMaps, shown: Shown, positions: range) -> list[int]:
    places = [shown.position(place) for place in positions]
    if shown.full.units == maps.units:
        return places
    groups = piece_groups(maps.tokens)
    return [token for place in places for token in groups[place]]
