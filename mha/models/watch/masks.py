"""A typed ``[MASK]``: the one sign of a model that may be typed, where a model fills gaps."""

from __future__ import annotations

import dataclasses
from typing import Any

from mha.errors import InputError
from mha.maps import Token
from mha.models.watch.tokens import Encoded, encode

TYPED = "[MASK]"
FILLERS = ("the", "a", "it", "one", "man", "x", ".")  # short words; one that is one token stands in for the mask


def masked(tokenizer: Any, text: str, max_tokens: int) -> tuple[Encoded, tuple[int, ...]]:
    """Return a text in which each typed ``[MASK]`` is the model's own mask, and the places of the masks.

    The text is encoded with a short word in the mask's place, so that everything around it is read as it is typed.

    Raises:
        InputError: the model has no mask, none is typed, or nothing can stand in for it.
    """
    if tokenizer.mask_token_id is None:
        raise InputError("This model cannot fill gaps: it has no mask token.")
    if TYPED not in text:
        raise InputError(f"Type {TYPED} where a word is missing.")
    for filler in FILLERS:
        filled, starts = _filled(text, filler)
        encoded = encode(tokenizer, filled, max_tokens=max_tokens)
        places = _places(encoded.tokens, starts, len(filler))
        if places is not None:
            return _with_masks(tokenizer, encoded, places, len(TYPED) - len(filler)), places
    raise InputError(f"The model cannot read this text with a gap. Put spaces around {TYPED}, or shorten the text.")


def _filled(text: str, filler: str) -> tuple[str, list[int]]:
    """Return the text with fillers, and where each begins."""
    parts = text.split(TYPED)
    filled, starts = parts[0], []
    for part in parts[1:]:
        starts.append(len(filled))
        filled += filler + part
    return filled, starts


def _places(tokens: tuple[Token, ...], starts: list[int], length: int) -> tuple[int, ...] | None:
    """Return the token of each filler, or None if one of them is not one token for itself."""
    spans = {(token.start, token.end): place for place, token in enumerate(tokens) if not token.special}
    found = [spans.get((start, start + length)) for start in starts]
    return tuple(place for place in found if place is not None) if None not in found else None


def _with_masks(tokenizer: Any, encoded: Encoded, places: tuple[int, ...], longer: int) -> Encoded:
    """Return the text with masks in these places; offsets are those of the text as it was typed."""
    ids = list(encoded.inputs["input_ids"][0])
    tokens, shift = [], 0
    for place, token in enumerate(encoded.tokens):
        moved = dataclasses.replace(token, start=token.start + shift, end=token.end + shift)
        if token.special:
            moved = token
        elif place in places:
            ids[place] = tokenizer.mask_token_id
            shift += longer
            moved = dataclasses.replace(moved, text=TYPED, raw=tokenizer.mask_token, end=token.end + shift)
        tokens.append(moved)
    return Encoded(dict(encoded.inputs) | {"input_ids": [ids]}, tuple(tokens), encoded.notes)
