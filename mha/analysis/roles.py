"""The pattern of each head in plain words, by a rule with one table row a pattern; and kinds of keys of connections.

A pattern of a profile is a mask over a head's map (`PATTERNS`).

Under a causal mask a word sees few others, so that an even head gives much to the word itself, the one before and the
first ones. There a share counts beyond an even head's: (share − even) / (1 − even). *Same word elsewhere* needs twice
the share of other words at these occurrences: a column with attention from all words does not count.

Rates over 100 sentences, heads named by their pattern in the sentence, SmolLM2 and two of its scrambled copies: itself
4.4 and 1.2 %, previous word 3.0 and 0.4 %, one word 1.7 and 7.5 %, same word elsewhere 0.05 and 0.1 %.

A pattern summarises attention, not meaning. A head has two: its usual one, over the corpus, and the one in this text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mha.analysis.proposals.lexicon import bundled as bundled_lexicon
from mha.analysis.proposals.tagging import tagged
from mha.analysis.sinks import sink_columns
from mha.analysis.usual import Habit, bundled, looking
from mha.maps import AttentionMaps, HeadId, Recording, Token, maps_of, sink_places
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
    lexicon = bundled_lexicon()
    if lexicon is None:
        return ("",) * len(words(text))
    return tuple(token.tag for token in tagged(text, lexicon) if token.number >= 0)


TIMES_OTHERS = 2  # the share that other words give to a word's copies, for the pattern of copies
FEWEST_WORDS = 4  # in shorter texts nearly every connection is to a neighbour, so no pattern is named


@dataclass(frozen=True)
class RoleRow:
    """One row of the rule: a head has this pattern if a share of its attention (of `looking`) reaches the threshold.

    ``of`` describes the whole of that share.
    """

    key: str
    name: str
    statistic: str
    threshold: float
    of: str
    source: str


_BETWEEN = "attention between words"
_CLARK = "Clark et al. 2019"

ROLES: tuple[RoleRow, ...] = (  # the first that fits
    RoleRow("sinks", "attention sinks", "sinks", 0.7, "all attention", f"{_CLARK}; Kovaleva et al. 2019"),
    RoleRow("back", "previous word", "previous_word", 0.4, _BETWEEN, f"{_CLARK}; Voita et al. 2019"),
    RoleRow("ahead", "next word", "next_word", 0.4, _BETWEEN, f"{_CLARK}; Voita et al. 2019"),
    RoleRow("itself", "itself", "same_word", 0.4, _BETWEEN, _CLARK),
    RoleRow("elsewhere", "same word elsewhere", "elsewhere", 0.4,
            "attention between words, from words that occur again, and twice what others give there", _CLARK),
    RoleRow("stop", "final punctuation", "full_stop", 0.4,
            "attention to words and final punctuation", _CLARK),
    RoleRow("one", "one word", "one_word", 0.4, _BETWEEN, "Kovaleva et al. 2019"),
    RoleRow("even", "spread out", "evenness", 0.85, "the largest possible entropy", _CLARK),
    RoleRow("mixed", "mixed", "", 0.0, "", "none of these"),
)  # fmt: skip
MIXED = ROLES[-1]


@dataclass(frozen=True)
class Role:
    """The pattern of one head: ``usual`` (None if it was not measured), and ``here`` (None in a text of few words)."""

    head: HeadId
    usual: RoleRow | None
    here: RoleRow | None

    @property
    def row(self) -> RoleRow:
        """The role that the head goes by: the usual one, or the one here where no other is known."""
        return self.usual or self.here or MIXED

    @property
    def name(self) -> str:
        """The name of the role that the head goes by."""
        return self.row.name


def roles(maps: AttentionMaps | Recording, habit: Habit | None = None) -> tuple[Role, ...]:
    """Return the pattern of every head, layer by layer.

    By default the usual attention is the bundled one of this model, if the model has one.

    Raises:
        InputError: the maps have two texts, or the argument has no maps.
    """
    maps = maps_of(maps)
    habit = habit or bundled(maps)
    corpus, in_text = {} if habit is None else habit.shares, looking(maps)
    axes = maps.merged_axes()
    rows, unknown = rows_for(maps), np.full(maps.weights.shape[:2], -1)
    enough = sum(token.word is not None for token in axes.tokens) >= FEWEST_WORDS
    usual, current = _fitting(corpus, rows) if corpus else unknown, _fitting(in_text, rows) if enough else unknown
    rows_or_none = (*rows, None)  # the last is what −1 means
    places = zip(maps.heads, usual.ravel().tolist(), current.ravel().tolist(), strict=True)
    return tuple(Role(head, rows_or_none[a], rows_or_none[b]) for head, a, b in places)


def _fitting(shares: dict[str, np.ndarray], rows: tuple[RoleRow, ...]) -> np.ndarray:
    """Return the place of the row that fits each head, int [layer, head]: the first that fits, or the last."""
    fits = [beyond_even(shares, row.statistic) >= row.threshold for row in rows[:-1]]
    copies = [row.key for row in rows].index("elsewhere")
    fits[copies] &= shares["elsewhere"] >= TIMES_OTHERS * shares["copies_from_others"]
    return np.where(np.any(fits, axis=0), np.argmax(fits, axis=0), len(rows) - 1)


def beyond_even(shares: dict[str, np.ndarray], statistic: str) -> np.ndarray:
    """Return a share, under a causal mask as a part of the share that an even head leaves, [layer, head]."""
    even = shares.get(f"even_{statistic}")
    return shares[statistic] if even is None else _beyond(shares[statistic], even)


def _beyond(share: np.ndarray, even: np.ndarray | float) -> np.ndarray:
    return np.asarray((share - even) / np.where(np.less(even, 1), 1 - even, np.nan))


def rows_for(maps: AttentionMaps) -> tuple[RoleRow, ...]:
    """Return the rule with the sinks named as they are in this text: "[CLS] and [SEP]", "the first word".

    The name is "attention sinks" if a causal model's text begins with a mark, or if other sinks are measured in this
    text.
    """
    axes = maps.merged_axes()
    sinks = sink_places(axes.key_tokens, first=axes.causal)
    names = list(dict.fromkeys(token.text for token in axes.key_tokens if token.special))
    if axes.causal and not axes.key_tokens[0].special:
        names.insert(0, "the first word")
    is_measured = bool((sink_columns(maps, merge=True) & ~sinks).any())
    if not names or is_measured or (axes.causal and axes.key_tokens[0].punctuation):
        return ROLES
    sinks_row = replace(ROLES[0], name=" and ".join(names))
    return (sinks_row, *ROLES[1:])
