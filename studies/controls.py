"""Controls over pairs and swaps: the floor of a kind, and two words for each reading.

Steps of `studies.calibrate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mha.analysis.floor import POINT, Floor, NamingRates, TwoWordsRates, agree
from mha.errors import ShapeError
from mha.intervention.calibrated import KindCalibration
from mha.intervention.outcomes import passing
from mha.intervention.subject import Subject
from mha.pairs import Pair, Swap, swaps_of
from mha.stepwise import Steps
from studies.forced import RESAMPLED, equal_versions, margins_at, patched

FourScores = tuple[tuple[float, float], tuple[float, float]]  # of two words for reading A, and of two for B


def with_floor(
    experiment: Subject,
    forced: Sequence[Pair],
    margins: np.ndarray,
    of_pairs: tuple[np.ndarray, np.ndarray],
    found: KindCalibration,
) -> Steps[KindCalibration]:
    """Find a kind with its floor, from the matched same-reading swaps, two words for each reading, and naming rates.

    ``forced`` are its pairs, ``margins`` their score differences [pair]; ``of_pairs`` is `patched` of them, each acting
    head by itself.
    """
    at = experiment.block_output(None)
    chosen = swaps_of(found.kind)
    if not chosen:
        return found
    texts = yield from margins_at(experiment, [(one.text, one.readings) for one in chosen], at)
    others = yield from margins_at(experiment, [(one.other, one.readings) for one in chosen], at)
    control = [number for number, one in enumerate(chosen) if one.place == "cue"]
    matched = [chosen[number] for number in control]
    rates = two_words_rates(four_scores(chosen, texts, others))
    if not matched:
        return replace(found, two_words=rates)
    acting = [[head] for head in experiment.heads if head.layer < at - 1]  # direct ones left out
    equal = [one for one in matched if equal_versions(experiment, one, at) is not None]
    turned, moved = yield from patched(experiment, equal, acting, at)  # [swap], [direction, swap, head]
    limit = floor(
        (texts - others)[control],
        [one.item for one in matched],
        [one.author for one in matched],
        np.abs(moved.mean(axis=0)).max(axis=1, initial=0),
    )
    whole, parts = of_pairs[0], of_pairs[1][..., : len(acting)]  # direct ones come last
    naming = naming_rates(naming_any(limit, turned, moved), naming_any(limit, whole, parts))
    passes = [limit.passes(margin) for margin in margins]
    stopped = yield from margins_at(experiment, [(with_other_end(one.a), one.readings) for one in forced], at)
    stopped -= yield from margins_at(experiment, [(with_other_end(one.b), one.readings) for one in forced], at)
    same = [limit.passes(margin) == does for margin, does in zip(stopped, passes, strict=True)]
    limit = replace(limit, full_stop=float(np.mean(same)) if same else float("nan"))
    return replace(found, floor=limit, two_words=rates, naming=naming)


def with_other_end(text: str) -> str:
    """Return a text without its final full stop, or with one where it has none.

    >>> with_other_end("I ran."), with_other_end("I ran")
    ('I ran', 'I ran.')
    """
    return text[:-1] if text.endswith(".") else f"{text}."


def naming_any(limit: Floor, separations: np.ndarray, moved: np.ndarray) -> list[bool]:
    """Return of each change beyond the limit whether any head would be named, as `Patch.named_beyond` names them.

    ``moved`` is float64 [direction, change, head], in units of the score.
    """
    found = []
    for separation, both in zip(separations, moved.swapaxes(0, 1), strict=True):
        if limit.passes(separation):
            into = both / separation  # [direction, head]
            found.append(bool((passing(into.mean(axis=0), separation, limit) & agree(*into)).any()))
    return found


def naming_rates(swaps: Sequence[bool], pairs: Sequence[bool]) -> NamingRates:
    """Return the naming rates of changes beyond the limit; each value is whether the change names a head."""
    return NamingRates(len(swaps), sum(swaps), len(pairs), sum(pairs))


def two_words_rates(fours: Sequence[FourScores]) -> TwoWordsRates:
    """Return how often both words for A score above both words for B, and below."""
    return TwoWordsRates(len(fours), sum(min(a) > max(b) for a, b in fours), sum(max(a) < min(b) for a, b in fours))


def four_scores(chosen: Sequence[Swap], texts: np.ndarray, others: np.ndarray) -> list[FourScores]:
    """Return the four scores of every pair that has a swap in both versions; scores are [swap]."""
    by_pair: dict[str, dict[str, tuple[float, float]]] = {}
    for one, here, there in zip(chosen, texts, others, strict=True):
        by_pair.setdefault(one.item, {})[one.version] = float(here), float(there)
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
    for one in dict.fromkeys(names):
        groups.setdefault(one[0], []).append(np.flatnonzero([name == one for name in names]))
    of_authors = list(groups.values())
    generator = np.random.default_rng(0)
    drawn = []
    for _ in range(draws):
        some = [of_authors[a] for a in generator.integers(len(of_authors), size=len(of_authors))]
        chosen = [one[item] for one in some for item in generator.integers(len(one), size=len(one))]
        drawn.append(np.quantile(sizes[np.concatenate(chosen)], POINT))
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Floor(np.sort(sizes), float(low), float(high), np.sort(np.asarray(heads, dtype=np.float64)))
