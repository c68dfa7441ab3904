"""What a reader takes for words, and what text is accepted at all.

Words are runs between white space, with leading and trailing punctuation split off as pieces of their own; inner
apostrophes and hyphens stay inside ("doesn't", "well-known"). Where a script has no spaces, each Han character is a
word, as BERT's own pre-tokenizer has it. Word numbers count words only, from 0, whatever the tokenizer does.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cachetools import LRUCache, cached

from mha.errors import InputError

MAX_CHARACTERS = 2000
WHITE_SPACE = {"line breaks": re.compile("\n"), "tabs": re.compile("\t"), "runs of spaces": re.compile(" {2,}")}
MOST_PIECES = 20_000  # of the texts whose pieces are kept, about 2 MB; 5 where every letter is a piece

# Invisible characters that shape no letter: soft hyphen, zero-width space, word joiner and its kin, byte order mark.
_INVISIBLE = {0x00AD, 0x180E, 0x200B, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xFEFF}
_UNREADABLE = 0xFFFD  # what a browser puts where the bytes of a link were no text
# Bidirectional overrides and embeddings: they could reverse the page around the word. Marks (LRM, RLM) go too.
_BIDI = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_LINE_BREAK = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_HAN = "\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\U00020000-\U000323af"
# Kana, Thai, Lao, Myanmar, Khmer: written without spaces; they are not cut further, for that takes a dictionary.
_WITHOUT_SPACES = re.compile("[\u3041-\u30ff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_WIDE_MARKS = "".join(
    re.escape(mark)
    for mark in map(chr, (*range(0x3000, 0x3040), *range(0xFF00, 0xFF66)))
    if unicodedata.category(mark).startswith("P")
)
# Runs without white space, cut around every Han character and every wide punctuation mark.
_CHUNK = re.compile(rf"[{_HAN}{_WIDE_MARKS}]|[^\s{_HAN}{_WIDE_MARKS}]+")
# Joiners are needed inside emoji, Persian and Indic words; at an edge or beside white space they join nothing.
_LOOSE_JOINER = re.compile("(?<![^\\s\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\\s\u200c\u200d])")


class TextRun(NamedTuple):
    """A word or a run of punctuation: ``text == source[start:end]``; ``word`` is None for punctuation."""

    text: str
    start: int
    end: int
    word: int | None


@dataclass(frozen=True)
class Accepted:
    """A text as the app uses it, and one plain sentence for each thing that was changed."""

    text: str
    notes: tuple[str, ...] = ()


@cached(LRUCache(MOST_PIECES, getsizeof=len), lock=threading.Lock())
def split(text: str) -> tuple[TextRun, ...]:
    """Return the pieces of a text, in order, with their offsets and word numbers.

    >>> [(piece.text, piece.word) for piece in split("It doesn't, really.")]
    [('It', 0), ("doesn't", 1), (',', None), ('really', 2), ('.', None)]
    """
    pieces: list[TextRun] = []
    words = 0
    for chunk in _CHUNK.finditer(text):
        start, end = left, right = chunk.span()
        while left < end and _is_punctuation(text[left]):
            left += 1
        while right > left and _is_punctuation(text[right - 1]):
            right -= 1
        for a, b, is_word in ((start, left, False), (left, right, True), (right, end, False)):
            if a == b:
                continue
            last = pieces[-1] if pieces else None
            if not is_word and last is not None and last.word is None and last.end == a:  # marks that touch are one run
                pieces[-1] = TextRun(text[last.start : b], last.start, b, None)
                continue
            pieces.append(TextRun(text[a:b], a, b, words if is_word else None))
            words += is_word
    return tuple(pieces)


def words(text: str) -> tuple[str, ...]:
    """Return only the words of a text, so that ``words(text)[n]`` is word number n."""
    return tuple(piece.text for piece in split(text) if piece.word is not None)


def shown(text: str) -> str:
    """Return a text of the same length in which a sign stands for each character that cannot be shown.

    These are what `accept` leaves out; where offsets count, nothing may be left out.

    >>> shown("a\\0b")
    'a�b'
    """
    return "".join(character if _shown(character) else chr(_UNREADABLE) for character in text)


def right_to_left(text: str) -> bool:
    """Return whether a text runs from right to left: by its first letter that has a direction.

    >>> right_to_left("שלום world"), right_to_left("3 words")
    (True, False)
    """
    strong = (unicodedata.bidirectional(character) for character in text)
    return next((one in ("R", "AL") for one in strong if one in ("L", "R", "AL")), False)


def segmentation(text: str) -> str:
    """Return what counts as a word where a text has letters that are written without spaces; "" where it has none.

    >>> segmentation("漢字")
    'Each Han character counts as a word.'
    """
    said = ["Each Han character counts as a word."] if re.search(f"[{_HAN}]", text) else []
    if _WITHOUT_SPACES.search(text):
        said.append("In scripts without spaces, such as kana or Thai, a whole run counts as one word.")
    return " ".join(said)


def accept(text: str, most: int = MAX_CHARACTERS) -> Accepted:
    """Return the text without characters that cannot be shown or recorded, with a sentence for each change.

    Cuts at 2,000 characters, or at ``most`` (before anything else looks at it), then removes control characters, lone
    surrogates, invisible marks and bidirectional overrides. White space stays, since many models read it: line breaks
    (all written as ``\\n``), tabs, runs of spaces, spaces at either end.

    Raises:
        InputError: nothing is left that could be looked at (empty, only spaces or marks, only punctuation), or what was
            given is no text.
    """
    if not isinstance(text, str):
        raise InputError(f"A text is a string, not a {type(text).__name__}. mha.attend_many takes a list of texts.")
    notes = []
    if len(text) > most:
        notes.append(f"Using the first {most:,} of {len(text):,} characters.")
        text = text[:most]
    text = _LINE_BREAK.sub("\n", text)
    kept = "".join(character for character in text if _shown(character))
    if len(kept) < len(text):
        notes.append("Unreadable characters were removed.")
    kept = _LOOSE_JOINER.sub("", kept)
    if not kept.strip():
        raise InputError("Type a sentence or choose an example.")
    if not words(kept):
        raise InputError("This text has no words. Type one, or choose an example.")
    return Accepted(kept, tuple(notes))


def fold_white_space(text: str) -> str:
    """Return a text with each line break, tab and run of spaces as one space, and none at either end.

    >>> fold_white_space("a\\n\\n  b ")
    'a b'
    """
    return " ".join(text.split())


def white_space(text: str) -> dict[str, str]:
    """Return the kinds of `WHITE_SPACE` that a text has, each with the text in which they are one space.

    >>> white_space("a\\nb  c")
    {'line breaks': 'a b  c', 'runs of spaces': 'a\\nb c'}
    """
    return {kind: pattern.sub(" ", text) for kind, pattern in WHITE_SPACE.items() if pattern.search(text)}


def white_space_note(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the sentence that a model does not distinguish some kinds of white space, nothing for no kind."""
    named = " and ".join(filter(None, (", ".join(kinds[:-1]), *kinds[-1:])))
    return (f"The model reads {named} like one space.",) if kinds else ()


def accept_or(text: str, instead: str, until: str) -> Accepted:
    """Return the text as `accept` does; another one where nothing of it can be looked at, and ``until`` as its note."""
    try:
        return accept(text)
    except InputError as error:
        return Accepted(instead, (f"{error} {until}",))


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character).startswith("P")


def _shown(character: str) -> bool:
    if character in "\n\t":
        return True
    code = ord(character)
    visible = unicodedata.category(character) not in ("Cc", "Cs", "Cn", "Co")
    return visible and code != _UNREADABLE and code not in _INVISIBLE and code not in _BIDI


def with_word(text: str, number: int, other: str) -> str:
    """Return the text with one word replaced, with a capital if the text began with one.

    >>> with_word("Dogs ran.", 0, "cats")
    'Cats ran.'

    Raises:
        InputError: there is no such word, or nothing to put there.
    """
    said = words(text)
    if not 0 <= number < len(said):
        raise InputError(f"There is no word {number} in this text; it has words 0 to {len(said) - 1}.")
    other = " ".join(other.split())
    if not other:
        raise InputError("Type a word to put in its place.")
    piece = next(piece for piece in split(text) if piece.word == number)
    if number == 0 and piece.text[:1].isupper():
        other = other[:1].upper() + other[1:]
    return text[: piece.start] + other + text[piece.end :]
