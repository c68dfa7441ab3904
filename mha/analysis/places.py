"""Where the words of a reading stand on the axis of the maps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha.errors import InputError
from mha.maps import AttentionMaps, Reading


def word_position(maps: AttentionMaps, word: int | str) -> int:
    """Return the position of a word on the axis of merged maps; a word may be given by its text if it occurs once.

    Numbers go on through a second text; texts are looked for in the first.

    Raises:
        InputError: no such word, or several; the message says which there are.
    """
    words = [(position, token) for position, token in enumerate(maps.tokens) if token.word is not None]
    places = [(position, token) for position, token in words if token.segment == 0]
    if isinstance(word, str):
        wanted = word.casefold()
        exact = [position for position, token in places if token.text == word]
        found = exact or [position for position, token in places if token.text.casefold() == wanted]
        if len(found) > 1:
            numbers = ", ".join(str(maps.tokens[position].word) for position in found)
            raise InputError(f"The word {word!r} occurs {len(found)} times; say which by its number: {numbers}.")
    else:
        found = [position for position, token in places if token.word == word]
        found = found or [position for position, token in words if token.word == word]
    if not found:
        names = ", ".join(f"{token.word} {token.text}" for _, token in places[:40])
        raise InputError(f"There is no word {word!r} in this text. Its words: {names}.")
    return found[0]


def link_positions(maps: AttentionMaps, reading: Reading) -> tuple[tuple[int, int], ...]:
    """Return the positions (pivot, partner) of each link of a reading on the axis of merged maps.

    Raises:
        InputError: a word is missing or ambiguous, the two are the same word, or the maps join two texts.
    """
    if maps.kind != "self":
        raise InputError("A reading joins two words of one text; these maps look from one text into another.")
    if maps.units != "words":
        raise InputError("A reading joins words, and these maps are by token; call maps.merged() first.")
    pairs = []
    for pivot, partner in reading.links:
        pair = word_position(maps, pivot), word_position(maps, partner)
        if pair[0] == pair[1]:
            raise InputError(f"The reading {reading.name!r} joins {partner!r} with itself; choose two different words.")
        pairs.append(pair)
    return tuple(pairs)


def given_to(merged: AttentionMaps, looking: int | str, at: Sequence[int | str]) -> np.ndarray:
    """Return what a word gives several words together in every head: shares of all its attention, [layer, head].

    ``merged`` are maps by words, float64 comes back; the words are named as `word_position` takes them.

    Raises:
        InputError: a word is missing or ambiguous.
    """
    row = merged.weights[:, :, word_position(merged, looking)].astype(np.float64)  # [layer, head, key]
    return row[..., [word_position(merged, one) for one in at]].sum(axis=-1)
