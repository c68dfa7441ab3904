"""Which two heads a page opens with, when nobody has chosen any, and the word from which they look."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mha.analysis.habit import Habit, bundled, column, word_looks
from mha.analysis.looks import FAINTEST
from mha.analysis.places import link_positions
from mha.analysis.proposals import propose
from mha.maps import AttentionMaps, HeadId, Reading, parts
from mha.pairs import corpus
from mha.words import words

NEAREST = (2, 1)  # how far away a word must stand to be worth opening with; neighbours where nothing further is
LEAST = 0.1  # how far above its habit, times the rarity of the word looked at, each of the two looks must lie
COMMON = 1 / 50  # a word in more sentences than this counts less, in proportion
GRAMMAR = 1 / 20  # a word of grammar counts as at least so common: three hundred sentences lack "does" and "you"
QUERY = 0.1  # power of the rarity of the word that looks: a rarer one is preferred a little

GRAMMAR_WORDS = frozenset(
    words(
        """
        a an the this that these those some any no all both each every either neither another other such many much more
        most few less least i you he she it we they me him her us them my your his its our their mine yours ours theirs
        myself yourself himself herself itself ourselves themselves who whom whose which what where when why how there
        here one am is are was were be been being have has had having do does did done doing will would shall should can
        could may might must ought and or but nor so yet if then than because as while although though unless until
        since whether of in on at by for with from to into onto over under about after before between through during
        against within without around upon up down out off not never too very just also only even still again once
        rather quite i'm i've i'll i'd you're you've you'll he's she's it's we're we've we'll they're they've they'll
        that's there's what's who's let's don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't can't
        cannot couldn't won't wouldn't shouldn't mustn't
        """
    )
)


class Opening(NamedTuple):
    """What a page opens with: two heads that send one word to two different words.

    ``query`` is the position of that word on the axis of the merged maps, ``keys`` those of the words looked at, with
    the looks' ``weights`` before any rescaling and the ``usual`` weight of each head at that distance (NaN without a
    habit), all in the order of ``heads``: that of the words looked at, or of the readings. Where nothing disagrees, or
    readings chose the heads by who looks at their pivot, ``query`` is None and the rest empty.
    """

    heads: tuple[HeadId, HeadId]
    query: int | None = None
    keys: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()
    usual: tuple[float, ...] = ()


def opening(maps: AttentionMaps, readings: Sequence[Reading] | None = None, habit: Habit | None = None) -> Opening:
    """Return the two heads to show first, and the word they disagree about, with words as axes.

    Without readings: from the word that may be ambiguous by the shape of the sentence (`propose`), for each of the two
    that it may go with the head that gives it most above its habit at that distance, where both lie `LEAST` above it.

    Else two heads that send one word to two different words, more than is their habit. From every word, each head's
    strongest look at another word counts its weight minus the head's habit at that distance, times the
    rarity of the word looked at; those two heads and that word are taken for which the smaller of the two is largest,
    a rarer word preferred a little. Words next to each other count only where nothing further away is found. By
    default the habit is the one that comes with the program for this model, if there is one; without, an even spread
    over all that the word may look at stands in its place.

    With two readings: for each, the head in which its partner's look at the pivot (or, in both, the pivot's look at
    the partner, if those stand out more or a causal mask hides the others) stands out most over every other word's
    look at the same word.

    Where nothing disagrees, the two heads whose strongest look stands out most over every other word's look at the same
    word and over the habit, the two looking at different words. The heads differ wherever there are two.

    Raises:
        InputError: a reading names a word that is not in the text.
    """
    merged = maps.merged()
    if readings is not None and len(readings) == 2:
        return _of_readings(merged, readings, habit)
    if merged.kind != "self":
        return Opening(_standing_out(merged, None))
    habit = habit or bundled(maps)
    return _suggested(merged, habit) or _disagreement(merged, habit) or Opening(_standing_out(merged, habit))


def opening_heads(
    maps: AttentionMaps, readings: Sequence[Reading] | None = None, habit: Habit | None = None
) -> tuple[HeadId, HeadId]:
    """Return the two heads of `opening`."""
    return opening(maps, readings, habit).heads


def rarity(word: str) -> float:
    """Return how much a look at a word counts, in (0, 1]: 1 for a word in at most one of fifty corpus sentences."""
    known = word.casefold().replace("’", "'")
    grammar = known in GRAMMAR_WORDS or not any(character.isalnum() for character in known)
    return min(1.0, COMMON / max(_frequencies().get(known, COMMON), GRAMMAR if grammar else COMMON))


@functools.cache
def _frequencies() -> dict[str, float]:
    """Return in what share of the corpus sentences each word stands."""
    texts = corpus()
    counted = Counter(word for text in texts for word in {word.casefold() for word in words(text)})
    return {word: count / len(texts) for word, count in counted.items()}


def _suggested(maps: AttentionMaps, habit: Habit | None) -> Opening | None:
    """Return the heads that look from a word that may be ambiguous at each of the two that it may go with."""
    suggested = propose(maps.text)
    if not suggested:
        return None
    number = np.cumsum([token.word is not None for token in maps.tokens])
    looks = []  # of each candidate: position, weights and habit, each [head] with all heads on one axis
    for reading in suggested[0].readings:
        pivot, partner = link_positions(maps, reading)[0]
        weight = maps.weights[:, :, pivot, partner].astype(np.float64)
        usual = None if habit is None else habit.at(int(number[partner] - number[pivot]))
        looks.append((partner, weight.ravel(), np.full(weight.size, np.nan) if usual is None else usual.ravel()))
    even = 1 / maps.visible[pivot].sum()
    above = np.array([weight - (even if habit is None else usual) for _, weight, usual in looks])  # [candidate, head]
    heads = above.argmax(axis=-1)
    if heads[0] == heads[1]:  # the one that rises less takes its next head
        less = int(above[1, heads[1]] <= above[0, heads[0]])
        above[less, heads[less]] = -np.inf
        heads[less] = above[less].argmax()
    if min(above[candidate, head] for candidate, head in enumerate(heads)) < LEAST:
        return None
    return Opening(
        (_name(maps, int(heads[0])), _name(maps, int(heads[1]))),
        pivot,
        tuple(partner for partner, _, _ in looks),
        tuple(float(weight[head]) for head, (_, weight, _) in zip(heads, looks, strict=True)),
        tuple(float(usual[head]) for head, (_, _, usual) in zip(heads, looks, strict=True)),
    )


def _disagreement(maps: AttentionMaps, habit: Habit | None) -> Opening | None:
    looks = word_looks(maps)
    n_words = len(looks.places)
    if n_words < 3:
        return None
    said = [maps.tokens[place].text.casefold() for place in looks.places]
    names = {word: number for number, word in enumerate(dict.fromkeys(said))}
    word = np.array([names[text] for text in said])  # the same number for the same word elsewhere
    rare = np.array([rarity(text) for text in said])
    weights = looks.weights.reshape(-1, n_words, n_words)  # [head, query, key], all heads on one axis
    usual = None if habit is None else habit.weights.reshape(len(weights), -1)  # [head, distance]
    even = 1 / maps.visible.sum(axis=-1)[looks.places]  # [query]
    query = np.arange(n_words)
    for nearest in NEAREST:
        allowed = looks.counts & (np.abs(looks.distance) >= nearest)
        strongest = [np.where(allowed, weights[some], -1).argmax(axis=-1) for some in parts(weights)]
        key = np.concatenate(strongest)  # [head, query]
        weight = np.take_along_axis(weights, key[..., None], axis=-1)[..., 0].astype(np.float64)
        far = column(looks.distance[query, key])
        above = weight - (even if usual is None else np.take_along_axis(usual, far, axis=-1))
        counts = allowed[query, key] & (word[key] != word)
        value = np.where(counts, above * rare[key], -np.inf)  # [head, query]
        reached = np.full((n_words, len(names)), -np.inf)  # [query, word looked at]
        np.maximum.at(reached, (np.broadcast_to(query, key.shape), word[key]), value)
        second = np.sort(reached, axis=-1)[:, -2] if len(names) > 1 else np.full(n_words, -np.inf)
        ranked = np.where(second >= LEAST, second * rare**QUERY, -np.inf)  # [query]
        chosen = int(ranked.argmax())
        if ranked[chosen] > 0:
            targets = np.argsort(-reached[chosen], kind="stable")[:2]
            heads = sorted(
                (
                    int(np.where(word[key[:, chosen]] == target, value[:, chosen], -np.inf).argmax())
                    for target in targets
                ),
                key=lambda head: key[head, chosen],  # as one reads: the word looked at that stands first
            )
            return Opening(
                (_name(maps, heads[0]), _name(maps, heads[1])),
                int(looks.places[chosen]),
                tuple(int(looks.places[key[head, chosen]]) for head in heads),
                tuple(float(weight[head, chosen]) for head in heads),
                tuple(float("nan") if usual is None else float(usual[head, far[head, chosen]]) for head in heads),
            )
    return None


def _standing_out(maps: AttentionMaps, habit: Habit | None) -> tuple[HeadId, HeadId]:
    """Return the heads whose strongest look from word to word stands out most, the two at different words."""
    every = maps.weights.reshape(-1, maps.n_queries, maps.n_keys)
    strongest, margins = [], []
    for some in parts(every):
        margin = _stands_out(maps, some).reshape(len(every[some]), -1)  # [head, look]
        best = np.where(np.isfinite(margin), every[some].reshape(margin.shape), -1).argmax(axis=-1)
        strongest.append(best)
        margins.append(np.take_along_axis(margin, best[:, None], axis=-1)[:, 0])
    query, key = np.unravel_index(np.concatenate(strongest), every.shape[1:])
    heads, number = np.arange(len(every)), np.cumsum([token.word is not None for token in maps.tokens])
    usual = 0 if habit is None else habit.weights.reshape(len(every), -1)[heads, column(number[key] - number[query])]
    order = _best_heads(np.concatenate(margins) - usual)
    first, rest = order[0], order[1:] or order[:1]
    second = next((head for head in rest if key[head] != key[first]), rest[0])
    return _name(maps, first), _name(maps, second)


def _stands_out(maps: AttentionMaps, some: slice = slice(None)) -> np.ndarray:
    """Return of some heads by how much each look exceeds the strongest look of any other word at the same word.

    Float64 [head, query, key] with all heads on one axis; −inf where there is no look: hidden, not between words, or
    from a word to itself.
    """
    rows = np.array([token.word is not None for token in maps.tokens], dtype=bool)
    columns = np.array([token.word is not None for token in maps.key_tokens], dtype=bool)
    weights = maps.weights.reshape(-1, maps.n_queries, maps.n_keys)[some].astype(np.float64)  # [head, query, key]
    looks = np.outer(rows, columns) & maps.visible
    if maps.kind == "self":
        np.fill_diagonal(looks, False)
    seen = np.where(looks, weights, 0)
    strongest = seen.max(axis=1, keepdims=True)  # [head, 1, key]
    rest = seen.copy()
    np.put_along_axis(rest, seen.argmax(axis=1, keepdims=True), 0, axis=1)  # one of them, if several are equal
    others = np.where(seen == strongest, rest.max(axis=1, keepdims=True), strongest)  # [head, query, key]
    return np.where(looks, weights - others, -np.inf)


def _of_readings(maps: AttentionMaps, readings: Sequence[Reading], habit: Habit | None) -> Opening:
    """Return the heads in which the looks that two readings join stand out most.

    One direction serves both readings, so that the two heads can be compared; each its own only where a mask hides
    one direction from one reading and the other from the other.
    """
    margin = _stands_out(maps)
    links = [link_positions(maps, reading) for reading in readings]
    to_pivot = [np.max([margin[:, partner, pivot] for pivot, partner in pairs], axis=0) for pairs in links]
    from_pivot = [np.max([margin[:, pivot, partner] for pivot, partner in pairs], axis=0) for pairs in links]
    reached = [sum(float(values.max()) for values in direction) for direction in (to_pivot, from_pivot)]
    margins = from_pivot if reached[1] > reached[0] else to_pivot  # [head] for each reading
    if not np.isfinite(reached).any():
        margins = [np.maximum(there, back) for there, back in zip(to_pivot, from_pivot, strict=True)]
    first, second = (_best_heads(values) for values in margins)
    chosen = (first[0], next((head for head in second if head != first[0]), first[0]))
    heads = (_name(maps, chosen[0]), _name(maps, chosen[1]))
    pivots = {pivot for pairs in links for pivot, _ in pairs}
    if margins is not from_pivot or len(pivots) > 1:
        return Opening(heads)
    (query,) = pivots
    keys = tuple(
        max((float(margin[head, query, partner]), partner) for _, partner in pairs)[1]
        for head, pairs in zip(chosen, links, strict=True)
    )
    weights = tuple(float(maps[head][query, key]) for head, key in zip(heads, keys, strict=True))
    if min(weights) < FAINTEST:
        return Opening(heads)
    habit, number = habit or bundled(maps), np.cumsum([token.word is not None for token in maps.tokens])
    usual = tuple(
        float("nan") if habit is None else float(habit.at(int(number[key] - number[query]))[head])
        for head, key in zip(heads, keys, strict=True)
    )
    return Opening(heads, query, keys, weights, usual)


def _best_heads(values: np.ndarray) -> list[int]:
    return [int(head) for head in np.argsort(-values, kind="stable")]


def _name(maps: AttentionMaps, flat: int) -> HeadId:
    return HeadId(*divmod(flat, maps.n_heads))
