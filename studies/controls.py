"""Controls over pairs and swaps: the floor of a kind, and two words for each reading.

Parts of `studies.calibrate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mha.analysis.floor import POINT, Floor, NamingRates, TwoWordsRates, agree
from mha.errors import ShapeError
from mha.intervention.outcomes import passing
from mha.intervention.subject import Subject
from mha.pairs import Pair, Swap, swaps_of
from studies.forced import RESAMPLED, equal_versions, margins_at, patched
from studies.parts import MeasuredKind

FourScores = tuple[tuple[float, float], tuple[float, float]]  # of two words for reading A, and of two for B


def with_floor(
    experiment: Subject,
    forced: Sequence[Pair],
    margins: np.ndarray,
    of_pairs: tuple[np.ndarray, np.ndarray],
    calibration: MeasuredKind,
) -> MeasuredKind:
    """Return a kind with its floor, from the matched same-reading swaps, two words for each reading, and naming rates.

    ``forced`` are its pairs, ``margins`` their score differences [pair]; ``of_pairs`` is `patched` of them, each acting
    head by itself.
    """
    block = experiment.block_output(None)
    kind_swaps = swaps_of(calibration.kind)
    if not kind_swaps:
        return calibration
    texts = margins_at(experiment, [(swap.text, swap.readings) for swap in kind_swaps], block)
    swapped_scores = margins_at(experiment, [(swap.other, swap.readings) for swap in kind_swaps], block)
    control = [number for number, swap in enumerate(kind_swaps) if swap.place == "cue"]
    matched = [kind_swaps[number] for number in control]
    rates = two_words_rates(four_scores(kind_swaps, texts, swapped_scores))
    if not matched:
        return replace(calibration, two_words=rates)
    acting = [[head] for head in experiment.heads if head.layer < block - 1]  # direct ones left out
    equal = [swap for swap in matched if equal_versions(experiment, swap, block) is not None]
    turned, swap_changes = patched(experiment, equal, acting, block)  # [swap], [direction, swap, head]
    limit = floor(
        (texts - swapped_scores)[control],
        [swap.item for swap in matched],
        [swap.author for swap in matched],
        np.abs(swap_changes.mean(axis=0)).max(axis=1, initial=0),
    )
    totals, parts = of_pairs[0], of_pairs[1][..., : len(acting)]  # direct ones come last
    naming = naming_rates(naming_any(limit, turned, swap_changes), naming_any(limit, totals, parts))
    passes = [limit.passes(margin) for margin in margins]
    stopped = margins_at(experiment, [(with_other_end(swap.a), swap.readings) for swap in forced], block)
    stopped -= margins_at(experiment, [(with_other_end(swap.b), swap.readings) for swap in forced], block)
    same = [limit.passes(margin) == does for margin, does in zip(stopped, passes, strict=True)]
    limit = replace(limit, full_stop=float(np.mean(same)) if same else float("nan"))
    return replace(calibration, floor=limit, two_words=rates, naming=naming)


def with_other_end(text: str) -> str:
    """Return a text without its final full stop, or with one where it has none.

    >>> with_other_end("I ran."), with_other_end("I ran")
    ('I ran', 'I ran.')
    """
    return text[:-1] if text.endswith(".") else f"{text}."


def naming_any(limit: Floor, separations: np.ndarray, head_changes: np.ndarray) -> list[bool]:
    """Return of each change beyond the limit whether any head would be named, as `Patch.named_beyond` names them.

    ``head_changes`` is float64 [direction, change, head], in units of the score.
    """
    is_named = []
    for separation, both in zip(separations, head_changes.swapaxes(0, 1), strict=True):
        if limit.passes(separation):
            into = both / separation  # [direction, head]
            is_named.append(bool((passing(into.mean(axis=0), separation, limit) & agree(*into)).any()))
    return is_named


def naming_rates(swaps: Sequence[bool], pairs: Sequence[bool]) -> NamingRates:
    """Return the naming rates of changes beyond the limit; each value is whether the change names a head."""
    return NamingRates(len(swaps), sum(swaps), len(pairs), sum(pairs))


def two_words_rates(fours: Sequence[FourScores]) -> TwoWordsRates:
    """Return how often both words for A score above both words for B, and below."""
    return TwoWordsRates(len(fours), sum(min(a) > max(b) for a, b in fours), sum(max(a) < min(b) for a, b in fours))


def four_scores(kind_swaps: Sequence[Swap], texts: np.ndarray, swapped_scores: np.ndarray) -> list[FourScores]:
    """Return the four scores of every pair that has a swap in both versions; scores are [swap]."""
    by_pair: dict[str, dict[str, tuple[float, float]]] = {}
    for swap, score, swapped_score in zip(kind_swaps, texts, swapped_scores, strict=True):
        by_pair.setdefault(swap.item, {})[swap.version] = float(score), float(swapped_score)
    return [(four["a"], four["b"]) for four in by_pair.values() if len(four) == 2]


def floor(
    separations: np.ndarray,
    items: Sequence[str],
    authors: Sequence[str] = (),
    heads: Sequence[float] = (),
    draws: int = RESAMPLED,
) -> Floor:
    """Return the floor of swaps from their s [swap], with the names of their items and authors [swap].

    For the interval authors are redrawn first, then as many items of each as there are; swaps of one item stay
    together. Without authors all are of one.

    Raises:
        ShapeError: the swaps are missing, or their names differ in number.
    """
    sizes = np.abs(np.asarray(separations, dtype=np.float64))
    authors = authors or ["one"] * len(items)
    if sizes.ndim != 1 or not len(sizes) or not len(sizes) == len(items) == len(authors):
        raise ShapeError(
            f"A control limit needs swaps, and an item and an author for each; there are {sizes.shape}, {len(items)} "
            f"and {len(authors)}."
        )
    names = list(zip(authors, items, strict=True))
    groups: dict[str, list[np.ndarray]] = {}
    for author in dict.fromkeys(names):
        groups.setdefault(author[0], []).append(np.flatnonzero([name == author for name in names]))
    of_authors = list(groups.values())
    generator = np.random.default_rng(0)
    percentiles = []
    for _ in range(draws):
        drawn_authors = [of_authors[a] for a in generator.integers(len(of_authors), size=len(of_authors))]
        drawn_items = [
            author[item] for author in drawn_authors for item in generator.integers(len(author), size=len(author))
        ]
        percentiles.append(np.quantile(sizes[np.concatenate(drawn_items)], POINT))
    low, high = np.quantile(percentiles, [0.025, 0.975])
    return Floor(np.sort(sizes), float(low), float(high), np.sort(np.asarray(heads, dtype=np.float64)))
