"""What each head does, in plain words, by a rule that can be read off a table.

A role is a summary of looking, never of meaning, and it is told twice: what the head usually does, over the corpus, and
what it does in this text.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from mha.analysis import habit as habits
from mha.analysis.habit import Habit, bundled, looking, word_looks
from mha.analysis.sinks import sink_columns
from mha.maps import AttentionMaps, HeadId, Recording, maps_of
from mha.pairs import corpus
from mha.words import words

NEIGHBOURS = ("previous_word", "same_word", "next_word")
NEIGHBOURS_ONLY = 0.5  # of its looks between words go to these three
FEWEST_WORDS = 4  # in fewer, nearly every look is at a neighbour, and no role is told


@dataclass(frozen=True)
class RoleRow:
    """One row of the rule: a head has this role if a share of its looks (of `looking`) is at least so large.

    ``short`` is the name where there is little room, ``of`` what it is a share of.
    """

    key: str
    name: str
    short: str
    statistic: str
    threshold: float
    of: str
    source: str


_BETWEEN = "attention between words"
_CLARK = "Clark et al. 2019"

ROLES: tuple[RoleRow, ...] = (  # the first that fits
    RoleRow("sinks", "[CLS] and [SEP]", "[CLS] [SEP]", "sinks", 0.7, "all attention",
            f"{_CLARK}; Kovaleva et al. 2019"),
    RoleRow("back", "previous word", "previous", "previous_word", 0.4, _BETWEEN, f"{_CLARK}; Voita et al. 2019"),
    RoleRow("ahead", "next word", "next", "next_word", 0.4, _BETWEEN, f"{_CLARK}; Voita et al. 2019"),
    RoleRow("itself", "itself", "itself", "same_word", 0.4, _BETWEEN, _CLARK),
    RoleRow("elsewhere", "same word elsewhere", "repeats", "elsewhere", 0.4,
            "attention between words, from words that occur again", _CLARK),
    RoleRow("stop", "final punctuation", "full stop", "full_stop", 0.4,
            "attention to words and final punctuation", _CLARK),
    RoleRow("one", "one word", "one word", "one_word", 0.4, _BETWEEN, "Kovaleva et al. 2019"),
    RoleRow("even", "spread out", "spread", "evenness", 0.85, "the largest possible entropy", _CLARK),
    RoleRow("mixed", "mixed", "", "", 0.0, "", "none of these"),
)  # fmt: skip
MIXED = ROLES[-1]


@dataclass(frozen=True)
class Role:
    """What one head does: ``usual`` (None where that was not measured), and ``here`` (None in a text of few words).

    ``share_corpus`` and ``share_here`` are the statistic that decides the role it goes by, over the corpus and in this
    text, NaN where there is none; ``neighbours_…`` what share of the looks between words stays at the word before,
    itself and the word after.
    """

    head: HeadId
    usual: RoleRow | None
    here: RoleRow | None
    share_corpus: float
    share_here: float
    neighbours_corpus: float
    neighbours_here: float

    @property
    def row(self) -> RoleRow:
        """The role that the head goes by: the usual one, or the one here where no other is known."""
        return self.usual or self.here or MIXED

    @property
    def name(self) -> str:
        """The name of the role that the head goes by."""
        return self.row.name

    @property
    def differs(self) -> bool:
        """Whether this text shows another role than the usual one."""
        return self.usual is not None and self.here is not None and self.here.key != self.usual.key


def roles(maps: AttentionMaps | Recording, habit: Habit | None = None) -> tuple[Role, ...]:
    """Return what every head does, layer by layer.

    By default the habit is the one that comes with the program for this model, if there is one.

    Raises:
        InputError: the maps look from one text into another, or these are no maps.
    """
    maps = maps_of(maps)
    habit = habit or bundled(maps)
    corpus, here = {} if habit is None else habit.shares, looking(maps)
    heads, rows = maps.heads, rows_for(maps)
    unknown: list[RoleRow | None] = [None] * len(heads)
    enough = len(word_looks(maps.merged_axes()).places) >= FEWEST_WORDS
    usual = [*chain.from_iterable(usual_rows(corpus, rows))] if corpus else unknown
    now = [*chain.from_iterable(usual_rows(here, rows))] if enough else unknown
    decides = [(one or other or MIXED).statistic for one, other in zip(usual, now, strict=True)]
    shares = (_each(known, decides) for known in (corpus, here))
    neighbours = (_together(known, NEIGHBOURS, len(heads)) for known in (corpus, here))
    return tuple(Role(*fields) for fields in zip(heads, usual, now, *shares, *neighbours, strict=True))


def usual_rows(shares: dict[str, np.ndarray], rows: tuple[RoleRow, ...] = ROLES) -> list[list[RoleRow]]:
    """Return the row of the rule that fits each head, by layer and head, of shares as `looking` has them.

    >>> even = {row.statistic: np.array([[0.1, 0.9]]) for row in ROLES[:-1]}
    >>> [row.name for row in usual_rows(even)[0]]
    ['mixed', '[CLS] and [SEP]']
    """
    fits = [shares[row.statistic] >= row.threshold for row in rows[:-1]]
    places = np.where(np.any(fits, axis=0), np.argmax(fits, axis=0), len(rows) - 1)  # the first that fits, or the last
    return [[rows[place] for place in layer] for layer in places.tolist()]


def rows_for(maps: AttentionMaps) -> tuple[RoleRow, ...]:
    """Return the rule with the sinks named as they are in this text: "[CLS] and [SEP]", "<s> and </s>"."""
    merged = maps.merged_axes()
    sinks = dict.fromkeys(
        token.text if token.special else "the first word"
        for token, sink in zip(merged.key_tokens, sink_columns(merged), strict=True)
        if sink and not token.punctuation
    )
    if not sinks:
        return ROLES
    named = replace(ROLES[0], name=" and ".join(sinks), short=" ".join(sinks).removeprefix("the "))
    return (named, *ROLES[1:])


@functools.cache
def n_texts() -> int:
    """Return how many corpus texts are long enough for what heads usually do to be taken over them."""
    return sum(len(words(text)) >= habits.FEWEST_WORDS for text in corpus())


def neighbours_only(role: Role) -> bool:
    """Return whether a head mostly looks at neighbours: half or more of its looks between words, usually or here."""
    share = role.neighbours_here if np.isnan(role.neighbours_corpus) else role.neighbours_corpus
    return bool(share >= NEIGHBOURS_ONLY)


def _each(shares: dict[str, np.ndarray], decides: Sequence[str]) -> list[float]:
    """Return of each head the share that decides; NaN where it is not known."""
    known = {name: shares[name].ravel().tolist() for name in set(decides) & set(shares)}
    return [known[name][head] if name in known else np.nan for head, name in enumerate(decides)]


def _together(shares: dict[str, np.ndarray], statistics: Sequence[str], n_heads: int) -> list[float]:
    """Return the sum of some shares of each head; NaN where one of them is not known."""
    if not set(statistics) <= set(shares):
        return [np.nan] * n_heads
    found: list[float] = functools.reduce(np.add, [shares[name] for name in statistics]).ravel().tolist()
    return found
