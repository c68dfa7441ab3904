"""Tokens: the units of a model's input, decoded from what tokenizers write and aligned with the text.

`decode_tokens` is the one function that reads raw tokens, for `attend`, `record`, `from_arrays` and `from_generate`;
`locate_tokens` gives each token its word. Layer 0, below the maps: strings only, no model.
"""

from __future__ import annotations

import functools
import operator
import re
import unicodedata
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from mha.errors import InputError
from mha.special_tokens import is_unknown, special_mask
from mha.words import TextRun, split

_SPACE_SIGNS = {" ": (SPACE := "␣"), "\n": (LINE_BREAK := "↵"), "\t": (TAB := "⇥"), "\r": "␍"}
_WHITE = re.compile("(?:[␣↵⇥␍]|<[0-9A-F]{4}>)+")  # white space as `visible_token` has it
_BROKEN = "\ufffd"  # a byte of a character whose other bytes are missing
_BYTE = re.compile("<0x([0-9A-F]{2})>")  # SentencePiece's byte fallback
_CONTRACTED = {"s", "t", "m", "d", "re", "ve", "ll"}  # behind an apostrophe: it's, didn't, I'm, she'd, we're …
_APOSTROPHES = {"'", "’"}


@dataclass(frozen=True)
class Token:
    """One piece of the model's input, or one merged piece of the text.

    ``word`` is the number of the word it belongs to (None for special tokens and punctuation);
    ``start`` and ``end`` are character offsets in the text, or in the second text when ``segment`` is 1.
    """

    text: str
    raw: str = ""
    word: int | None = None
    special: bool = False
    start: int = 0
    end: int = 0
    segment: int = 0

    @property
    def punctuation(self) -> bool:
        """Whether this is punctuation: it belongs to no word and the model did not add it."""
        return self.word is None and not self.special


class Decoded(NamedTuple):
    """The text that raw tokens spell; for each token its span, its text, its label, and if it splits a character.

    ``alone`` is the token without the marks of its tokenizer, ``<E2>`` for a byte that is no whole character; a label
    is the same with visible white space. Special tokens have an empty span.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    alone: tuple[str, ...]
    labels: tuple[str, ...]
    splits: tuple[bool, ...]


def visible_token(text: str, special: bool = False) -> str:
    """Return a token's text with its outer white space visible: ␣ a space, ↵ a line break, ⇥ a tab.

    Other white space and characters that no font draws appear by their number. ``special`` marks a special token.

    >>> [visible_token(text) for text in ("\\n", " Italy", "Italy", "\\u200b", "")]
    ['↵', '␣Italy', 'Italy', '<200B>', '∅']
    >>> visible_token("<|im_end|>", special=True)
    '<|im_end|> (special)'
    """
    if special:
        return f"{text} (special)"
    start = len(text) - len(text.lstrip())
    end = max(start, len(text.rstrip()))
    return "".join(_visible(sign, start <= place < end) for place, sign in enumerate(text)) or "∅"


def visible_tokens(texts: Sequence[str], special: Sequence[bool] = ()) -> tuple[str, ...]:
    """Return the visible tokens of one list, without the ␣ before a word unless another token is the same word.

    >>> visible_tokens([" Italy", "Italy", " the", "\\n"])
    ('␣Italy', 'Italy', 'the', '↵')
    """
    special = special or [False] * len(texts)
    exact = [visible_token(text, is_special) for text, is_special in zip(texts, special, strict=True)]
    short = [name.removeprefix("␣") if name.strip("␣") else name for name in exact]
    uses = {name: {one for one, brief in zip(exact, short, strict=True) if brief == name} for name in short}
    return tuple(brief if len(uses[brief]) == 1 else name for name, brief in zip(exact, short, strict=True))


def _visible(sign: str, inside: bool) -> str:
    if sign == " " and inside:
        return sign
    return _SPACE_SIGNS.get(sign) or (sign if sign.isprintable() else f"<{ord(sign):04X}>")


def with_visible_breaks(text: str) -> str:
    """Return a text with its line breaks and tabs as ↵ and ⇥; white space alone as `visible_token` has it.

    >>> with_visible_breaks("):\\n"), with_visible_breaks("  "), with_visible_breaks("a b")
    ('):↵', '␣␣', 'a b')
    """
    if text and not text.strip():
        return visible_token(text)
    return text.replace("\r\n", LINE_BREAK).replace("\n", LINE_BREAK).replace("\r", LINE_BREAK).replace("\t", TAB)


def is_white(token: Token) -> bool:
    """Return whether a token is white space of the text that belongs to no word: a line break, or spaces at its end."""
    return token.punctuation and _WHITE.fullmatch(token.text) is not None


def decode_tokens(raws: Sequence[str], special: Sequence[bool], byte_level: bool | None = None) -> Decoded:
    """Return the text that raw tokens spell, as the tokenizers of published models write them.

    Byte-level BPE writes letters for bytes (``Ġ`` a space, ``Ċ`` a line break); ``byte_level`` sets whether these are
    such tokens, None lets the tokens decide. SentencePiece writes ``▁`` for a space and ``<0x0A>`` for a byte,
    WordPiece ``##`` before the rest of a word, others ``</w>`` behind a word or ``@@`` before its rest. Tokens that
    begin with spaces are joined as they are; any others are words, and marks attach to the word before.
    """
    contents = _contents(raws, special, _notation(raws, special, byte_level))
    text, spans, start = "", list[tuple[int, int]](), 0
    while start < len(raws):
        if special[start]:
            spans.append((len(text), len(text)))
            start += 1
            continue
        end = next((place for place in range(start, len(raws)) if special[place]), len(raws))
        characters = b"".join(contents[start:end]).decode("utf-8", "surrogateescape")
        begins = [0]  # bytes before each character
        for character in characters:
            begins.append(begins[-1] + len(character.encode("utf-8", "surrogateescape")))
        reach = 0
        for content in contents[start:end]:
            first = bisect_right(begins, reach) - 1 if content else bisect_left(begins, reach)
            reach += len(content)
            spans.append((len(text) + first, len(text) + bisect_left(begins, reach)))
        text += re.sub("[\udc80-\udcff]", _BROKEN, characters)
        start = end
    if text[:1] == " " and not text[1:2].isspace():  # the space that a tokenizer sets before the first word
        text, spans = text[1:], [(max(first - 1, 0), max(last - 1, 0)) for first, last in spans]
    alone = [content.decode("utf-8", "surrogateescape") for content in contents]
    splits = [
        not is_special and bool(re.search("[\udc80-\udcff]", one))
        for is_special, one in zip(special, alone, strict=True)
    ]
    readable = [re.sub("[\udc80-\udcff]", lambda byte: f"<{ord(byte[0]) - 0xDC00:02X}>", one) for one in alone]
    labels = [raw if flag else _trimmed(one) or raw for raw, flag, one in zip(raws, special, readable, strict=True)]
    return Decoded(text, tuple(spans), tuple(readable), tuple(labels), tuple(splits))


def _trimmed(text: str) -> str:
    """Return a token's text without the spaces around it, unless it has nothing else."""
    return with_visible_breaks(text.strip(" \t\xa0\u3000") if text.strip() else text)


@functools.cache
def _byte_letters() -> dict[str, int]:
    """Return which byte each letter of a byte-level vocabulary replaces. Source: GPT-2, encoder.py."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {chr(byte): byte for byte in printable}
    others = (byte for byte in range(256) if byte not in printable)
    return letters | {chr(256 + number): byte for number, byte in enumerate(others)}


def _bytes_of(raw: str) -> bytes:
    """Return the bytes of a byte-level token; an added token that is text stays text."""
    letters = _byte_letters()
    if all(letter in letters for letter in raw):
        return bytes(letters[letter] for letter in raw)
    return raw.encode("utf-8", "replace")


def _notation(raws: Sequence[str], special: Sequence[bool], byte_level: bool | None) -> str:
    """Return how these tokens mark words: "bytes", "spaces", "ends", "joins" or "pieces"."""
    plain = [raw for raw, is_special in zip(raws, special, strict=True) if not is_special]
    if byte_level or (byte_level is None and _look_byte_level(plain)):
        return "bytes"
    if any("▁" in raw or _BYTE.fullmatch(raw) or raw[:1].isspace() for raw in plain):
        return "spaces"
    if any(raw.endswith("</w>") for raw in plain):
        return "ends"
    return "joins" if any(raw.endswith("@@") and raw != "@@" for raw in plain) else "pieces"


def _look_byte_level(plain: Sequence[str]) -> bool:
    """Return whether letters stand for bytes: some have ``Ġ`` or ``Ċ`` at an end, or all of them are UTF-8 in disguise.

    Neither control characters nor stray bytes come of it, as they would of ``Ġorġ`` or ``café``.
    """
    letters = _byte_letters()
    marked = any(raw.startswith(("Ġ", "Ċ")) or raw.endswith("Ċ") for raw in plain)
    if any(letter not in letters for raw in plain for letter in raw) and not marked:
        return False
    text = b"".join(map(_bytes_of, plain)).decode("utf-8", "surrogateescape")
    if any(unicodedata.category(character) == "Cc" and not character.isspace() for character in text):
        return False
    return marked or (not text.isascii() and not re.search("[\udc80-\udcff]", text))


def _contents(raws: Sequence[str], special: Sequence[bool], notation: str) -> list[bytes]:
    """Return the UTF-8 that each token adds to the text, with the space before it; nothing for special tokens."""
    contents: list[bytes] = []
    ended, begun = True, False  # whether the token before ends a word; whether there is one before
    for place, (raw, is_special) in enumerate(zip(raws, special, strict=True)):
        if is_special:
            contents.append(b"")
            ended = True
        elif notation == "bytes":
            contents.append(_bytes_of(raw))
        elif notation == "spaces":
            byte = _BYTE.fullmatch(raw)
            contents.append(bytes([int(byte[1], 16)]) if byte else raw.replace("▁", " ").encode("utf-8", "replace"))
        else:
            piece, begins, ends = raw, ended, True
            if notation == "ends":
                piece, ends = raw.removesuffix("</w>") or raw, raw.endswith("</w>")
            elif notation == "joins" and raw.endswith("@@"):
                piece, ends = raw[:-2] or raw, raw == "@@"
            elif raw.startswith("##") and raw != "##":
                piece, begins = raw[2:], False
            attached = _is_mark(piece) or (notation == "pieces" and _is_contracted(raws, special, place))
            space = begun and begins and bool(piece) and not attached
            contents.append((" " * space + piece).encode("utf-8", "replace"))
            ended, begun = ends, True
    return contents


def _is_mark(text: str) -> bool:
    return bool(text) and all(unicodedata.category(letter).startswith("P") for letter in text)


def _is_contracted(raws: Sequence[str], special: Sequence[bool], place: int) -> bool:
    """Return whether this is the t of ``didn ' t``: a word, an apostrophe, a common ending, and no closing quote."""
    if place < 2 or raws[place].lower() not in _CONTRACTED or raws[place - 1] not in _APOSTROPHES:
        return False
    word = raws[place - 2].removeprefix("##")
    quoted = place + 1 < len(raws) and raws[place + 1] in _APOSTROPHES
    return word.isalpha() and not special[place - 2] and not quoted


def axes(
    tokens: Sequence[str | Token], key_tokens: Sequence[str | Token] = (), text: str = "", special: Any = None
) -> tuple[tuple[Token, ...], tuple[Token, ...], str, str | None]:
    """Return tokens of rows and columns, and the texts they are in: the second is None if it is the first.

    Raw tokens are read as tokenizers write them (`decode_tokens`). ``text`` is the text of the rows, if it was given:
    then words are its words. A warning says if the tokens do not spell it; then the text that they spell is used.
    Columns with names of their own are in a text of their own. A `Token` stays as it is. ``special`` as for
    `mha.from_arrays`.

    >>> axes(["All", "well"])[2]
    'All well'

    Raises:
        InputError: the text, or ``special``, is of another kind.
    """
    if not isinstance(text, str | None):
        raise InputError(f"A text is a string, not a {type(text).__name__}.")
    names = special_names(tokens, key_tokens, special)
    queries, text = _read_axis(tokens, text or "", names)
    keys, pair = _read_axis(key_tokens, "", names) if key_tokens else (queries, text)
    if key_tokens and not _know_their_words(key_tokens):
        keys = tuple(replace(token, segment=1) for token in keys)
    return queries, keys, text, pair if any(token.segment for token in keys) else None


def read_tokens(
    raws: Sequence[str], special: Sequence[bool], text: str = "", byte_level: bool | None = None
) -> tuple[tuple[Token, ...], str]:
    """Return raw tokens with their words and spans, and the text they are in: ``text``, or the text that they spell.

    A warning names the first tokens if they do not spell ``text``.
    """
    decoded = decode_tokens(raws, special, byte_level)
    mask = list(special)
    alignment = _alignment(raws, mask, text, decoded, byte_level) if text else None
    if text and alignment is None:
        warnings.warn(
            f"These tokens do not spell the text that was given, which begins {text[:40]!r}: they spell "
            f"{decoded.text[:40]!r}. The text of the tokens is used.",
            stacklevel=5,
        )
    if alignment is None:
        text, spans = decoded.text, list(decoded.spans)
    else:
        decoded, spans = alignment.decoded, alignment.spans
        mask = [
            flag and not (is_unknown(raw) and end > start)
            for raw, flag, (start, end) in zip(raws, mask, spans, strict=True)
        ]
    tokens = locate_tokens((text, ""), raws, spans, [0] * len(raws), mask, decoded)
    covered = [place for token in tokens if _has_text(token) for place in (token.start, token.end)]
    if covered and not _letters(text[: min(covered)], _loose)[0]:  # else the tokens are the end of a longer text
        tokens = cover_dropped(tokens, (text, ""), cut=bool(_letters(text[max(covered) :], _loose)[0]))
    return tokens, text


def _raws(tokens: Sequence[str | Token]) -> list[str]:
    return [token.raw or token.text if isinstance(token, Token) else str(token) for token in tokens]


def _read_axis(
    tokens: Sequence[str | Token], text: str, special: Collection[str] | None
) -> tuple[tuple[Token, ...], str]:
    raws = _raws(tokens)
    mask = None if special is None else [raw in special for raw in raws]
    if not _know_their_words(tokens):
        return read_tokens(raws, special_mask(raws, text) if mask is None else mask, text)
    ready = tuple(token for token in tokens if isinstance(token, Token))
    if mask is not None:
        ready = tuple(
            replace(token, special=flag, word=None if flag else token.word)
            for token, flag in zip(ready, mask, strict=True)
        )
    return ready, text or " ".join(token.text for token in ready if not token.special)


def special_names(
    tokens: Sequence[str | Token], key_tokens: Sequence[str | Token] = (), special: Any = None
) -> frozenset[str] | None:
    """Return the raw tokens that the caller calls special, None if that is left to `special_mask`.

    ``special`` has tokens, which need not occur, or a boolean for each of ``tokens`` and then of ``key_tokens``.

    Raises:
        InputError: ``special`` is of another kind, or has another length.
    """
    if special is None or isinstance(special, frozenset):
        return special
    raws = _raws(tokens) + _raws(key_tokens)
    entries = special.tolist() if hasattr(special, "tolist") else special
    entries = list(entries) if isinstance(entries, Iterable) and not isinstance(entries, str) else [None]
    if all(isinstance(entry, str | Token) for entry in entries):
        return frozenset(_raws(entries))
    if not all(isinstance(entry, int) and entry in (0, 1) for entry in entries):
        raise InputError(
            "special is a list of tokens, such as ['<sep>'], or of one boolean for each token; "
            f"{str(special)[:40]} is not."
        )
    if len(entries) != len(raws):
        raise InputError(f"special has {len(entries)} booleans, and there are {len(raws)} tokens; give one for each.")
    return frozenset(raw for raw, is_special in zip(raws, entries, strict=True) if is_special)


class _Alignment(NamedTuple):
    """How tokens fit a text: their spans in it, and how many of its characters they cover."""

    decoded: Decoded
    spans: list[tuple[int, int]]
    covered: int


def _alignment(
    raws: Sequence[str], special: Sequence[bool], text: str, decoded: Decoded, byte_level: bool | None
) -> _Alignment | None:
    """Return how tokens fit a text, None if they do not.

    The letters must be the same, else the same but for case, marks and width, as an uncased tokenizer leaves them. If
    the notation is a guess, the other one is tried as well: a text may contain ``Ġ``.
    """
    candidates = [decoded]
    if byte_level is None:
        candidates += [decode_tokens(raws, special, guess) for guess in (False, True)]
    for letters in (_exact, _loose):
        fits = [fit for candidate in candidates if (fit := _align(raws, special, text, candidate, letters))]
        if fits:
            return max(fits, key=lambda fit: fit.covered)
    return None


def _exact(character: str) -> str:
    return "" if character.isspace() or character == _BROKEN else character


def _loose(character: str) -> str:
    """Return a character as an uncased tokenizer may leave it: no case, accents, widths, or invisible characters."""
    letters = unicodedata.normalize("NFKD", character).casefold()
    return "".join(one for one in letters if _exact(one) and unicodedata.category(one) not in ("Mn", "Cc", "Cf"))


def _letters(text: str, letters: Callable[[str], str]) -> tuple[str, list[int]]:
    """Return the letters of a text that are compared, and the place of each in the text."""
    kept = [(letter, place) for place, character in enumerate(text) for letter in letters(character)]
    return "".join(letter for letter, _ in kept), [place for _, place in kept]


def _align(
    raws: Sequence[str], special: Sequence[bool], text: str, decoded: Decoded, letters: Callable[[str], str]
) -> _Alignment | None:
    spelled, places = _letters(decoded.text, letters)
    wanted, at = _letters(text, letters)
    breaks = [  # where in the spelled letters a run of ordinary tokens ends, and by which token
        (bisect_left(places, start), number) for number, (start, _) in enumerate(decoded.spans) if special[number]
    ]
    breaks += [(bisect_left(places, place), -1) for place, letter in enumerate(decoded.text) if letter == _BROKEN]
    matched, typed = list[int](), dict[int, tuple[int, int]]()
    starts = {piece.start for piece in split(text)}
    start, reach, may_skip, is_first = 0, 0, True, True
    for stop, number in [*sorted(breaks), (len(spelled), -2)]:
        if run := spelled[start:stop]:
            found = wanted.find(run, reach) if may_skip else reach if wanted.startswith(run, reach) else -1
            while is_first and found > 0 and at[found] not in starts:  # what was cut from the left ends with a word
                found = wanted.find(run, found + 1)
            if found < 0:
                return None
            matched += range(found, found + len(run))
            start, reach, may_skip, is_first = stop, found + len(run), False, False
        if number == -1 or (number >= 0 and is_unknown(raws[number])):
            may_skip, is_first = True, False
        elif number >= 0 and (own := _letters(raws[number], letters)[0]) and wanted.startswith(own, reach):
            typed[number] = (at[reach], at[reach + len(own) - 1] + 1)
            reach += len(own)
    spans: list[tuple[int, int] | None] = []
    for number, (first, last) in enumerate(decoded.spans):
        a, b = bisect_left(places, first), bisect_left(places, last)
        if a == b:
            spans.append(typed.get(number))
            continue
        end, content = at[matched[b - 1]] + 1, decoded.text[first:last]
        behind = content[len(content.rstrip()) :]  # line breaks that belong to the token
        spans.append((at[matched[a]], end + len(behind) * text.startswith(behind, end)))
    return _Alignment(decoded, _filled(raws, special, text, decoded, spans), len(matched))


def _filled(
    raws: Sequence[str],
    special: Sequence[bool],
    text: str,
    decoded: Decoded,
    spans: Sequence[tuple[int, int] | None],
) -> list[tuple[int, int]]:
    """Return the spans with those of white space and unknown tokens, which lie between the letters."""
    filled: list[tuple[int, int]] = []
    reach = 0
    for number, span in enumerate(spans):
        if span is None:
            behind = next((later for later in spans[number:] if later is not None), None)
            gap = text[reach : behind[0] if behind else len(text)]
            span = (reach, reach)
            if special[number] and is_unknown(raws[number]):
                more = number + 1 < len(raws) and is_unknown(raws[number + 1])
                words = (
                    re.match(r"\s*(\S+)", gap)
                    if more or behind is None
                    else re.match(r"\s*(\S.*?)\s*$", gap, re.DOTALL)
                )
                span = (reach + words.start(1), reach + words.end(1)) if words else span
            elif not special[number]:
                content = decoded.text[slice(*decoded.spans[number])]
                found = gap.find(content) if content else -1
                if found >= 0 and not gap[:found].strip():
                    span = (reach + found, reach + found + len(content))
        filled.append(span)
        reach = max(reach, span[1])
    return filled


def locate_tokens(
    sources: tuple[str, str],
    raws: Sequence[str],
    spans: Sequence[tuple[int, int]],
    segments: Sequence[int | None],
    special: Sequence[Any],
    decoded: Decoded,
) -> tuple[Token, ...]:
    """Return the tokens with their texts and with the word of the text that each overlaps most.

    White space is part of the next word of its line; a line break, or spaces before one, is part of no word.
    """
    pieces = (split(sources[0]), split(sources[1]))
    keys = list(zip(segments, spans, strict=True))
    first_word = (0, sum(piece.word is not None for piece in pieces[0]))
    tokens: list[Token] = []
    segment = 0
    for position, raw in enumerate(raws):
        if special[position] or segments[position] is None:
            start, end = spans[position]
            tokens.append(Token(raw, raw=raw, special=True, start=start, end=end, segment=segment))
            continue
        segment = int(segments[position] or 0)
        source, (first, last) = sources[segment], spans[position]
        if _WHITE.fullmatch(decoded.labels[position]) and source[first:last].strip():  # a space before the first word
            last = first
        start, end = _without_space(source, first, last)
        shared = keys[position] in keys[position - 1 : position] + keys[position + 1 : position + 2]
        content = "" if shared or decoded.splits[position] else source[first:last]
        label = _trimmed(content) if content else decoded.labels[position]
        if end <= start and (LINE_BREAK in label or (content and not _next_on_line(source, last))):
            tokens.append(Token(label, raw=raw, start=first, end=last, segment=segment))
            continue
        piece = _piece_at(pieces[segment], start, end)
        word = None if piece is None or piece.word is None else piece.word + first_word[segment]
        if piece is not None and end <= start:
            start = end = piece.start
        tokens.append(Token(label, raw=raw, word=word, start=start, end=end, segment=segment))
    return tuple(tokens)


def _next_on_line(source: str, place: int) -> bool:
    """Return whether something but white space follows on the same line."""
    return bool(re.split(r"[\r\n]", source[place:], maxsplit=1)[0].strip())


def cover_dropped(tokens: Sequence[Token], sources: tuple[str, str], cut: bool) -> tuple[Token, ...]:
    """Return the tokens, their spans widened over characters that the tokenizer dropped (accents, joiners).

    A dropped character joins the token before it if they touch, else the next one; so the spans of all tokens, joined,
    have every character of the text but its spaces, in order. If the text was ``cut``, its end stays uncovered.
    """
    covering = list(tokens)
    for segment, source in enumerate(sources):
        own = [place for place, token in enumerate(covering) if token.segment == segment and _has_text(token)]
        reach = 0  # how far the text is covered
        for before, place in zip([None, *own], own, strict=False):
            gap = source[reach : covering[place].start]
            first = 0  # characters that touch the token before
            if before is not None and gap[:1].strip():
                first = len(gap.split(maxsplit=1)[0])
                covering[before] = _spanning(covering[before], source, covering[before].start, reach + first)
            if rest := gap[first:].lstrip():
                covering[place] = _spanning(
                    covering[place], source, covering[place].start - len(rest), covering[place].end
                )
            reach = max(reach, covering[place].end)
        behind = source[reach:].rstrip()
        if own and behind and not cut:
            covering[own[-1]] = _spanning(covering[own[-1]], source, covering[own[-1]].start, reach + len(behind))
    return tuple(covering)


def _has_text(token: Token) -> bool:
    return not token.special or token.end > token.start


def _spanning(token: Token, source: str, start: int, end: int) -> Token:
    if token.special:
        return token
    return replace(token, text=with_visible_breaks(source[start:end]), start=start, end=end)


def _piece_at(pieces: Sequence[TextRun], start: int, end: int) -> TextRun | None:
    """Return the piece that shares most characters with a token, or for a token without any, the next (or last) one."""
    first = bisect_right(pieces, start, key=lambda piece: piece.end)
    behind = bisect_left(pieces, end, key=lambda piece: piece.start)
    near = pieces[first : max(behind, first + 1)] or pieces[-1:]
    return max(near, key=lambda piece: min(end, piece.end) - max(start, piece.start), default=None)


def _without_space(source: str, start: int, end: int) -> tuple[int, int]:
    content = source[start:end]
    start += len(content) - len(content.lstrip())
    return start, start + len(content.strip())


def written_so(places: Iterable[tuple[int, Token]], text: str) -> list[int]:
    """Return those of some places whose token is written like this; where none is, those that differ in capitals."""
    places = list(places)
    exact = [place for place, token in places if token.text == text]
    return exact or [place for place, token in places if token.text.casefold() == text.casefold()]


def place_of(tokens: Sequence[Token], which: int | str) -> int:
    """Return the place of a token on its axis, from 0: a number is one, a text is the only token that is written so.

    >>> place_of(axes(["All", "is", "well"])[0], "well")
    2

    Raises:
        InputError: no token is written so, or several are.
    """
    if not isinstance(which, str):
        if isinstance(which, bool) or not hasattr(which, "__index__"):
            raise InputError(f"A token is its place, a whole number, or its text; {str(which)[:40]} is neither.")
        return operator.index(which)
    found = written_so(enumerate(tokens), which)
    if len(found) > 1:
        numbers = ", ".join(map(str, found[:20]))
        raise InputError(f"The token {which[:40]!r} occurs {len(found)} times; say which by its number: {numbers}.")
    if not found:
        names = ", ".join(f"{place} {token.text[:20]}" for place, token in enumerate(tokens[:40]))
        raise InputError(f"There is no token {which[:40]!r} in this text. Its tokens: {names}.")
    return found[0]


def _know_their_words(tokens: Sequence[str | Token]) -> bool:
    return all(isinstance(token, Token) for token in tokens)
