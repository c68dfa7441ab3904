"""The pieces of a sentence: tokens with a position on the axis of the maps, and the text between them."""

import re
from typing import NotRequired, TypedDict

from mha.maps import AttentionMaps
from mha.words import right_to_left, split


class SentencePiece(TypedDict):
    """A run of the sentence; ``at`` is its position on the axis, or None; ``space`` is whether a space precedes it.

    ``special`` marks the model's own tokens; the first piece of a text that runs from right to left has ``rtl``.
    """

    text: str
    at: int | None
    space: bool
    special: NotRequired[bool]
    rtl: NotRequired[bool]


def text_pieces(text: str) -> list[SentencePiece]:
    """Return every piece of a text in order; ``at`` is the number of its word, None if it is punctuation.

    >>> [(piece["text"], piece["at"], piece["space"]) for piece in text_pieces("Well, no")]
    [('Well', 0, False), (',', None, False), ('no', 1, True)]
    """
    return _directed(
        [
            {"text": piece.text, "at": piece.word, "space": piece.start > 0 and _has_space(text, piece.start)}
            for piece in split(text)
        ],
        text,
    )


def sentence_pieces(maps: AttentionMaps) -> list[SentencePiece]:
    """Return every piece of the text of maps in order.

    ``at`` is its position on the key axis, None if the text is not on it, such as an excluded final full stop. Special
    tokens on the axis have the position that the model gives them.
    """
    pieces: list[SentencePiece] = []
    has_pair = any(token.segment for token in maps.key_tokens)  # the output of cross-attention has no columns
    sources = (maps.text, maps.pair or "" if has_pair else "")
    read = [0, 0]  # how far each text has been written out
    for position, token in enumerate(maps.key_tokens):
        if token.special:
            coming = [later.segment for later in maps.key_tokens[position:] if not later.special]
            if any(read):  # a [SEP] behind the last token of a text: the remaining text precedes it
                pieces += _remaining_pieces(sources, read, min(coming, default=2) - 1)
            if token.end > token.start:  # it was typed
                pieces += _runs(sources[token.segment], read[token.segment], token.start)
                read[token.segment] = max(read[token.segment], token.end)
            pieces.append({"text": token.text, "at": position, "space": True, "special": True})
            continue
        pieces += _remaining_pieces(sources, read, token.segment - 1)
        source, start = sources[token.segment], read[token.segment]
        pieces += _runs(source, start, token.start)
        pieces.append({"text": token.text, "at": position, "space": _has_space(source, token.start)})
        read[token.segment] = token.end
    pieces += _remaining_pieces(sources, read, 1)
    if pieces:
        pieces[0]["space"] = False
    return _directed(pieces, maps.text)


def _directed(pieces: list[SentencePiece], text: str) -> list[SentencePiece]:
    if pieces and right_to_left(text):
        pieces[0]["rtl"] = True
    return pieces


def _remaining_pieces(sources: tuple[str, str], read: list[int], until: int) -> list[SentencePiece]:
    """Return the remaining text up to segment ``until`` and mark it as read."""
    pieces: list[SentencePiece] = []
    for segment in range(until + 1):
        pieces += _runs(sources[segment], read[segment], len(sources[segment]))
        read[segment] = len(sources[segment])
    return pieces


def _runs(source: str, start: int, end: int) -> list[SentencePiece]:
    """Return the runs without white space between two offsets, as pieces without a position on the axis."""
    runs = re.finditer(r"\S+", source[start:end])
    return [{"text": run[0], "at": None, "space": _has_space(source, start + run.start())} for run in runs]


def _has_space(source: str, offset: int) -> bool:
    return offset == 0 or source[offset - 1].isspace()
