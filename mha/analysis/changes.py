"""Divergence of heads: between any two heads of one text, and of each head between two versions of a text.

Two texts are aligned by their longest common subsequence of words; a gap with one word on either side pairs the two.
Nothing is rescaled: the keys of a row are the paired words and one more key for everything else (sinks of either text,
marks, unpaired words). So a weight that moves from a word to a sink is a change, too. The change of a row is the
Jensen–Shannon divergence of its two versions, base 2 (Lin 1991); the change of a head is the mean over the rows whose
word stayed. Rows that must be equal do not count: those with a single visible key, and in a causal model those before
the first changed word or mark. The *control limit* of a head is its largest change
under control words, which should not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.readings import check_change_is_read, first_change
from mha.analysis.sinks import sink_columns
from mha.analysis.statistics import Statistic
from mha.errors import InputError, ShapeError
from mha.maps import AttentionMaps, HeadId, ranked
from mha.memo import array_dataclass


def jensen_shannon(maps: AttentionMaps) -> np.ndarray:
    """Return the divergence of every two heads, in bits, [0, 1], as float64 [head, head] in the order of `maps.heads`.

    Mean over queries of JS(p, q) = H((p + q) / 2) − (H(p) + H(q)) / 2, p and q the two heads' rows; symmetric, 0 on the
    diagonal. Rows with one visible key are equal in all heads and are left out, unless all rows are of this kind.
    Absent mass counts as one more key. Its square root is a distance. Source: Clark et al. 2019, section 6.
    """
    absent = maps.absent_mass[..., None]  # [layer, head, query, 1]
    free = maps.visible.sum(axis=-1) > 1  # [query]
    rows = np.concatenate([maps.weights, absent], axis=-1).astype(np.float64)  # [layer, head, query, key + 1]
    rows = rows[:, :, free] if free.any() else rows
    rows = rows.reshape(-1, *rows.shape[2:])  # [head, query, key + 1]
    entropies = entropy(rows)  # [head, query]
    divergence = np.zeros((len(rows), len(rows)))
    for head in range(len(rows) - 1):
        mixed = entropy((rows[head] + rows[head + 1 :]) / 2)  # [later head, query]
        mean_entropies = (entropies[head] + entropies[head + 1 :]) / 2
        divergence[head, head + 1 :] = (mixed - mean_entropies).mean(axis=-1)
    return np.clip(divergence + divergence.T, 0, 1)


def effective_heads(divergence: np.ndarray) -> float:
    """Return how many different heads there are in effect: 1 when all look alike, n when no two share a look.

    exp of the entropy of the normalised eigenvalues of 1 − ``divergence`` ([head, head], in bits); that matrix has no
    negative ones (the Jensen–Shannon kernel). Source: Friedman & Dieng 2023 (the Vendi score). Some of the heads:
    ``effective_heads(divergence[:12, :12])``.

    >>> round(effective_heads(np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]])), 3)
    1.89

    Raises:
        ShapeError: the divergences are not a square of at least one head.
    """
    similarity = 1 - np.asarray(divergence, dtype=np.float64)
    if similarity.ndim != 2 or similarity.shape[0] != similarity.shape[1] or not similarity.size:
        raise ShapeError(f"Divergences are [head, head], a row and a column a head; these are {similarity.shape}.")
    shares = np.clip(np.linalg.eigvalsh(similarity), 0, None) / np.trace(similarity)
    shares = shares[shares > 0]
    return float(np.exp(-(shares * np.log(shares)).sum()))


def divergence(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the Jensen–Shannon divergence of rows in bits, [..., key] to [...], in [0, 1].

    >>> float(divergence(np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    1.0
    """
    mixed = entropy((first + second) / 2)
    return np.clip(mixed - (entropy(first) + entropy(second)) / 2, 0, 1)


def entropy(rows: np.ndarray) -> np.ndarray:
    """Return the entropy of each row in bits, [..., key] to [...]; 0 · log 0 counts as 0."""
    return -(rows * np.log2(rows, out=np.zeros_like(rows), where=rows > 0)).sum(axis=-1)


# Measures between heads; `mha.analysis.statistics.STATISTICS` has those of one head. A title is also a line of the
# glossary.
BETWEEN: tuple[Statistic, ...] = (
    Statistic(
        "divergence", "divergence", "bits", "0 to 1", "Clark et al. 2019",
        "mean over q of H((p + q) / 2) − (H(p) + H(q)) / 2", jensen_shannon,
    ),
    Statistic(
        "effective_number_of_heads", "effective number of heads", "heads", "1 to n", "",
        "exp of −Σ λ ln λ, λ the shares of the eigenvalues of 1 − divergence", effective_heads,
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Different:
    """How many different heads there are in effect: in the whole model, and in each layer."""

    whole: float
    layers: tuple[float, ...]

    @classmethod
    def from_divergence(cls, divergence: np.ndarray, n_heads: int) -> Different:
        """Return it from mean divergences [head, head] of layers of so many heads."""
        blocks = range(0, len(divergence), n_heads)
        layers = (effective_heads(divergence[start : start + n_heads, start : start + n_heads]) for start in blocks)
        return cls(effective_heads(divergence), tuple(layers))


NAMED_BEYOND = 2.0  # a head may be named if it changes by more than this many times its control limit
N_SWAPS, MOST_SWAPS = 3, 8  # control words: the fewest for a limit, and the most that are used


@dataclass(frozen=True)
class Alignment:
    """Alignment of two texts: ``pairs`` of word indices, in order of the first text.

    ``same`` is true for a pair of equal words; ``only_first`` and ``only_second`` are unpaired words.
    """

    pairs: tuple[tuple[int, int], ...]
    same: tuple[bool, ...]
    only_first: tuple[int, ...]
    only_second: tuple[int, ...]

    @property
    def changed(self) -> tuple[tuple[int, int], ...]:
        """The pairs whose words differ."""
        return tuple(pair for pair, same in zip(self.pairs, self.same, strict=True) if not same)


def align(first: Sequence[str], second: Sequence[str]) -> Alignment:
    """Return the words of two texts in pairs.

    Words are compared without case. The earliest of several longest common subsequences counts.

    >>> align(["the", "old", "man"], ["the", "young", "man"]).pairs
    ((0, 0), (1, 1), (2, 2))
    """
    common = _common([word.casefold() for word in first], [word.casefold() for word in second])
    pairs, last = list(common), (-1, -1)
    for i, j in [*common, (len(first), len(second))]:
        if (i - last[0], j - last[1]) == (2, 2):  # one word on either side of the gap
            pairs.append((i - 1, j - 1))
        last = (i, j)
    pairs.sort()
    return Alignment(
        pairs=tuple(pairs),
        same=tuple(first[i].casefold() == second[j].casefold() for i, j in pairs),
        only_first=tuple(sorted(set(range(len(first))) - {i for i, _ in pairs})),
        only_second=tuple(sorted(set(range(len(second))) - {j for _, j in pairs})),
    )


def _common(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of a longest common subsequence, in order."""
    longest = np.zeros((len(first) + 1, len(second) + 1), dtype=np.int32)  # of what begins at both places
    for i in reversed(range(len(first))):
        for j in reversed(range(len(second))):
            if first[i] == second[j]:
                longest[i, j] = longest[i + 1, j + 1] + 1
            else:
                longest[i, j] = max(longest[i + 1, j], longest[i, j + 1])
    pairs, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1, j] >= longest[i, j + 1]:
            i += 1
        else:
            j += 1
    return pairs


@array_dataclass
class Changes:
    """Attention of every head in two versions, over the paired words.

    ``first`` and ``second`` are float64 [layer, head, pair, pair + 1], the last key everything else; rows sum to 1.
    ``bits`` is the change of each row, float64 [layer, head, pair], in [0, 1]; ``counted`` bool [pair] the rows whose
    word stayed and can change. ``mean`` and ``largest`` are over these, float64 [layer, head]; they are NaN if there is
    no such row.
    """

    first: np.ndarray
    second: np.ndarray
    bits: np.ndarray
    counted: np.ndarray
    mean: np.ndarray
    largest: np.ndarray

    def strongest(self, head: tuple[int, int]) -> tuple[int, int]:
        """Return the counted row and the word, by pair, between which the head's weight changes most.

        If no word stayed, every row counts.
        """
        difference = np.abs(self.second[head] - self.first[head])[:, :-1]  # [pair, pair]
        difference = np.where(self.counted[:, None] | ~self.counted.any(), difference, -1)
        query, key = np.unravel_index(int(difference.argmax()), difference.shape)
        return int(query), int(key)


def changes(first: AttentionMaps, second: AttentionMaps, alignment: Alignment) -> Changes:
    """Return the change of each head between two recordings with equally many layers and heads.

    Raises:
        InputError: the models have different layers or heads, no words are paired, or a word is not in its maps.
        NotComparable: the model is causal, and each word that stayed comes before the first changed word or mark.
    """
    if first.weights.shape[:2] != second.weights.shape[:2]:
        shapes = " and ".join(f"{maps.n_layers} × {maps.n_heads}" for maps in (first, second))
        raise InputError(f"Heads are compared one by one within one shape of model; these have {shapes}.")
    if not alignment.pairs:
        raise InputError("The two texts have no words in common to compare.")
    numbers = list(zip(*alignment.pairs, strict=True))  # [text, pair]
    sinks = _paired_sinks(first, numbers[0]) | _paired_sinks(second, numbers[1])
    rows = [paired_rows(maps, number, sinks) for maps, number in zip((first, second), numbers, strict=True)]
    bits = divergence(rows[0], rows[1])  # [layer, head, pair]
    counts = np.array(alignment.same, dtype=bool) & ~_forced_rows(first, second, alignment)
    seen = ~sinks if first.causal and second.causal else np.full(len(sinks), (~sinks).any())  # keys of a row, so far
    if not (counts & np.logical_or.accumulate(seen)).any():  # every row has the one key of everything else
        nothing = np.full(bits.shape[:2], np.nan)
        return Changes(rows[0], rows[1], bits, np.zeros_like(counts), nothing, nothing)
    of_words = bits[..., counts]
    return Changes(rows[0], rows[1], bits, counts, of_words.mean(axis=-1), of_words.max(axis=-1))


def _forced_rows(first: AttentionMaps, second: AttentionMaps, alignment: Alignment) -> np.ndarray:
    """Return the pairs whose rows a causal mask makes equal, bool [pair]."""
    is_isolated = np.array(
        [not (_sees_others(first, i) or _sees_others(second, j)) for i, j in alignment.pairs], dtype=bool
    )
    same_model = (first.model, first.revision, first.origin) == (second.model, second.revision, second.origin)
    pieces = [maps.merged_axes().tokens for maps in (first, second)]
    texts = [[token.text for token in tokens] for tokens in pieces]
    if not (first.causal and second.causal and same_model) or texts[0] == texts[1]:
        return is_isolated
    start = first_change(*texts)  # marks count
    stayed = [pair[0] for pair, same in zip(alignment.pairs, alignment.same, strict=True) if same]
    if stayed:
        check_change_is_read(pieces[0], pieces[1], stayed, first.model)
    equal = {token.word for token in pieces[0][:start]}
    return is_isolated | np.array([pair[0] in equal and pair[0] == pair[1] for pair in alignment.pairs], dtype=bool)


def _paired_sinks(maps: AttentionMaps, numbers: Sequence[int]) -> np.ndarray:
    """Return which words are attention sinks, bool [word]."""
    axes = maps.merged_axes()
    sinks = {token.word for token, is_sink in zip(axes.tokens, sink_columns(maps, merge=True), strict=True) if is_sink}
    return np.array([number in sinks for number in numbers], dtype=bool)


def _sees_others(maps: AttentionMaps, number: int) -> bool:
    """Return whether the mask lets a word attend to more than itself."""
    axes = maps.merged_axes()
    place = next((place for place, token in enumerate(axes.tokens) if token.word == number), None)
    return place is None or bool(axes.visible[place].sum() > 1)


def paired_rows(maps: AttentionMaps, numbers: Sequence[int], sinks: np.ndarray | None = None) -> np.ndarray:
    """Return the rows of some words over these words and everything else, float64 [layer, head, word, word + 1].

    ``numbers`` are word indices; a row's last key has the rest: ``sinks`` (bool [word]), special tokens, marks, other
    words and absent mass.

    Raises:
        InputError: the word does not exist.
    """
    word_maps = maps.merged()
    places = {token.word: place for place, token in enumerate(word_maps.tokens) if token.word is not None}
    missing = [number for number in numbers if number not in places]
    if missing:
        raise InputError(f"The recording has {len(places)} words; word {missing[0]} is not one of them.")
    positions = [places[number] for number in numbers]
    words = word_maps.weights[:, :, positions][..., positions].astype(np.float64)  # [layer, head, word, word]
    if sinks is not None:
        words[..., sinks] = 0
    remainder = np.clip(1 - words.sum(axis=-1, keepdims=True), 0, None)
    rows = np.concatenate([words, remainder], axis=-1)
    return rows / rows.sum(axis=-1, keepdims=True)  # rounding of float32 only


@array_dataclass
class ChangeLimit:
    """The control limit of each head's change: its largest change under neutral swaps of the same word.

    ``swaps`` float64 [swap, layer, head] are the changes of the swaps, ``values`` float64 [layer, head] the largest of
    them. ``beyond`` and ``twice`` are bool [layer, head]: larger than the limit, and than twice the limit. ``by_swap``
    is the number of heads that each swap moves further than twice the limit of the others, largest first.
    """

    changes: Changes
    swaps: np.ndarray
    values: np.ndarray
    beyond: np.ndarray
    twice: np.ndarray
    by_swap: tuple[int, ...]

    @property
    def named_heads(self) -> np.ndarray:
        """The heads beyond twice their limit, bool [layer, head]; all False if a swap has as many."""
        return self.twice & (self.twice.sum() > self.by_swap[0])

    @property
    def ranked(self) -> list[HeadId]:
        """The heads further than twice their limit, named or not, by change minus limit, largest first."""
        excess = np.where(self.twice, self.changes.mean - self.values, -np.inf)
        return list(ranked(excess)[: int(self.twice.sum())])

    @property
    def expected(self) -> float:
        """How many heads would lie beyond every swap, were the change one more neutral swap: 1 in (swaps + 1)."""
        return self.values.size / (len(self.swaps) + 1)


def change_limit(changes_of_text: Changes, swaps: Sequence[Changes]) -> ChangeLimit:
    """Return changes with those of neutral swaps of the same word; all are means over the same rows.

    Raises:
        InputError: there are fewer than three swaps, or they count other rows.
    """
    if len(swaps) < N_SWAPS:
        raise InputError(f"A control limit needs {N_SWAPS} control words; there are {len(swaps)}.")
    if any(
        len(swap.counted) != len(changes_of_text.counted) or (swap.counted != changes_of_text.counted).any()
        for swap in swaps
    ):
        raise InputError("A neutral swap changes the same word, and leaves the same words as they are.")
    swap_changes = np.stack([swap.mean for swap in swaps])  # [swap, layer, head]
    limit = swap_changes.max(axis=0)
    limits = (np.delete(swap_changes, place, axis=0).max(axis=0) for place in range(len(swap_changes)))
    by_swap = sorted(
        (
            int((change > NAMED_BEYOND * limit_of_others).sum())
            for change, limit_of_others in zip(swap_changes, limits, strict=True)
        ),
        reverse=True,
    )
    twice = changes_of_text.mean > NAMED_BEYOND * limit
    return ChangeLimit(changes_of_text, swap_changes, limit, changes_of_text.mean > limit, twice, tuple(by_swap))
