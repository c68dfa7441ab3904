"""From text to the model's tokens, each knowing the word of the text that it belongs to.

Words are those of `mha.words.split`, found by character offsets, never by the tokenizer's own word numbers. What is
typed is text: a typed "[SEP]" becomes letters and brackets, never the model's separator.
"""

from __future__ import annotations

import functools
import re
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mha.errors import InputError
from mha.formats import listed
from mha.maps import Token
from mha.models.files.rows import MAX_TOKENS
from mha.tokens import visible_token, visible_tokens
from mha.words import TextRun, split

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")  # SentencePiece's fallback for a character that it lacks
MOST, LONGEST = 3, 18  # unknown words in a note, and letters of each
tokenizing = threading.Lock()  # a fast tokenizer must not change its settings while another thread uses it


@dataclass(frozen=True)
class Encoded:
    """A text as a model reads it: its ``inputs``, each [1, token], the tokens, and ``notes`` to tell the reader."""

    inputs: dict[str, list[list[int]]]
    tokens: tuple[Token, ...]
    notes: tuple[str, ...] = ()


def encode(tokenizer: Any, text: str, pair: str | None = None, max_tokens: int = MAX_TOKENS) -> Encoded:
    """Return a text, or two texts that the model reads together, as tokens; what goes beyond ``max_tokens`` is cut.

    Raises:
        InputError: the tokenizer leaves nothing of the text, or it cannot tell which characters a token stands for.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise InputError("This tokenizer does not give the characters of each token. A fast tokenizer is needed.")
    encoded = _tokenized(tokenizer, text, pair, max_tokens)
    if _typed_signs(tokenizer, encoded):  # some vocabularies list "</s>" among their ordinary pieces
        encoded = _tokenized(tokenizer, _defused(tokenizer, text), pair and _defused(tokenizer, pair), max_tokens)
        if _typed_signs(tokenizer, encoded):
            raise InputError("The text contains a token that is reserved for the model. Remove it.")
    special = encoded.pop("special_tokens_mask")
    offsets = encoded.pop("offset_mapping")
    raws = encoded.tokens(0)
    segments = encoded.sequence_ids(0)
    if not any(segment == 0 for segment in segments) or (pair is not None and 1 not in segments):
        raise InputError(
            "The model's tokenizer removes everything in this text. Type another word, or choose an example."
        )
    cut = sum(len(rest) for rest in encoded.encodings[0].overflowing) > 0
    tokens = _located(text, pair, raws, offsets, segments, special, _writes_bytes(tokenizer))
    tokens = _with_dropped(tokens, (text, pair or ""), cut)
    notes = [f"Only the first {len(tokens)} tokens are used; the model reads no more at once."] if cut else []
    unknown = [token.text for token in tokens if token.raw == tokenizer.unk_token and not token.special]
    if unknown:
        notes.append(f"The model does not know {_listed(unknown)}: it reads its token for unknown text instead.")
    return Encoded({name: [values] for name, values in encoded.items()}, tokens, tuple(notes))


def _tokenized(tokenizer: Any, text: str, pair: str | None, max_tokens: int) -> Any:
    with tokenizing:
        return tokenizer(
            text,
            pair,
            truncation=True,
            max_length=max_tokens,
            padding=False,
            split_special_tokens=True,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )


def _typed_signs(tokenizer: Any, encoded: Any) -> bool:
    """Return whether something typed became one of the model's own signs (the one for unknown words aside)."""
    own = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    return any(
        number in own and not added
        for number, added in zip(encoded["input_ids"], encoded["special_tokens_mask"], strict=True)
    )


def _defused(tokenizer: Any, text: str) -> str:
    """Return the text with the first letter of each typed sign replaced, so that offsets stay as they are."""
    for sign in tokenizer.all_special_tokens:
        text = text.replace(sign, "‹" + sign[1:])
    return text


def _listed(texts: Sequence[str]) -> str:
    """Return up to three of these texts, each once and cut to a readable length, for a sentence."""
    once = [f"“{text}”" if len(text) <= LONGEST else f"“{text[: LONGEST - 1]}…”" for text in dict.fromkeys(texts)]
    return listed(once[:MOST] + ([f"{len(once) - MOST} more"] if len(once) > MOST else []))


def tokens_of_ids(
    tokenizer: Any, ids: Sequence[int], text: str = "", pair: str | None = None, given: Sequence[Token] = ()
) -> tuple[Token, ...]:
    """Return tokens for ids made elsewhere; they know their words if ``text`` (and ``pair``) encode to these ids.

    Without a text the ids are decoded to one. Where that does not lead back to the same ids, each token that is not
    special is taken for a word of its own; but for the first ones, where these are ``given`` as tokens of the text.
    """
    text = text or tokenizer.decode(ids, skip_special_tokens=True)
    if text.strip() and getattr(tokenizer, "is_fast", False):
        encoded = encode(tokenizer, text, pair, max_tokens=max(len(ids), 1))
        if encoded.inputs["input_ids"][0] == list(ids):
            return encoded.tokens
    named = zip(ids, tokenizer.convert_ids_to_tokens(list(ids)), strict=True)
    raws = [f"<{number}>" if raw is None else raw for number, raw in named]  # some vocabularies are padded
    special = set(tokenizer.all_special_ids)
    writes_bytes = _writes_bytes(tokenizer)
    tokens = list(given)
    words = 1 + max((token.word for token in given if token.word is not None), default=-1)
    for number, raw in list(zip(ids, raws, strict=True))[len(given) :]:
        known = number in special
        shown = raw if known else display(raw, writes_bytes)
        tokens.append(Token(shown, raw=raw, word=None if known else words, special=known))
        words += not known
    return tuple(tokens)


def names_of_ids(tokenizer: Any, ids: Sequence[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the visible tokens of one list of ids, and their raw tokens; an id without a token is ``<id>``."""
    texts, raws, special = texts_of_ids(tokenizer, ids)
    return visible_tokens(texts, special), raws


def texts_of_ids(tokenizer: Any, ids: Sequence[int]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[bool, ...]]:
    """Return the text with its spaces, the raw token and whether it is special, of each id; names as `names_of_ids`."""
    found = zip(ids, tokenizer.convert_ids_to_tokens(list(ids)), strict=True)
    raws = tuple(f"<{number}>" if raw is None else str(raw) for number, raw in found)
    writes_bytes, known = _writes_bytes(tokenizer), set(tokenizer.all_special_ids)
    special = tuple(number in known for number in ids)
    texts = (raw if is_special else decoded(raw, writes_bytes) for raw, is_special in zip(raws, special, strict=True))
    return tuple(texts), raws, special


def display(raw: str, writes_bytes: bool = False) -> str:
    """Return a token's text without the marks ``##``, ``▁`` and ``Ġ`` that tokenizers put at words.

    White space alone is visible (`mha.tokens.visible_token`). ``writes_bytes`` as in `decoded`.

    >>> [display("##scope"), display("▁the"), display("Ġthe", writes_bytes=True), display("Ċ", writes_bytes=True)]
    ['scope', 'the', 'the', '↵']
    """
    text = decoded(raw, writes_bytes)
    shown = text.strip()
    if shown.startswith("##"):
        shown = shown.removeprefix("##") or raw
    return shown or visible_token(text)


def decoded(raw: str, writes_bytes: bool = False) -> str:
    """Return a raw token's text with its spaces; ``##`` stays, for it is no text.

    ``writes_bytes`` is True if letters stand for bytes (GPT-2 and its kin). Bytes that are no whole character, also if
    SentencePiece writes them as ``<0xF0>``, become ``<F0>``.
    """
    alphabet = _byte_letters() if writes_bytes else {}
    if writes_bytes and all(letter in alphabet for letter in raw):
        return _readable(bytes(alphabet[letter] for letter in raw))
    if byte := _BYTE.fullmatch(raw):
        return _readable(bytes([int(byte[1], 16)]))
    return raw.replace("▁", " ")


def _readable(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "".join(f"<{byte:02X}>" for byte in data)


@functools.cache
def _byte_letters() -> dict[str, int]:
    """Return which byte each letter of a byte-level vocabulary stands for. Source: GPT-2, encoder.py."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {chr(byte): byte for byte in printable}
    others = (byte for byte in range(256) if byte not in printable)
    return letters | {chr(256 + number): byte for number, byte in enumerate(others)}


def _writes_bytes(tokenizer: Any) -> bool:
    return "ByteLevel" in repr(getattr(getattr(tokenizer, "backend_tokenizer", None), "decoder", None))


def _located(
    text: str,
    pair: str | None,
    raws: Sequence[str],
    offsets: Sequence[tuple[int, int]],
    segments: Sequence[int | None],
    special: Sequence[int],
    writes_bytes: bool,
) -> tuple[Token, ...]:
    """Return the tokens, each with the piece of the text that it overlaps most."""
    sources = (text, pair or "")
    pieces = (split(sources[0]), split(sources[1]))
    spans = list(zip(segments, offsets, strict=True))
    first_word = (0, sum(piece.word is not None for piece in pieces[0]))
    tokens: list[Token] = []
    segment = 0
    for position, raw in enumerate(raws):
        if special[position] or segments[position] is None:
            tokens.append(Token(raw, raw=raw, special=True, segment=segment))
            continue
        segment = int(segments[position] or 0)
        start, end = _without_space(sources[segment], *offsets[position])
        shared = spans[position] in spans[position - 1 : position] + spans[position + 1 : position + 2]
        shown = display(raw, writes_bytes) if shared else sources[segment][start:end] or display(raw, writes_bytes)
        piece = _piece_at(pieces[segment], start, end)
        word = None if piece is None or piece.word is None else piece.word + first_word[segment]
        if piece is not None and end <= start:
            start = end = piece.start
        tokens.append(Token(shown, raw=raw, word=word, start=start, end=end, segment=segment))
    return tuple(tokens)


def _with_dropped(tokens: Sequence[Token], sources: tuple[str, str], cut: bool) -> tuple[Token, ...]:
    """Return the tokens with what their tokenizer dropped of the text (accents, joiners) in the span of a neighbour.

    That is the token before it where they touch, else the one behind it; so the spans of all tokens, joined, have every
    character of the text but its spaces, in order. Behind the last token of a text that was cut nothing is added.
    """
    found = list(tokens)
    for segment, source in enumerate(sources):
        own = [place for place, token in enumerate(found) if not token.special and token.segment == segment]
        reach = 0  # how far the text is covered
        for before, place in zip([None, *own], own, strict=False):
            gap = source[reach : found[place].start]
            first = 0  # characters that touch the token before
            if before is not None and gap[:1].strip():
                first = len(gap.split(maxsplit=1)[0])
                found[before] = _spanning(found[before], source, found[before].start, reach + first)
            if rest := gap[first:].lstrip():
                found[place] = _spanning(found[place], source, found[place].start - len(rest), found[place].end)
            reach = max(reach, found[place].end)
        behind = source[reach:].rstrip()
        if own and behind and not cut:
            found[own[-1]] = _spanning(found[own[-1]], source, found[own[-1]].start, reach + len(behind))
    return tuple(found)


def _spanning(token: Token, source: str, start: int, end: int) -> Token:
    return replace(token, text=source[start:end], start=start, end=end)


def _piece_at(pieces: Sequence[TextRun], start: int, end: int) -> TextRun | None:
    """Return the piece that shares most characters with a token, or for a token without any, the next (or last) one."""
    first = bisect_right(pieces, start, key=lambda piece: piece.end)
    behind = bisect_left(pieces, end, key=lambda piece: piece.start)
    near = pieces[first : max(behind, first + 1)] or pieces[-1:]
    return max(near, key=lambda piece: min(end, piece.end) - max(start, piece.start), default=None)


def _without_space(source: str, start: int, end: int) -> tuple[int, int]:
    piece = source[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())


def rows_of_words(tokenizer: Any, model: Any, word: str) -> np.ndarray:
    """Return the rows of a model's word vectors that a word in the middle of a text stands for, float32 [token, d]."""
    encoded = encode(tokenizer, f"a {word}")
    ids = [
        number for number, token in zip(encoded.inputs["input_ids"][0], encoded.tokens, strict=True) if token.word == 1
    ]
    table = model.get_input_embeddings().weight
    return table[ids].detach().float().cpu().numpy()
