"""Common properties of a head's strongest connections: kinds of keys that code can count.

A kind by position or form is named if it holds in more than half of the sentences. A part of speech is named if it
holds in nine of ten: a third of the words of the sample sentences are nouns, so that ten words at random reach this
once in 2,400 heads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mha.analysis.proposals.lexicon import bundled
from mha.analysis.proposals.tagging import tagged
from mha.words import words

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
