"""What the sentence carries: the named look and the arcs of every head, and what two readings mark on it.

Shares are of all attention. Python rounds every share once, so that an arc is as thick as the number that stands at it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mha.analysis.looks import HeadLooks, strongest_looks
from mha.analysis.opening import LEAST
from mha.analysis.readings import FIRST_WORD, first_word
from mha.analysis.usual import Habit, column
from mha.brief import with_arrays
from mha.formats import labels, whole_percents
from mha.maps import ATTENTION, AttentionMaps, HeadId
from mha.screens.blocks import Spans, say
from mha.screens.heads import findings
from mha.screens.shown import Shown

LINKS = 24  # looks from one word, or at one, that travel for each head
FREE_LINKS = 9  # looks that travel for each head where no word is locked
ON_A_LINE = 48  # words that may stand on one line, where a head's arcs are drawn whatever the word
FAINTEST = 0.02  # of all attention: below, no word is tinted and no arc is drawn
POINTS = round(100 * LEAST)


@with_arrays
class Arcs:
    """The looks of all heads, layer by layer.

    ``looks`` has those that are named; ``usual`` float [head] each head's habit at its distance, NaN where that is not
    known; ``queries``, ``keys`` and ``percents`` [head, link] what is drawn, 0 where there is nothing.
    """

    looks: HeadLooks
    usual: np.ndarray
    queries: np.ndarray
    keys: np.ndarray
    percents: np.ndarray

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the links as they travel."""
        return {"link_queries": self.queries, "link_keys": self.keys, "link_percents": self.percents}


def arcs(
    raw: AttentionMaps,
    lock: int | None = None,
    look: str = "at",
    named: Mapping[HeadId, tuple[int, int]] | None = None,
    habit: Habit | None = None,
) -> Arcs:
    """Return the arcs of all heads at a locked word, from it, or, without one, each head's strongest.

    ``raw`` are the maps before rescaling; ``named`` are heads that are told by another look than their strongest, from
    the locked word or at it: each with its positions (query, key).
    """
    place = {} if lock is None else {"key" if look == "at" else "query": lock}
    looks = strongest_looks(raw, **place)
    turned = []  # heads whose look runs the other way than those of all others
    for head, (query, key) in (named or {}).items():
        number = head.layer * raw.n_heads + head.head
        looks.query[number], looks.key[number] = query, key
        looks.weight[number], looks.found[number] = raw[head][query, key], True
        if look != "at" and query != lock:
            turned.append(number)
    return Arcs(looks, usual(raw, looks, habit), *_links(raw, looks, lock, look, turned))


def named_looks(shown: Shown) -> dict[HeadId, tuple[int, int]]:
    """Return the looks for which the opening heads were picked, while the word that they are about is locked.

    Of a word that the reader has chosen, only looks in the direction that was asked for.
    """
    opens, kept = shown.opening, shown.kept
    if shown.raw.units != "words" or shown.lock is None or kept[shown.lock] != opens.word:
        return {}
    side = 1 if shown.look == "at" else 0
    return {
        head: (kept.index(look[0]), kept.index(look[1]))
        for head, look in zip(opens.heads, opens.looks, strict=True)
        if set(look) <= set(kept) and (shown.chosen_lock or look[side] == opens.word)
    }


def usual(raw: AttentionMaps, looks: HeadLooks, habit: Habit | None) -> np.ndarray:
    """Return each head's habit at the distance of its look, float64 [head]; NaN without a habit, or not between words.

    A habit goes by whole words, so there is none between tokens.
    """
    found = np.full(len(looks.found), np.nan)
    if habit is None or raw.units != "words" or raw.kind != "self":
        return found
    words = np.array([token.word is not None for token in raw.tokens], dtype=bool)
    number, told = np.cumsum(words), np.flatnonzero(looks.found)
    told = told[words[looks.query[told]] & words[looks.key[told]]]
    far = number[looks.key[told]] - number[looks.query[told]]
    found[told] = habit.weights.reshape(len(found), -1)[told, column(far)]  # of [head, distance]
    return found


def _links(
    raw: AttentionMaps, looks: HeadLooks, lock: int | None, look: str, turned: Sequence[int] = ()
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return queries, keys and whole per cents of each head's links, each [head, link]; none between two texts."""
    if raw.kind != "self":
        none = np.zeros((raw.n_layers * raw.n_heads, 1), dtype=np.uint8)
        return none, none, none
    weights = raw.weights.reshape(-1, raw.n_queries, raw.n_keys)  # [head, query, key]
    heads = np.arange(len(weights))[:, None]
    if lock is not None and look != "at":
        key = _most(weights[:, lock], LINKS)
        query = np.full_like(key, lock)
        query[list(turned)] = _most(weights[list(turned), :, lock], LINKS)
        key[list(turned)] = lock
    else:
        focus = np.where(looks.found, looks.key, 0) if lock is None else np.full(len(weights), lock)
        query = _most(np.take_along_axis(weights, focus[:, None, None], axis=-1)[..., 0], LINKS)
        key = np.broadcast_to(focus[:, None], query.shape)
        if lock is None and max(raw.n_queries, raw.n_keys) <= ON_A_LINE:
            strongest = np.where(raw.visible & ~np.eye(raw.n_queries, raw.n_keys, dtype=bool), weights, 0)
            other, more = np.divmod(_most(strongest.reshape(len(weights), -1), FREE_LINKS), raw.n_keys)
            twice = more == focus[:, None]
            query, key = np.hstack([query, np.where(twice, more, other)]), np.hstack([key, more])
    shares = np.where(query == key, 0, weights[heads, query, key]).astype(np.float64)
    percents = np.where(shares >= FAINTEST, whole_percents(shares), 0)
    used = max(1, int(np.flatnonzero(percents.any(axis=0)).max(initial=0)) + 1)
    places = np.uint8 if max(raw.n_queries, raw.n_keys) <= 256 else np.uint16
    return query[:, :used].astype(places), key[:, :used].astype(places), percents[:, :used]


def _most(weights: np.ndarray, count: int) -> np.ndarray:
    """Return where the largest weights of each row are, largest first, [row, at most so many]."""
    return np.argsort(-weights, axis=-1, kind="stable")[:, :count]


def marked_of(shown: Shown) -> tuple[dict[str, Any], tuple[Spans, ...]]:
    """Return what the readings of a view mark, as it travels, and what is said of a candidate without a head.

    Marked are positions on the shown axis, of all pieces of a word: ``pivot``, and the candidates ``a`` and ``b``.
    ``sides`` has the reading, "a" or "b", for which each of the opening heads was picked, while it is told by that.
    Nothing is marked where there are no readings, or one picture is of another measure.
    """
    if not shown.readings or shown.full.kind != "self":
        return {"pivot": [], "a": [], "b": [], "sides": {}}, ()
    first, second = shown.readings
    a, b = ({partner for _, partner in reading.links} for reading in (first, second))
    a, b = a - b or a, b - a or b  # a word that both name is told by the reading that adds nothing
    pivots = {pivot for reading in (first, second) for pivot, _ in reading.links}

    def places(numbers: set) -> list[int]:
        return [place for place, token in enumerate(shown.maps.key_tokens) if token.word in numbers]

    told = named_looks(shown) if shown.full.measure == ATTENTION else {}
    opens = shown.opening
    picked = zip(opens.heads, opens.sides, strict=bool(opens.sides))
    sides = {str(head): side for head, side in picked if head in told}
    marked = {"pivot": places(pivots), "a": places(a), "b": places(b), "sides": sides}
    return marked, _lacking(shown, a, b, pivots)


def _lacking(shown: Shown, a: set, b: set, pivots: set) -> tuple[Spans, ...]:
    """Return what is said of candidates without a head, while the opening is the app's, or why they have no look."""
    merged = shown.full.merged()
    if merged.tokens[0].word in a | b | pivots and (first := first_word(merged, (0,))):
        return (say(FIRST_WORD, model=merged.model or "this model", word=("word", first)),)
    if not (shown.chosen_pins and shown.chosen_lock) or shown.full.measure != ATTENTION:
        return ()
    called = {token.word: label for token, label in zip(merged.tokens, labels(merged.tokens), strict=True)}
    without = [numbers for side, numbers in (("a", a), ("b", b)) if side not in shown.opening.sides]
    names = [" or ".join(called[number] for number in sorted(numbers)) for numbers in without]
    return findings.lacking(" or ".join(called[one] for one in sorted(pivots)), names, POINTS, shown.habit is not None)
