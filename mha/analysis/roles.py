"""The pattern of each head in plain words, by a rule with one table row a pattern.

Under a causal mask a word sees few others, so that an even head gives much to the word itself, the one before and the
first ones. There a share counts beyond an even head's: (share − even) / (1 − even). *Same word elsewhere* needs twice
the share of other words at these occurrences: a column with attention from all words does not count.

Rates over 100 sentences, heads named by their pattern in the sentence, SmolLM2 and two of its scrambled copies: itself
4.4 and 1.2 %, previous word 3.0 and 0.4 %, one word 1.7 and 7.5 %, same word elsewhere 0.05 and 0.1 %.

A pattern summarises attention, not meaning. A head has two: its usual one, over the corpus, and the one in this text.
"""

from dataclasses import dataclass, replace

import numpy as np

from mha.analysis.sinks import sinks_by_position, word_sinks
from mha.analysis.usual import Habit, bundled, looking
from mha.maps import AttentionMaps, HeadId, Recording, maps_of

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
    sinks = sinks_by_position(axes)
    names = list(dict.fromkeys(token.text for token in axes.key_tokens if token.special))
    if axes.causal and not axes.key_tokens[0].special:
        names.insert(0, "the first word")
    is_measured = bool((word_sinks(maps) & ~sinks).any())
    if not names or is_measured or (axes.causal and axes.key_tokens[0].punctuation):
        return ROLES
    sinks_row = replace(ROLES[0], name=" and ".join(names))
    return (sinks_row, *ROLES[1:])
