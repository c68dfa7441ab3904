"""Tokens: the units of a model's input, decoded from what tokenizers write and aligned with the text.

`decode_tokens` is the one function that reads raw tokens, for `attend`, `record`, `from_arrays` and `from_generate`;
`locate_tokens` gives each token its word. Layer 0, below the maps: strings only, no model.
"""

import contextlib
import re
import unicodedata
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from mha.errors import InputError
from mha.words import TextRun, split, words

_SIGNS = {" ": (SPACE := "␣"), "\n": "↵", "\t": "⇥", "\r": "␍"}
_SIGNED = re.compile(r"\A\s+|\s+\Z|[^\S ]")  # white space that is shown by signs
_WHITE = re.compile("(?:[␣↵⇥␍]|<[0-9A-F]{4}>)+")  # a token of white space as `visible_token` writes it
_LETTERS = re.compile(r"\S(?:.*\S)?", re.DOTALL)
_WORD, _REST = re.compile(r"\S+"), re.compile(r"(?<=\S)\S+")  # characters that touch those before
_BROKEN = "\ufffd"  # a byte of a character whose other bytes are missing
_STRAY = re.compile("[\udc80-\udcff]")  # such a byte as Python decodes it with "surrogateescape"
_BYTE = re.compile("<0x([0-9A-F]{2})>")  # SentencePiece's byte fallback
_END = "</w>"  # of a word, in GPT-1, CLIP and XLM
_CONTINUED = re.compile(r"(?s:^##(?=.)|(?<=.)@@\Z)")  # WordPiece before the rest of a word, CTRL behind its beginning
# behind an apostrophe: it's, didn't, I'm, she'd, we're …; no closing quote follows
_CONTRACTED = re.compile(r"\S*[^\W\d_] ['’] (?:s|t|m|d|re|ve|ll)(?! ['’]\Z)(?: .*)?\Z", re.IGNORECASE | re.DOTALL)
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
Notation = bool | str | None  # whether letters stand for bytes, and otherwise how; None: the tokens decide
# The letters of a byte-level vocabulary and the bytes that they replace. Source: GPT-2, encoder.py.
_BYTE_LETTERS = dict(
    zip(
        map(chr, [*_PRINTABLE, *range(0x100, 0x144)]),
        [*_PRINTABLE, *sorted({*range(0x100)} - {*_PRINTABLE})],
        strict=True,
    )
)


@dataclass(frozen=True)
class Token:
    """One token of the model's input, or one merged piece of the text.

    ``word`` is the index of its word; special tokens and punctuation have None;
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
    """The text that raw tokens spell, and the span and the own spelling of each token.

    ``alone`` has ``<E2>`` for an incomplete character. Special tokens have an empty span and no spelling.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    alone: tuple[str, ...]


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
    return "".join(sign if sign.isprintable() else f"<{ord(sign):04X}>" for sign in with_visible_breaks(text)) or "∅"


def visible_tokens(texts: Sequence[str], special: Sequence[bool] = ()) -> tuple[str, ...]:
    """Return the visible tokens of one list, without the ␣ before a word unless another token is the same word.

    >>> visible_tokens([" Italy", "Italy", " the", "\\n", " ."])
    ('␣Italy', 'Italy', 'the', '↵', '␣.')
    """
    special = special or [False] * len(texts)
    exact = [visible_token(text, is_special) for text, is_special in zip(texts, special, strict=True)]
    short = [name.removeprefix("␣") if name[1:2].isalnum() else name for name in exact]
    uses = {name: {full_name for full_name, brief in zip(exact, short, strict=True) if brief == name} for name in short}
    return tuple(brief if len(uses[brief]) == 1 else name for name, brief in zip(exact, short, strict=True))


def with_visible_breaks(text: str) -> str:
    """Return a text with its line breaks and tabs as ↵ and ⇥; outer or lone white space as `visible_token` has it.

    >>> with_visible_breaks("):\\n"), with_visible_breaks("  "), with_visible_breaks("a b")
    ('):↵', '␣␣', 'a b')
    """
    return _SIGNED.sub(lambda white: "".join(_SIGNS.get(sign) or f"<{ord(sign):04X}>" for sign in white[0]), text)


def is_white(token: Token) -> bool:
    """Return whether a token is white space of the text that belongs to no word: a line break, or spaces at its end."""
    return token.punctuation and _WHITE.fullmatch(token.text) is not None


def decode_tokens(raws: Sequence[str], special: Sequence[bool], byte_level: Notation = None) -> Decoded:
    """Return the text that raw tokens spell, as the tokenizers of published models write them.

    Byte-level BPE writes letters for bytes (``Ġ`` a space, ``Ċ`` a line break); ``byte_level`` sets whether these are
    such tokens, None lets the tokens decide. ByT5 writes a byte as the character of that number ("latin-1"), CANINE a
    character as it is ("characters"). SentencePiece writes ``▁`` for a space and ``<0x0A>`` for a byte,
    WordPiece ``##`` before the rest of a word, others ``</w>`` behind a word or ``@@`` before its rest. Tokens that
    begin with spaces are joined as they are; any others are words, and marks attach to the word before.
    """
    contents = _contents(raws, special, byte_level)
    characters = b"".join(contents).decode("utf-8", "surrogateescape")
    owners = [  # of each byte, the place of its character
        *(place for place, letter in enumerate(characters) for _ in letter.encode("utf-8", "surrogateescape")),
        len(characters),
    ]
    spans, reach = list[tuple[int, int]](), 0
    for content in contents:
        first = owners[reach]
        reach += len(content)
        spans.append((first, owners[reach - 1] + 1 if content else first))
    text = _STRAY.sub(_BROKEN, characters)
    if text[:1] == " " and not text[1:2].isspace():  # the space that a tokenizer sets before the first word
        text, spans = text[1:], [(max(first - 1, 0), max(last - 1, 0)) for first, last in spans]
    spelling = (
        _STRAY.sub(lambda byte: f"<{ord(byte[0]) - 0xDC00:02X}>", content.decode("utf-8", "surrogateescape"))
        for content in contents
    )
    return Decoded(text, tuple(spans), tuple(spelling))


def _bytes_of(raw: str, byte_level: Notation = True) -> bytes:
    """Return the bytes of a byte-level token; an added token that is text stays text."""
    if byte_level == "latin-1" and max(raw, default="") <= "\xff":
        return raw.encode("latin-1")
    is_bytes = byte_level is True and _BYTE_LETTERS.keys() >= set(raw)
    return bytes(_BYTE_LETTERS[letter] for letter in raw) if is_bytes else raw.encode("utf-8", "replace")


def _look_byte_level(plain: Sequence[str]) -> Notation:
    """Return whether letters stand for bytes: some have ``Ġ`` or ``Ċ`` at an end, or all of them are UTF-8 in disguise.

    Neither control characters nor stray bytes come of it, as they would of ``Ġorġ`` or ``café``. Single characters that
    are UTF-8 as bytes of those numbers are "latin-1".
    """
    letters = "".join(plain)
    if len(letters) == len(plain) and not letters.isascii() and max(letters) <= "\xff":
        with contextlib.suppress(UnicodeDecodeError):
            letters.encode("latin-1").decode()
            return "latin-1"
    marked = any(raw.startswith(("Ġ", "Ċ")) or raw.endswith("Ċ") for raw in plain)
    text = b"".join(map(_bytes_of, plain)).decode("utf-8", "surrogateescape")
    if any(unicodedata.category(character) == "Cc" and not character.isspace() for character in text):
        return False
    return marked or (_BYTE_LETTERS.keys() >= set("".join(plain)) and not text.isascii() and not _STRAY.search(text))


def _contents(raws: Sequence[str], special: Sequence[bool], byte_level: Notation) -> list[bytes]:
    """Return the UTF-8 that each token adds to the text, with the space before it; special tokens add nothing."""
    plain = [raw for raw, is_special in zip(raws, special, strict=True) if not is_special]
    byte_level = _look_byte_level(plain) if byte_level is None else byte_level
    has_spaces = any("▁" in raw or _BYTE.fullmatch(raw) or raw[:1].isspace() for raw in plain)
    has_ends = any(raw.endswith(_END) for raw in plain)
    contents, previous = list[bytes](), _END
    for place, (raw, is_special) in enumerate(zip(raws, special, strict=True)):
        if is_special:
            content = b""
        elif byte_level:
            content = _bytes_of(raw, byte_level)
        elif has_spaces:
            byte = _BYTE.fullmatch(raw)
            content = bytes.fromhex(byte[1]) if byte else raw.replace("▁", " ").encode("utf-8", "replace")
        else:
            piece = (raw.removesuffix(_END) or raw) if has_ends else _CONTINUED.sub("", raw)
            ended = previous.endswith(_END) if has_ends else not previous.endswith("@@") or previous == "@@"
            is_mark = all(unicodedata.category(letter).startswith("P") for letter in piece)
            is_contracted = place > 1 and previous in "'’" and _CONTRACTED.match(" ".join(raws[place - 2 : place + 2]))
            attached = not ended or is_mark or is_contracted or (raw.startswith("##") and raw != "##")
            content = (" " * (not attached and any(contents)) + piece).encode("utf-8", "replace")
        contents.append(content)
        previous = _END if is_special else raw
    return contents


def axes(
    tokens: Sequence[str | Token],
    key_tokens: Sequence[str | Token] = (),
    text: str = "",
    special: Collection[str] | None = None,
) -> tuple[tuple[Token, ...], tuple[Token, ...], str, str | None]:
    """Return tokens of rows and columns, and the texts they are in: the second is None if it is the first.

    Raw tokens are read as tokenizers write them (`decode_tokens`). ``text`` is the text of the rows, if it was given:
    then words are its words. If the tokens do not spell it, a warning follows and the text that they spell is used.
    Columns with names of their own are in a text of their own. A `Token` stays as it is. ``special`` has the raw tokens
    that are special (`special_names`).

    >>> axes(["All", "well"])[2]
    'All well'

    Raises:
        InputError: the text is of another kind.
    """
    if not isinstance(text, str | None):
        raise InputError(f"A text is a string, not a {type(text).__name__}.")
    queries, text = _read_axis(tokens, text or "", special)
    keys, pair = _read_axis(key_tokens, "", special) if key_tokens else (queries, text)
    if key_tokens and not _know_their_words(key_tokens):
        keys = tuple(replace(token, segment=1) for token in keys)
    return queries, keys, text, pair if any(token.segment for token in keys) else None


def read_tokens(
    raws: Sequence[str], special: Sequence[bool], text: str = "", byte_level: Notation = None
) -> tuple[tuple[Token, ...], str]:
    """Return raw tokens with their words and spans, and the text they are in: ``text``, or the text that they spell.

    A warning names the first tokens if they do not spell ``text``. If the notation is a guess (``byte_level`` is None),
    the others are tried as well: a text may contain ``Ġ``.
    """
    decoded = decode_tokens(raws, special, byte_level)
    options: tuple[Notation, ...] = (False, True, "latin-1") if text and byte_level is None else ()
    guesses = [decode_tokens(raws, special, guess) for guess in options]
    fits: Iterator[tuple[Decoded, Sequence[tuple[int, int]] | None]] = (
        (guess, fit)
        for guess in (decoded, *guesses)
        if text and (fit := _spans_in(text, raws, special, guess)) is not None
    )
    decoded, spans = next(fits, (decoded, None))
    if spans is None:
        if text:
            warnings.warn(
                f"These tokens do not spell the text that was given, which begins {text[:40]!r}: they spell "
                f"{decoded.text[:40]!r}. The text of the tokens is used.",
                stacklevel=5,
            )
        text, spans = decoded.text, decoded.spans
    mask = [  # an unknown token that stands for letters of the text is an ordinary token
        flag and not (is_unknown(raw) and end > start)
        for raw, flag, (start, end) in zip(raws, special, spans, strict=True)
    ]
    return locate_tokens((text, ""), raws, spans, [0] * len(raws), mask, decoded), text


def _raws(tokens: Sequence[str | Token]) -> list[str]:
    return [token.raw or token.text if isinstance(token, Token) else str(token) for token in tokens]


def _read_axis(
    tokens: Sequence[str | Token], text: str, special: Collection[str] | None
) -> tuple[tuple[Token, ...], str]:
    raws = _raws(tokens)
    if not _know_their_words(tokens):
        mask = special_mask(raws, text) if special is None else [raw in special for raw in raws]
        return read_tokens(raws, mask, text)
    ready = tuple(token for token in tokens if isinstance(token, Token))
    if special is not None:
        ready = tuple(
            replace(token, special=raw in special, word=None if raw in special else token.word)
            for token, raw in zip(ready, raws, strict=True)
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
    if len(entries) != len(raws) or not all(isinstance(entry, int) and entry in (0, 1) for entry in entries):
        raise InputError(
            "special is a list of tokens, such as ['<sep>'], or of one boolean for each token "
            f"({len(raws)} here); {str(special)[:40]} is not."
        )
    return frozenset(raw for raw, is_special in zip(raws, entries, strict=True) if is_special)


def _letters(text: str) -> tuple[str, list[int]]:
    """Return the letters that are compared, and the place of each in the text: no spaces, nor what tokenizers drop.

    An uncased tokenizer leaves no capitals, accents, vowel signs, widths, or invisible characters.
    """
    letters = [
        (letter, place)
        for place, character in enumerate(text)
        for letter in unicodedata.normalize("NFKD", character).casefold()
        if not letter.isspace()
        and letter != _BROKEN
        and unicodedata.category(letter) not in ("Mn", "Mc", "Me", "Cc", "Cf")
    ]
    return "".join(letter for letter, _ in letters), [place for _, place in letters]


def _spans_in(
    text: str, raws: Sequence[str], special: Sequence[bool], decoded: Decoded
) -> list[tuple[int, int]] | None:
    """Return the span of each token in a text, or None if the tokens do not spell a part of it.

    The letters between two special tokens are one run. Runs follow each other without a gap; unknown tokens have the
    words of a gap, one each. The first run begins at a word, for the text may have lost its beginning.
    """
    text_letters, offsets = _letters(text)
    starts: Sequence[int] = [bisect_left(offsets, piece.start) for piece in split(text)]  # where the next run may begin
    matched, special_spans = dict[int, int](), dict[int, tuple[int, int]]()  # place of each decoded character
    begin, reach, end, unknown = 0, 0, 0, list[int]()
    ends = [0, *(place + 1 for place in offsets)]  # where the text goes on behind some of the letters
    stops = [start for start, _ in decoded.spans] + [len(decoded.text)]
    breaks = [(number, raw) for number, (raw, flag) in enumerate(zip(raws, special, strict=True)) if flag]
    for number, raw in [*breaks, (len(raws), "")]:
        run, places = _letters(decoded.text[begin : stops[number]])
        if run:
            position = next((start for start in starts if text_letters.startswith(run, start)), None)
            if position is None:
                return None
            if not (matched or special_spans or unknown):
                end = ends[position]
            special_spans |= zip(
                unknown, (word.span() for word in _WORD.finditer(text, ends[reach], offsets[position])), strict=False
            )
            matched |= zip((begin + place for place in places), offsets[position:], strict=False)
            reach, unknown = position + len(run), []
        begin = stops[number]
        if is_unknown(raw):
            unknown.append(number)
        elif (letters := _letters(raw)[0]) and text_letters.startswith(letters, reach):
            special_spans[number] = (offsets[reach], ends[reach + len(letters)])
            reach += len(letters)
        if matched or special_spans or unknown:
            starts = range(reach, len(text_letters) if unknown else reach + 1)
    special_spans |= zip(unknown, (word.span() for word in _WORD.finditer(text, ends[reach])), strict=False)
    spans = list[tuple[int, int]]()
    for number, (first, last) in enumerate(decoded.spans):
        start, end = special_spans.get(number, (end, end))
        for place in range(first, last):
            space = end if place in matched else text.find(decoded.text[place], end)
            if place not in matched and space >= 0 and not text[end:space].strip():  # the text may have more of it
                matched[place] = space
            end = matched.get(place, end - 1) + 1
        options = [(decoded.text[place].isspace(), matched[place]) for place in range(first, last) if place in matched]
        spans.append((min(options, default=(True, start))[1], end))  # at its first letter, or its first white space
    return spans


def locate_tokens(
    sources: tuple[str, str],
    raws: Sequence[str],
    spans: Sequence[tuple[int, int]],
    segments: Sequence[int | None],
    special: Sequence[Any],
    decoded: Decoded,
) -> tuple[Token, ...]:
    """Return the tokens with their texts and with the word of the text that each overlaps most.

    White space is part of the next word of its line; a line break, or spaces before one, is part of no word. The spans
    are widened over characters that the tokenizer dropped (`_widened`).
    """
    spans = [  # a space that the tokenizer sets before a word has no character of the text
        (start, start) if spelling.isspace() and sources[segment or 0][start:end].strip() else (start, end)
        for (start, end), segment, spelling in zip(spans, segments, decoded.alone, strict=True)
    ]
    widened = list(spans)
    for segment, source in enumerate(sources):
        numbers = [
            n for n, (first, last) in enumerate(spans) if segments[n] == segment and (first < last or not special[n])
        ]
        for n, span in zip(numbers, _widened(source, [spans[n] for n in numbers]), strict=True):
            widened[n] = span
    pieces, first_words = [split(source) for source in sources], (0, len(words(sources[0])))
    tokens, segment = list[Token](), 0
    for number, (raw, spelling, (first, last)) in enumerate(zip(raws, decoded.alone, widened, strict=True)):
        if special[number]:
            tokens.append(Token(raw, raw=raw, special=True, start=first, end=last, segment=segment))
            continue
        segment = int(segments[number] or 0)
        source, content = sources[segment], sources[segment][first:last]
        neighbours = [n for n in (number - 1, number + 1) if 0 <= n < len(raws) and segments[n] == segment]
        shares = any(max(first, spans[n][0]) < min(last, spans[n][1]) for n in neighbours)
        if not content or shares or decoded.text[slice(*decoded.spans[number])].strip() != spelling.strip():
            content = spelling  # a part of a character, or one of the tokens of one
        letters = _LETTERS.search(source, first, last)
        core = letters if spans[number] == (first, last) else _LETTERS.search(source, *spans[number]) or letters
        piece = _piece_at(pieces[segment], *(core.span() if core else (last, last)))
        if letters:
            start, end = letters.span()
        elif piece and not re.search("[\r\n]", content + source[last : piece.start]) and not first < last > piece.start:
            start = end = piece.start
        else:
            start, end, piece = first, last, None
        word = None if piece is None or piece.word is None else piece.word + first_words[segment]
        label = with_visible_breaks(content if content.isspace() else content.strip(" \t\xa0\u3000")) or raw
        tokens.append(Token(label, raw=raw, word=word, start=start, end=end, segment=segment))
    return tuple(tokens)


def _widened(source: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans, in order, widened over characters that the tokenizer dropped (accents, joiners).

    A dropped character joins the token before it if they touch, else the next one; so the spans, joined, have every
    character but the spaces. Letters before the first span or behind the last are those of a longer text.
    """
    widened = list[tuple[int, int]]()
    first = spans[0][0] if spans else 0
    reach = first if first and _letters(source[:first])[0] else 0
    for start, end in spans:
        if match := _REST.match(source, reach, max(start, reach)):
            reach = match.end()
            widened[-1] = (widened[-1][0], reach)
        widened.append((start - len(source[reach:start].lstrip()), end))
        reach = max(reach, end)
    behind = source[reach:].rstrip()
    if behind and widened and not _letters(behind)[0]:
        widened[-1] = (widened[-1][0], reach + len(behind))
    return widened


def _piece_at(pieces: Sequence[TextRun], start: int, end: int) -> TextRun | None:
    """Return the piece that shares most characters with a token, or for a token without any, the next (or last) one."""
    first = bisect_right(pieces, start, key=lambda piece: piece.end)
    behind = max(bisect_left(pieces, end, key=lambda piece: piece.start), first + 1)
    near = pieces[first:behind] or pieces[-1:]
    return max(near, key=lambda piece: min(end, piece.end) - max(start, piece.start), default=None)


def written_so(places: Iterable[tuple[int, Token]], text: str) -> list[int]:
    """Return the positions whose token has this spelling; without one, the positions that differ in capitals only."""
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
        return int(which)
    places = written_so(enumerate(tokens), which)
    if len(places) > 1:
        raise InputError(
            f"The token {which[:40]!r} occurs {len(places)} times; say which by its number: "
            f"{', '.join(map(str, places[:20]))}."
        )
    if not places:
        raise InputError(
            f"There is no token {which[:40]!r} in this text. Its tokens: "
            f"{', '.join(f'{place} {token.text[:20]}' for place, token in enumerate(tokens[:40]))}."
        )
    return places[0]


def _know_their_words(tokens: Sequence[str | Token]) -> bool:
    return all(isinstance(token, Token) for token in tokens)


# ---- special tokens, from three rules, the surest first; ``special=`` of `mha.from_arrays` replaces these guesses:
# names that published tokenizers reserve are special everywhere;
# shapes of reserved tokens, such as ``<repo_name>`` or ``[TOOL_CALLS]``, are special if another token shows that a
# subword tokenizer wrote the list, and if the text that was given does not contain them;
# codes of languages, such as ``eng_Latn``, are special only before the first or after the last ordinary token.

_BAR = "\uff5c"  # the wide vertical line in DeepSeek's tokens
_NAMES = re.compile(
    r"\[/?(?:CLS|SEP|PAD|MASK|UNK|BOS|EOS|START|END|INST)\]|\[[gs]MASK\]|\[unused_?[0-9]{1,6}\]"
    r"|(?i:</?(?:s|pad|mask|unk|bos|eos|cls|sep|sos|sop|eop|eod|start|end|go|endoftext)>)"
    r"|(?i:<(?:extra_id|reserved|special|unused|mask|unk|null|madeupword)_?[0-9]{1,6}>)|madeupword[0-9]{1,6}"
    r"|<(?:start|end)_of_[a-z]{2,20}>|<fim[_-](?:prefix|middle|suffix|pad)>"
    r"|<\|[^|<>]{1,60}\|>" + rf"|<{_BAR}[^{_BAR}<>]{{1,60}}{_BAR}>" + r"|<</?SYS>>|</?(?:s|unk|pad)>NOTUSED"
    "|[\ue000-\ue003]"  # CANINE's, for private use
)
_SHAPES = re.compile(
    r"\[/?[A-Z][A-Z_]+\]|\[[A-Za-z_]+_[0-9]{1,6}\]|\[@[A-Z]+@\]|\[multimodal\]"
    r"|</?[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+>|▁?<(?:PRE|SUF|MID|EOT)>"
    r"|<(?:image|video|audio|ent2?|reponame|filename|eoh|eoa)>"
    r"|>>[A-Za-z][A-Za-z0-9_+-]{1,40}<<|\|{3}[A-Z_]+\|{3}|\|[A-Z_]{3,}\|"
)
_LANGUAGES = re.compile(r"__[a-z]{2,3}__|[a-z]{2}_[A-Z]{2}|[a-z]{3}_[A-Z][a-z]{3}|<2[a-z]{2,3}(?:_[A-Za-z]{2,8})?>")
_SUBWORD = re.compile(r"[Ġ▁].*|##.+|.+</w>|.+@@", re.DOTALL)
_UNKNOWN = re.compile(r"[<\[]unk[>\]]", re.IGNORECASE)


def is_unknown(raw: str) -> bool:
    """Return whether a raw token replaces text that the vocabulary does not have."""
    return _UNKNOWN.fullmatch(raw) is not None


def special_mask(raws: Sequence[str], text: str = "") -> list[bool]:
    """Return for each raw token whether these rules call it special.

    ``text`` is the text that the tokens were read from, if it was given.
    """
    mask = [_NAMES.fullmatch(raw.removeprefix("▁")) is not None for raw in raws]
    if any(mask) or any(_SUBWORD.fullmatch(raw) for raw in raws):
        for place, raw in enumerate(raws):
            mask[place] |= _SHAPES.fullmatch(raw) is not None and raw.lstrip("▁") not in text
    ordinary = [place for place, is_special in enumerate(mask) if not is_special]
    if any(raw.startswith("▁") for raw in raws) or ("</s>" in raws and "<s>" not in raws):  # many languages' tokenizers
        for place in ordinary[:1] + ordinary[-1:]:
            mask[place] |= _LANGUAGES.fullmatch(raws[place]) is not None and raws[place] not in text
    return mask
