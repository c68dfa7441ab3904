"""Tokens: the pieces of a model's input, and how texts become them where somebody names them by hand.

Layer 0, below the maps: knows only the errors.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mha.errors import InputError

_SPECIAL = re.compile(r"\[(CLS|SEP|PAD|MASK|UNK|BOS|EOS)\]|<(s|/s|pad|mask|unk|bos|eos)>|<\|[^|<>]{1,40}\|>")
_SPACE_SIGNS = {" ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍"}
_WORD_STARTS = ("Ġ", "▁")  # how byte-level and SentencePiece tokenizers write the space before a word


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


def axes(
    tokens: Sequence[str | Token], key_tokens: Sequence[str | Token] = (), text: str = ""
) -> tuple[tuple[Token, ...], tuple[Token, ...], str, str | None]:
    """Return tokens of rows and columns, and the texts that they stand in: the second is None where it is the first.

    Texts are understood as tokenizers write them: ``##ing`` goes on with a word, ``Ġsaw`` and ``▁saw`` begin one,
    ``[CLS]`` and ``<s>`` are the model's own. ``text`` is what the rows were read from, where it is not just the tokens
    side by side. Columns that are named apart stand in a text of their own. What is a `Token` already stays as it is.

    >>> axes(["All", "well"])[2]
    'All well'

    Raises:
        InputError: the text is of another kind.
    """
    if not isinstance(text, str | None):
        raise InputError(f"A text is a string, not a {type(text).__name__}.")
    queries, said = _tokens(tokens)
    keys, keys_said = _tokens(key_tokens) if key_tokens else (queries, said)
    if text and text != said and not _know_their_words(tokens):
        queries = _placed(queries, text)
        keys = keys if key_tokens else queries
    if key_tokens and not _know_their_words(key_tokens):
        keys = tuple(replace(token, segment=1) for token in keys)
    return queries, keys, text or said, keys_said if any(token.segment for token in keys) else None


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


def _placed(tokens: Sequence[Token], text: str) -> tuple[Token, ...]:
    """Return tokens where they stand in a text, looked for one behind the other; one not found is given no letters."""
    lower = text.lower()
    lower = lower if len(lower) == len(text) else text
    placed, reach = [], 0
    for token in tokens:
        start = -1 if token.special else lower.find(token.text.lower(), reach)
        end = reach if start < 0 else start + len(token.text)
        placed.append(replace(token, start=max(start, reach), end=end))
        reach = end
    return tuple(placed)


def _tokens(given: Sequence[str | Token]) -> tuple[tuple[Token, ...], str]:
    """Return tokens and the text that they spell; those that know their words stay as they are."""
    if _know_their_words(given):
        tokens = tuple(token for token in given if isinstance(token, Token))
        return tokens, " ".join(token.text for token in tokens if not token.special)
    raws = [token.raw or token.text if isinstance(token, Token) else str(token) for token in given]
    marked = any(raw.startswith(_WORD_STARTS) for raw in raws)
    tokens_found: list[Token] = []
    text, words, open_word = "", 0, False
    for raw in raws:
        if _SPECIAL.fullmatch(raw):
            tokens_found.append(Token(raw, raw=raw, special=True, start=len(text), end=len(text)))
            open_word = False
            continue
        begins = raw.startswith(_WORD_STARTS) or (not marked and not raw.startswith("##"))
        piece = raw[1:] if raw.startswith(_WORD_STARTS) else raw.removeprefix("##") or raw
        mark = bool(piece) and all(unicodedata.category(letter).startswith("P") for letter in piece)
        goes_on = open_word and not begins and not mark
        if text and not goes_on and not mark and (begins or not marked):
            text += " "
        start = len(text)
        text += piece
        words += not mark and not goes_on
        tokens_found.append(Token(piece, raw=raw, word=None if mark else words - 1, start=start, end=len(text)))
        open_word = not mark
    return tuple(tokens_found), text
