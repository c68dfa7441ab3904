"""What the view of a long text draws from: the survey, what is locked and pinned in it, and the window of 64 tokens."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mha.analysis.looks import Look
from mha.brief import with_arrays
from mha.figures.thumbnails import pool_largest
from mha.formats import cut
from mha.maps import HeadId, Token
from mha.screens.blocks import Span, word

if TYPE_CHECKING:  # it brings torch
    from mha.models.watch.survey import Survey

WINDOW = 64
CELLS = 256  # of the strip and of a profile, at most
LINES = 5  # looks that are told as lines of text
AT, FROM = SIDES = ("What looks at it", "Where it looks")
TOPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
LONG_WORD = 5  # letters of a word that may be the first locked one
FULL = 65535


def first_token(tokens: Sequence[Token]) -> int:
    """Return the token that is locked first: of the word of five letters or more that stands most often.

    It is the first one behind the first tenth of the text, whose rows have few tokens to look at. Where no such word
    stands twice, it is the first token of any word.
    """
    texts: dict[int, str] = {}
    begins: dict[int, int] = {}
    for place, token in enumerate(tokens):
        if token.word is not None:
            texts[token.word] = texts.get(token.word, "") + token.text.casefold()
            begins.setdefault(token.word, place)
    places: dict[str, list[int]] = {}
    for number, text in texts.items():
        if len(text) >= LONG_WORD:
            places.setdefault(text, []).append(begins[number])
    often = max(places.values(), key=len, default=[])
    if len(often) < 2:
        return next(iter(begins.values()), 0)
    return next((place for place in often if place >= len(tokens) / 10), often[0])


def top_of(values: np.ndarray, quantile: float, n_tokens: int) -> float:
    """Return the weight that full colour stands for: of a few round ones the smallest that covers a quantile.

    Up to 64 tokens it is 1, as everywhere.
    """
    if n_tokens <= WINDOW or not values.size:
        return 1.0
    covered = float(np.quantile(values, quantile))
    return next(top for top in TOPS if top >= min(covered, 1.0))


def found_in(tokens: Sequence[Token], text: str, wanted: str) -> tuple[int, ...]:
    """Return the tokens in which a text begins, in any case, wherever it stands; nothing for an empty one."""
    wanted = wanted.casefold().strip()
    if not wanted:
        return ()
    folded, hits, at = text.casefold(), [], 0
    if len(folded) != len(text):  # a few letters fold to two; then offsets would not fit
        folded, wanted = text.lower(), wanted.lower()
    ends = [token.end if not token.special else -1 for token in tokens]
    places = [place for place, token in enumerate(tokens) if not token.special]
    cursor = 0
    while (at := folded.find(wanted, at)) >= 0:
        while cursor < len(places) and ends[places[cursor]] <= at:
            cursor += 1
        if cursor < len(places):
            hits.append(places[cursor])
        at += 1
    return tuple(dict.fromkeys(hits))


@with_arrays
class SurveyedText:
    """A long text as far as it is surveyed.

    ``token`` is the locked one, ``pin`` the pinned head or None for the one that looks hardest; ``side`` is one of
    `SIDES`; ``start`` is the window's first token; ``whole`` is the pinned head's map, uint16 [query, key], or None
    where it is not there yet; ``hits`` are the places of what is searched for; ``chosen`` says that the app pinned it.
    """

    survey: Survey
    token: int
    side: str = AT
    pin: HeadId | None = None
    start: int = 0
    whole: np.ndarray | None = None
    search: str = ""
    hits: tuple[int, ...] = ()
    chosen: bool = False

    @property
    def n_tokens(self) -> int:
        """How many tokens were read."""
        return len(self.survey.tokens)

    @property
    def cell(self) -> int:
        """How many tokens share one cell of the strip."""
        return -(-self.n_tokens // CELLS)

    @property
    def window(self) -> range:
        """The tokens of the window."""
        start = max(0, min(self.start, self.n_tokens - WINDOW))
        return range(start, min(start + WINDOW, self.n_tokens))

    @property
    def at(self) -> bool:
        """Whether it is asked who looks at the token, not where it looks."""
        return self.side == AT

    @cached_property
    def values(self) -> np.ndarray:
        """Every head's weights at the locked token, or from it, float32 [layer, head, token]."""
        return (self.survey.columns if self.at else self.survey.rows)[self.token]

    @cached_property
    def absent(self) -> np.ndarray:
        """Which tokens cannot look at the locked one, or be looked at by it, bool [token]."""
        places = np.arange(self.n_tokens)
        if not self.survey.causal:
            return np.zeros(self.n_tokens, dtype=bool)
        return places < self.token if self.at else places > self.token

    @cached_property
    def others(self) -> np.ndarray:
        """Which tokens are told as the other end of a look: words, not the locked one, bool [token]."""
        told = np.array([token.word is not None for token in self.survey.tokens])
        told[self.token] = False
        return told & ~self.absent

    @cached_property
    def hardest(self) -> tuple[HeadId, Look] | None:
        """The hardest look of all heads, and its head; None where no other token looks, or is looked at."""
        if not self.others.any():
            return None
        weights = np.where(self.others, self.values, -1.0)
        layer, head, place = map(int, np.unravel_index(int(np.argmax(weights)), weights.shape))
        return HeadId(layer, head), self._look(HeadId(layer, head), place)

    @property
    def head(self) -> HeadId:
        """The pinned head: the reader's, or the one of the hardest look."""
        return self.pin or (self.hardest[0] if self.hardest is not None else HeadId(0, 0))

    @cached_property
    def lines(self) -> tuple[Look, ...]:
        """The pinned head's hardest looks, hardest first."""
        weights = np.where(self.others, self.values[self.head], 0.0)
        order = np.argsort(-weights, kind="stable")[:LINES]
        return tuple(self._look(self.head, int(place)) for place in order if weights[place] > 0)

    def _look(self, head: HeadId, place: int) -> Look:
        query, key = (place, self.token) if self.at else (self.token, place)
        return Look(query, key, float(self.values[head][place]))

    def pooled(self) -> np.ndarray:
        """Return every head's weights as at most 256 cells, the largest of each, float32 [layer, head, cell]."""
        return pool_largest(self.values, CELLS) if self.cell > 1 else self.values

    def name(self, place: int) -> Span:
        """A token as a word of the reader's text."""
        return word(cut(self.survey.tokens[place].text))
