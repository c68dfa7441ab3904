"""Patterns of looking, each a mask over a head's map, and common properties of a head's strongest connections."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.proposals.lexicon import bundled
from mha.analysis.proposals.tagging import tagged
from mha.maps import AttentionMaps, Token
from mha.words import words


@dataclass(frozen=True)
class Shade:
    """One number a head that can colour the map of a model; ``of`` is its description in the legend.

    ``unit`` is "share", "bits" or "words"; ``attention`` is true for a share of attention; only these use the colour of
    weights. A pattern is the mean mass on a ``mask``, bool [query, key] of some maps.
    """

    key: str
    title: str
    unit: str
    of: str
    source: str
    attention: bool = True
    mask: Callable[[AttentionMaps], np.ndarray] | None = None


def previous_word(maps: AttentionMaps) -> np.ndarray:
    """Return where a key is the word before the query."""
    return np.eye(maps.n_queries, maps.n_keys, maps.first_query - 1, dtype=bool)


def next_word(maps: AttentionMaps) -> np.ndarray:
    """Return where a key is the word after the query; hidden under a causal mask."""
    return np.eye(maps.n_queries, maps.n_keys, maps.first_query + 1, dtype=bool)


def same_word(maps: AttentionMaps) -> np.ndarray:
    """Return where a key is the query itself."""
    return np.eye(maps.n_queries, maps.n_keys, maps.first_query, dtype=bool)


def first_token(maps: AttentionMaps) -> np.ndarray:
    """Return the first column, for every row but its own."""
    mask = np.zeros((maps.n_queries, maps.n_keys), dtype=bool)
    mask[max(0, 1 - maps.first_query) :, 0] = True
    return mask


def separator(maps: AttentionMaps) -> np.ndarray:
    """Return the columns of special tokens after the first place, such as [SEP]."""
    return _columns(maps, lambda place, token: token.special and place > 0)


def punctuation(maps: AttentionMaps) -> np.ndarray:
    """Return the columns of punctuation."""
    return _columns(maps, lambda _place, token: token.punctuation)


def elsewhere(maps: AttentionMaps) -> np.ndarray:
    """Return where a key is the same word at another place; words are compared without case."""
    rows, columns = _words(maps.tokens), _words(maps.key_tokens)
    mask = np.array(
        [[bool(row_word) and row_word == column_word for column_word in columns] for row_word in rows], dtype=bool
    )
    return mask.reshape(maps.n_queries, maps.n_keys) & ~same_word(maps)


def induction(maps: AttentionMaps) -> np.ndarray:
    """Return where a key comes right after an earlier copy of the query: what followed it last time."""
    copies = np.tril(elsewhere(maps), maps.first_query - 1)  # [query, earlier copy]
    mask = np.zeros_like(copies)
    mask[:, 1:] = copies[:, :-1]
    return mask & ~same_word(maps)


PATTERNS: tuple[Shade, ...] = tuple(
    Shade(key, title, "share", f"share of attention {of}", source, mask=mask)
    for key, title, of, source, mask in (
        ("previous_word", "Previous word", "to the word or mark before", "Clark et al. 2019; Voita et al. 2019",
         previous_word),
        ("next_word", "Next word", "to the next word or mark", "Clark et al. 2019; Voita et al. 2019", next_word),
        ("same_word", "Same word", "to the word itself", "Clark et al. 2019", same_word),
        ("first_token", "First token", "to the first token, from all later words", "Xiao et al. 2024", first_token),
        ("separator", "Separator", "to special tokens after the first place", "Clark et al. 2019", separator),
        ("punctuation", "Punctuation", "to punctuation", "Clark et al. 2019", punctuation),
        ("elsewhere", "Same word elsewhere", "to the same word elsewhere, from words that occur again",
         "Clark et al. 2019", elsewhere),
        ("induction", "Induction", "to what followed the same word before, from words that occurred before",
         "Olsson et al. 2022", induction),
    )
)  # fmt: skip


def _columns(maps: AttentionMaps, is_chosen: Callable[[int, Token], bool]) -> np.ndarray:
    columns = np.array([is_chosen(place, token) for place, token in enumerate(maps.key_tokens)], dtype=bool)
    return np.broadcast_to(columns, (maps.n_queries, maps.n_keys)).copy()


def _words(tokens: tuple[Token, ...]) -> list[str]:
    return [token.text.casefold() if token.word is not None else "" for token in tokens]


MOST = 0.5  # a kind is named if more of the sentences than this are of it
NEARLY_ALL, FEWEST = 0.9, 8  # from this share on, and of so many sentences, a part of speech is named


@dataclass(frozen=True)
class KindOfKey:
    """A kind of key: its name in a sentence, and whether words [word] and tags [word] of a text make a key one."""

    name: str
    holds: Callable[[Sequence[str], Sequence[str], int, int], bool]
    is_part_of_speech: bool = False


def _follows_copy(text: Sequence[str], _tags: Sequence[str], query: int, key: int) -> bool:
    return 0 < key < query and text[key - 1].casefold() == text[query].casefold()


def _is_copy(text: Sequence[str], _tags: Sequence[str], query: int, key: int) -> bool:
    return key != query and text[key].casefold() == text[query].casefold()


KINDS = (
    KindOfKey("the word itself", lambda _text, _tags, query, key: key == query),
    KindOfKey("the word before", lambda _text, _tags, query, key: key == query - 1),
    KindOfKey("the next word", lambda _text, _tags, query, key: key == query + 1),
    KindOfKey("what followed an earlier copy of the word", _follows_copy),
    KindOfKey("the same word elsewhere", _is_copy),
    KindOfKey("a capitalised word", lambda text, _tags, _query, key: key > 0 and text[key][:1].isupper()),
    KindOfKey("a noun", lambda _text, tags, query, key: key != query and tags[key] in ("N", "M"), True),
    KindOfKey("a verb", lambda _text, tags, query, key: key != query and tags[key] == "V", True),
)


def main_kind(connections: Sequence[tuple[str, int, int]]) -> tuple[str, int] | None:
    """Return the kind that most connections are of and their number, or None if none is named.

    A connection is a text and the word numbers of query and key. Of kinds with equal numbers the first of `KINDS` is
    named.

    >>> main_kind([("The dog saw the cat", 3, 1), ("A bird left a tree", 3, 1)])
    ('what followed an earlier copy of the word', 2)
    """
    counts: Mapping[str, int] = {
        kind.name: sum(kind.holds(words(text), parts_of_speech(text), query, key) for text, query, key in connections)
        for kind in KINDS
    }
    n = len(connections)
    thresholds = {False: MOST * n, True: max(NEARLY_ALL * n, FEWEST) - 1e-9}  # by whether it is a part of speech
    names = [kind.name for kind in KINDS if counts[kind.name] > thresholds[kind.is_part_of_speech]]
    best = max(names, key=counts.__getitem__, default=None)
    return None if best is None else (best, counts[best])


def parts_of_speech(text: str) -> tuple[str, ...]:
    """Return the tag of each word of an English text, "" without a lexicon."""
    lexicon = bundled()
    if lexicon is None:
        return ("",) * len(words(text))
    return tuple(token.tag for token in tagged(text, lexicon) if token.number >= 0)
