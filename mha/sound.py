"""Whether maps that were made elsewhere are sound: what every page and every number takes for granted of a recording.

Layer 0. `AttentionMaps` itself checks the weights; this checks what they are said to be of, once, at the door.
"""

from __future__ import annotations

from typing import Any

from mha.errors import InputError, ShapeError
from mha.maps import AttentionMaps, Token

MOST_WORDS = 10**6
_TOKEN: dict[str, Any] = {
    "text": str,
    "raw": str,
    "word": (int, type(None)),
    "special": bool,
    "start": int,
    "end": int,
    "segment": int,
}


def sound(maps: AttentionMaps) -> AttentionMaps:
    """Return the maps as they are, once it is clear that they are whole.

    No axis is empty; names and texts are text without half letters (lone surrogates, which no page can send); every
    token stands inside one of two texts, behind the one before it, and belongs to a word or to none.

    Raises:
        ShapeError: an axis has no places.
        InputError: anything else of this; the message names the first.
    """
    if 0 in maps.weights.shape:
        raise ShapeError(f"Maps have at least one layer, head, row and column; these are {list(maps.weights.shape)}.")
    for name in ("text", "model", "revision", *(["pair"] if maps.pair is not None else [])):
        _whole(f"The {name} of maps", getattr(maps, name))
    _axis(maps, maps.tokens)
    if maps.key_tokens is not maps.tokens:
        _axis(maps, maps.key_tokens)
    return maps


def _axis(maps: AttentionMaps, tokens: tuple[Token, ...]) -> None:
    lengths = (len(maps.text), len(maps.pair or ""))
    reached = [0, 0]  # where the last token of each text begins
    for place, token in enumerate(tokens):
        named = f"Token {place}"
        for name, kind in _TOKEN.items():
            value = getattr(token, name)
            if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
                raise InputError(f"{named} has a {name} of the wrong kind.")
        _whole(named, token.text)
        _whole(named, token.raw)
        if token.segment not in (0, 1):
            raise InputError(f"{named} stands in the first text (0) or in the second (1).")
        if not 0 <= token.start <= token.end <= lengths[token.segment]:
            raise InputError(f"{named} stands outside its text, which has {lengths[token.segment]:,} characters.")
        if token.word is not None and not 0 <= token.word < MOST_WORDS:
            raise InputError(f"{named} belongs to a word with a number from 0 to {MOST_WORDS - 1:,}, or to none.")
        if token.special or token.start == token.end:  # where nothing of the text is, there is no order
            continue
        if token.start < reached[token.segment]:
            raise InputError(f"{named} stands before the one that it follows.")
        reached[token.segment] = token.start


def _whole(named: str, value: Any) -> None:
    if not isinstance(value, str):
        raise InputError(f"{named} must be text; it is of type {type(value).__name__}.")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{named} has half a letter in it, which cannot be shown.") from error
