"""Words of a text, and the check of typed texts.

Words are runs between white space, with leading and trailing punctuation split off as pieces of their own; inner
apostrophes and hyphens stay inside ("doesn't", "well-known"). Where a script has no spaces, each Han character is a
word, as in BERT's own pre-tokenizer. Word indices count words only, from 0, for every tokenizer.
"""

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

_UNREADABLE = "\ufffd"  # a browser's sign for bytes of a link that are not text
_REMOVED = {
    _UNREADABLE,
    # Invisible and without effect on a letter: soft hyphen, zero-width space, word joiner and its kin, byte order mark.
    *"\u00ad\u180e\u200b\u2060\u2061\u2062\u2063\u2064\ufeff",
    # Bidirectional overrides and embeddings: they could reverse the page around the word. Marks (LRM, RLM) go too.
    *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
}
_HIDDEN = ("Cc", "Cs", "Cn", "Co")  # categories: control, surrogate, no character, private use
_LINE_BREAK = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_HAN = "\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\U00020000-\U000323af"
_WIDE_MARKS = "".join(
    re.escape(mark)
    for mark in map(chr, (*range(0x3000, 0x3040), *range(0xFF00, 0xFF66)))
    if unicodedata.category(mark).startswith("P")
)
# Scripts that set words without spaces, with their marks: Han, kana, Thai, Lao, Tibetan, Myanmar, Khmer.
_UNSPACED = re.compile(f"[{_HAN}\u3000-\u30ff\u31f0-\u31ff\uff00-\uffef\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff]")
_SIGNS = str.maketrans("␣↵⇥", " \n\t")  # white space as `mha.tokens.visible_token` shows it
_ATTACHED = re.compile(  # a word that begins so follows without a space
    r"""\s | n['’]t\b | ['’][^'’]*\Z | [\u0300-\u036f\ufe0f²³¹⁰-₉]  # white space of its own, did + n't, it + 's, m + ²
    | (?!&\Z)["“”„«»‹›‘’!#%&()*,\-./:;?@\[\\\]_{}…–—·‰]+\Z  # marks alone
    | [!%),./:;?\]}\\_…–—”»›·‰°] | -(?!\d)  # the rest of a word, no sign of a number
    | [،؛؟۔।॥։፡-፨៕။།、。，．！？：；）］｝」』】》〉]  # marks that end clauses in other scripts
    """,
    re.VERBOSE,
)
_OPEN_END = re.compile(  # the next text touches it
    r"""(?: [\s(\[{¿¡„‚\\@#^_‐‑] | (?<![\d)\]]\s)-  # white space, an opening mark, a hyphen, no spaced minus
    | (?: \A | (?<![\d)\]])\s | [(\[{=:] ) ["'`*_~“”„«»‹›‘’]+  # a quotation mark that opens, emphasis
    | (?<!\w{3}s)(?<=\w)['’ʻʼ]  # an apostrophe (l’eau), not that of a plural (boys’)
    | \A[^„]*\S“ | \A[^»]*\S« | \A[^‚]*\S‘  # marks that close in German
    | (?<![\s=+<>|~×÷±→/&–—-])[=+<>|~×÷±→/&–—-]*[=+<>|~×÷±→/&–—]  # signs without spaces
    | \A[^*]*\d\* | (?<!\d)(?<!\d\s)[$€£¥₹] )\Z  # a product, a currency
    """,
    re.VERBOSE,
)
_QUOTED = re.compile(r"(?:\A|[\s([{])['‘]\w[^'‘’]*['’]\Z")  # a text that ends in a quotation
_NUMBERS = re.compile(r"\d(?:[.:]\d|,\d{3}\b)")  # a decimal, a time, thousands
# Runs without white space, cut around every Han character and every wide punctuation mark.
_CHUNK = re.compile(rf"[{_HAN}{_WIDE_MARKS}]|[^\s{_HAN}{_WIDE_MARKS}]+")
# Joiners are needed inside emoji, Persian and Indic words; at an edge or next to white space they join nothing.
_LOOSE_JOINER = re.compile("(?<![^\\s\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\\s\u200c\u200d])")


class TextRun(NamedTuple):
    """A word or a run of punctuation: ``text == source[start:end]``; punctuation has no ``word`` (None)."""

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
    n_words = 0
    marks = "".join(mark for mark in set(text) if unicodedata.category(mark).startswith("P"))
    for chunk in _CHUNK.finditer(text):
        start, end = chunk.span()
        core_start = end - len(chunk[0].lstrip(marks))
        right = max(core_start, start + len(chunk[0].rstrip(marks)))
        for first, last, word in ((start, core_start, None), (core_start, right, n_words), (right, end, None)):
            if first == last:
                continue
            if pieces and word is pieces[-1].word is None and pieces[-1].end == first:  # marks that touch are one run
                first = pieces.pop().start
            pieces.append(TextRun(text[first:last], first, last, word))
        n_words += core_start < right
    return tuple(pieces)


def words(text: str) -> tuple[str, ...]:
    """Return only the words of a text, so that ``words(text)[n]`` is word number n."""
    return tuple(piece.text for piece in split(text) if piece.word is not None)


def replace_unreadable(text: str) -> str:
    """Return a text of the same length in which a sign replaces each character that cannot be shown.

    `accept` removes these characters; here the offsets of the others must stay.

    >>> replace_unreadable("a\\0b")
    'a�b'
    """
    hidden = [
        ord(character)
        for character in set(text) - {"\n", "\t"}
        if character in _REMOVED or unicodedata.category(character) in _HIDDEN
    ]
    return text.translate(dict.fromkeys(hidden, _UNREADABLE))


def right_to_left(text: str) -> bool:
    """Return whether a text runs from right to left: by its first letter that has a direction.

    >>> right_to_left("שלום world"), right_to_left("3 words")
    (True, False)
    """
    return next((letter != "L" for letter in map(unicodedata.bidirectional, text) if letter in ("L", "R", "AL")), False)


def accept(text: str, limit: int = MAX_CHARACTERS) -> Accepted:
    """Return the text without characters that cannot be shown or recorded, with a sentence for each change.

    Cuts at 2,000 characters, or at ``limit`` (before anything else looks at it), then removes control characters, lone
    surrogates, invisible marks and bidirectional overrides. White space stays, since many models read it: line breaks
    (all written as ``\\n``), tabs, runs of spaces, spaces at either end.

    Raises:
        InputError: the rest of the text is empty (empty, only spaces or marks, only punctuation), or the argument is
        not a text.
    """
    if not isinstance(text, str):
        raise InputError(f"A text is a string, not a {type(text).__name__}. mha.attend_many takes a list of texts.")
    notes = []
    if len(text) > limit:
        notes.append(f"Using the first {limit:,} of {len(text):,} characters.")
        text = text[:limit]
    text = _LINE_BREAK.sub("\n", text)
    visible = replace_unreadable(text).replace(_UNREADABLE, "")
    if len(visible) < len(text):
        notes.append("Unreadable characters were removed.")
    visible = _LOOSE_JOINER.sub("", visible)
    if not visible.strip():
        raise InputError("Type a sentence or choose an example.")
    if not words(visible):
        raise InputError("This text has no words. Type one, or choose an example.")
    return Accepted(visible, tuple(notes))


def white_space(text: str) -> dict[str, str]:
    """Return the kinds of `WHITE_SPACE` that a text has, each with the text in which they are one space.

    >>> white_space("a\\nb  c")
    {'line breaks': 'a b  c', 'runs of spaces': 'a\\nb c'}
    """
    return {kind: pattern.sub(" ", text) for kind, pattern in WHITE_SPACE.items() if pattern.search(text)}


def white_space_note(kinds: Sequence[str]) -> str:
    """Return the sentence that a model does not distinguish some kinds of white space."""
    names = " and ".join(filter(None, (", ".join(kinds[:-1]), *kinds[-1:])))
    return f"The model reads {names} like one space."


def next_word_text(text: str, word: str) -> str:
    """Return a typed word as it follows a text: with a space before it only where the language writes one.

    White space that is typed stays, also as the signs ␣, ↵ and ⇥; spaces behind a word are left out. No space is added
    behind white space, an opening mark or quotation mark, a hyphen or an apostrophe, nor before marks, nor in scripts
    without spaces.

    >>> [next_word_text(text, "Paris") for text in ("It is", 'It is "', "It is\\n", "It is ")]
    [' Paris', 'Paris', 'Paris', 'Paris']
    >>> next_word_text("It is", "."), next_word_text("It is", "␣."), next_word_text("我喜欢", "猫")
    ('.', ' .', '猫')
    """
    core = word.lstrip("␣↵⇥")
    word = word[: len(word) - len(core)].translate(_SIGNS) + (core.rstrip(" \t") or core)
    touches = _ATTACHED.match(word) or (_OPEN_END.search(text) and not _QUOTED.search(text)) or not word or not text
    unspaced = _UNSPACED.search(text[-1:]) or (_UNSPACED.match(word) and _UNSPACED.search(text))
    return word if touches or unspaced or _NUMBERS.match(text[-2:] + word) else f" {word}"


def with_word(text: str, number: int, replacement: str) -> str:
    """Return the text with one word replaced, with a capital if the text began with one.

    >>> with_word("Dogs ran.", 0, "cats")
    'Cats ran.'

    Raises:
        InputError: the word does not exist, or its replacement is empty.
    """
    pieces = [piece for piece in split(text) if piece.word is not None]
    if not 0 <= number < len(pieces):
        raise InputError(f"There is no word {number} in this text; it has words 0 to {len(pieces) - 1}.")
    replacement = " ".join(replacement.split())
    if not replacement:
        raise InputError("Type a word to put in its place.")
    piece = pieces[number]
    if number == 0 and piece.text[:1].isupper():
        replacement = replacement[:1].upper() + replacement[1:]
    return text[: piece.start] + replacement + text[piece.end :]
