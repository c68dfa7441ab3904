"""The forced pairs seen by a model: leans and link margins of both versions, with the words in order and shuffled."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from torch import Tensor

from mha.analysis.leaning import move_reading, reordered
from mha.analysis.readings import leans
from mha.brief import with_arrays
from mha.intervention.bank import looked_together
from mha.intervention.patching import SEED, Versions
from mha.intervention.readout import nearness
from mha.intervention.subject import Subject, place_readings, tokens_of
from mha.maps import HeadId, Reading, Token
from mha.pairs import Pair, Swap, pair_from_row, pairs
from mha.words import words

Version = tuple[str, tuple[Reading, Reading]]

RESAMPLED = 2000  # draws of the pairs behind an interval
KEPT_APART = Path(__file__).with_name("pairs_kept.json")
OfPair = TypeVar("OfPair", Pair, Swap)


@functools.cache
def pairs_kept_apart(kind: str) -> tuple[Pair, ...]:
    """Return the pairs of one kind that were used for no choice: of a head, a limit or a threshold."""
    rows = json.loads(KEPT_APART.read_text(encoding="utf-8"))["pairs"]
    return tuple(pair_from_row(**row) for row in rows if row["kind"] == kind)


@with_arrays
class Seen:
    """Leans float64 [version, pair, layer, head] and link margins [version, block output, pair]; version 0 forces A."""

    leans: np.ndarray
    margins: np.ndarray


def pairs_with_leans(experiment: Subject, pairs: Sequence[OfPair]) -> tuple[OfPair, ...]:
    """Return the pairs whose leans exist: in a causal model the pairs without the first word, a sink."""
    return tuple(
        pair
        for pair in pairs
        if not experiment.causal or all(0 not in link for reading in pair.readings for link in reading.links)
    )


def versions(kind_pairs: Sequence[Pair], order: int | None = None, fixed: int = 0) -> list[Version]:
    """Return the A versions of the pairs and then the B versions; with ``order``, words in that seeded order.

    One order for both versions of a pair, seeded by the order's number and the pair's place in the file. The first
    ``fixed`` words keep their places.
    """
    if order is None:
        return [(text, pair.readings) for side in ("a", "b") for pair in kind_pairs for text in [getattr(pair, side)]]
    place = {pair.id: number for number, pair in enumerate(pairs())}
    texts = []
    for side in ("a", "b"):
        for pair in kind_pairs:
            text = getattr(pair, side)
            movable = np.random.default_rng([order, place[pair.id]]).permutation(len(words(text)) - fixed)
            mixed = [*range(fixed), *(movable + fixed).tolist()]
            a, b = (move_reading(reading, text, mixed) for reading in pair.readings)
            texts.append((reordered(text, mixed), (a, b)))
    return texts


def seen(experiment: Subject, texts: Sequence[Version]) -> Seen:
    """Return leans and margins of `versions`."""
    found_leans = np.empty((len(texts), experiment.n_layers, experiment.n_heads))
    found_margins = np.empty((experiment.n_layers + 1, len(texts)))
    for batch in looked_together(experiment, [text for text, _ in texts], hidden=True):
        for number, maps, hidden in batch:
            readings = texts[number][1]
            found_leans[number] = leans(maps.merged(), readings).lean
            assert hidden is not None
            found_margins[:, number] = margins(hidden, maps.tokens, readings)
    half = len(texts) // 2
    return Seen(
        found_leans.reshape(2, half, experiment.n_layers, experiment.n_heads),
        found_margins.reshape(experiment.n_layers + 1, 2, half).swapaxes(0, 1),
    )


def margins(hidden: Tensor, tokens: Sequence[Token], readings: Sequence[Reading]) -> np.ndarray:
    """Return the link margin at every block output, from hidden states [block, token, d_model], as float64 [block]."""
    a, b = (tuple((int(pivot), int(partner)) for pivot, partner in reading.links) for reading in readings)
    numbers = {word for pair in (*a, *b) for word in pair}
    vectors = {word: hidden[:, tokens_of(tokens, word)].mean(dim=1) for word in numbers}
    return (nearness(vectors, a) - nearness(vectors, b)).double().numpy()


def margins_at(experiment: Subject, texts: Sequence[Version], block: int) -> np.ndarray:
    """Return the link margin of each text at one block output, as float64 [text]."""
    scores = np.empty(len(texts))
    for batch in looked_together(experiment, [text for text, _ in texts], hidden=True):
        for number, maps, hidden in batch:
            assert hidden is not None
            scores[number] = margins(hidden, maps.tokens, texts[number][1])[block]
    return scores


def patched(
    experiment: Subject, pairs: Sequence[Pair | Swap], sets: Sequence[Sequence[HeadId]], block: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the separation [pair] of those of equal length, and how far patching each set moves it.

    Moves are float64 [direction, pair, set]: into the first text, into the second.
    """
    separations, shares = [], []
    for pair in pairs:
        if (both := equal_versions(experiment, pair, block)) is not None:
            (a, b), moved_by = both.moves(sets)
            separations.append(a - b)
            shares.append(moved_by)
    shape = len(separations), 2, len(sets)
    return np.array(separations), np.array(shares, dtype=np.float64).reshape(shape).swapaxes(0, 1)


def equal_versions(experiment: Subject, pair: Pair | Swap, block: int) -> Versions | None:
    """Return both texts of a pair or a swap for patching, or None if their token counts differ."""
    if len(experiment.encoded(pair.a).tokens) != len(experiment.encoded(pair.b).tokens):
        return None
    first, second = (place_readings(experiment, text, pair.readings) for text in (pair.a, pair.b))
    return Versions(experiment, first, second, block)


def share_interval(parts: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Return Σ parts / Σ whole with its bootstrap interval over pairs, float64 [3, …]; ``parts`` is [pair, …].

    It is NaN if there are no pairs.
    """
    if len(totals) == 0:
        return np.full((3, *parts.shape[1:]), np.nan)
    counts = np.random.default_rng(SEED).multinomial(len(totals), np.full(len(totals), 1 / len(totals)), size=RESAMPLED)
    flat = parts.reshape(len(totals), -1)
    draws = (counts @ flat) / (counts @ totals)[:, None]  # [draw, …]
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    return np.stack([flat.sum(axis=0) / totals.sum(), low, high]).reshape(3, *parts.shape[1:])
