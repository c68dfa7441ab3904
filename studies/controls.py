"""Controls over pairs and swaps: the floor of a kind, two words for each reading, and the paths between heads.

Steps of `studies.calibrate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.stats import fisher_exact

from mha.analysis.calibration import DRAWS as RESAMPLED
from mha.analysis.floor import POINT, Floor, NamingRates, TwoWords, TwoWordsRates, agree
from mha.analysis.placebo import KeptApart, Placebo
from mha.errors import ShapeError
from mha.intervention.calibrated import Carrying, Followed, KeptPath, KindCalibration
from mha.intervention.outcomes import Threes, passing
from mha.intervention.patching import SEED, TOGETHER
from mha.intervention.paths import SentOutputs, control_senders
from mha.intervention.subject import Subject
from mha.maps import HeadId
from mha.pairs import KINDS, Pair, Swap, matched_swaps_of, pairs_of, swaps_of
from mha.stepwise import Steps, finished
from studies.forced import (
    Seen,
    equal_versions,
    followed_pairs,
    margins_at,
    pairs_kept_apart,
    pairs_with_leans,
    patched,
    share_interval,
)
from studies.separation import bootstrap_mean, pair_accuracy


def with_floor(
    experiment: Subject, forced: Sequence[Pair], of_pairs: tuple[np.ndarray, np.ndarray], found: KindCalibration
) -> Steps[KindCalibration]:
    """Find a kind with its floor, from the matched same-reading swaps, two words for each reading, and naming rates.

    ``forced`` are its pairs, in the order of its scores; ``of_pairs`` is `patched` of them, each acting head by itself.
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
    placebo = Placebo(
        largest_moves(parts),
        largest_moves(moved),
        numbered([f"{one.author} {one.item}" for one in equal]),
        numbered([one.author for one in equal]),
    )
    margins = found.scores.a[at] - found.scores.b[at]
    passes = [limit.passes(margin) for margin in margins]
    stopped = yield from margins_at(experiment, [(with_other_end(one.a), one.readings) for one in forced], at)
    stopped -= yield from margins_at(experiment, [(with_other_end(one.b), one.readings) for one in forced], at)
    same = [limit.passes(margin) == does for margin, does in zip(stopped, passes, strict=True)]
    limit = replace(limit, full_stop=float(np.mean(same)) if same else float("nan"))
    apart = yield from kept_apart(experiment, pairs_kept_apart(found.kind), acting, at)
    return replace(found, floor=limit, two_words=rates, naming=naming, placebo=placebo, kept_apart=apart)


def kept_apart(
    experiment: Subject, pairs: Sequence[Pair], acting: Sequence[Sequence[HeadId]], at: int
) -> Steps[KeptApart]:
    """Find how far the whole change and its largest head move the score, of pairs that nothing was chosen with."""
    scores = yield from margins_at(experiment, [(one.a, one.readings) for one in pairs], at)
    scores -= yield from margins_at(experiment, [(one.b, one.readings) for one in pairs], at)
    _, moved = yield from patched(experiment, pairs, acting, at)
    return KeptApart(scores, largest_moves(moved))


def largest_moves(moved: np.ndarray) -> np.ndarray:
    """Return how far the largest head moves the score of each change, of those whose two directions agree; else 0.

    ``moved`` is float64 [direction, change, head], the result [change].
    """
    sizes = np.where(agree(*moved), np.abs(moved.mean(axis=0)), 0)
    return np.asarray(sizes.max(axis=1, initial=0), dtype=np.float64)


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
    table = [[sum(pairs), len(pairs) - sum(pairs)], [sum(swaps), len(swaps) - sum(swaps)]]
    p = float(fisher_exact(table, alternative="greater").pvalue)
    return NamingRates(len(swaps), sum(swaps), len(pairs), sum(pairs), p)


def two_words_rates(fours: Sequence[TwoWords]) -> TwoWordsRates:
    """Return how often two words for each reading are right and wrong."""
    return TwoWordsRates(len(fours), sum(one.right for one in fours), sum(one.wrong for one in fours))


def four_scores(chosen: Sequence[Swap], texts: np.ndarray, others: np.ndarray) -> list[TwoWords]:
    """Return the four scores of every pair that has a swap in both versions; scores are [swap]."""
    by_pair: dict[str, dict[str, tuple[float, float]]] = {}
    for one, here, there in zip(chosen, texts, others, strict=True):
        by_pair.setdefault(one.item, {})[one.version] = float(here), float(there)
    return [TwoWords(four["a"], four["b"]) for four in by_pair.values() if len(four) == 2]


def paths(
    experiment: Subject, chosen: Sequence[Pair], real: Seen, carrying: Carrying, pair_threshold: float
) -> Steps[tuple[Followed, ...]]:
    """Find the paths from the heads that carry and bring the cue to every later head that tells the versions apart.

    A receiver's pair accuracy lies above what the best head reaches by chance, and the interval of its lean difference
    above 0; its senders are those of them in layers before its own.
    """
    if carrying.bringing is None:
        return ()
    senders = tuple(sorted(carrying.bringing.heads))
    a, b = real.leans
    telling = (pair_accuracy(a, b) > pair_threshold) & (bootstrap_mean(a - b)[0] > 0)
    swapped = pairs_with_leans(experiment, matched_swaps_of(chosen[0].kind)) if chosen else ()
    groups: dict[tuple[HeadId, ...], list[HeadId]] = {}
    for head in experiment.heads:
        before = tuple(one for one in senders if one.layer < head.layer)
        if telling[head] and before and head not in senders:
            groups.setdefault(before, []).append(head)
    found = []
    for sending, receivers in groups.items():
        others = control_senders(sending, experiment.n_heads, senders)
        variants = [SentOutputs(sending), SentOutputs(sending, directly=True), *(SentOutputs(one) for one in others)]
        differences, moved = yield from followed_pairs(experiment, chosen, variants, receivers)
        turned, carried = yield from followed_pairs(experiment, swapped, variants[:1], receivers)
        for place, receiver in enumerate(receivers):
            whole = differences[:, place]
            shares = share_interval(moved.mean(axis=0)[..., place], whole)  # [end, variant]
            whole_share, direct = ((float(x), float(low), float(high)) for x, low, high in shares[:, :2].T)
            mean = float(whole.mean()) if len(whole) else float("nan")
            kept = _kept(whole, moved[:, :, 0, place], turned[:, place], carried[:, :, 0, place])
            found.append(Followed(sending, receiver, len(whole), mean, whole_share, direct, shares[0, 2:], kept))
    return tuple(found)


def _kept(of_pairs: np.ndarray, moved: np.ndarray, of_swaps: np.ndarray, carried: np.ndarray) -> KeptPath | None:
    """Return the path over swaps beside the one over pairs; changes [pair], and what is moved [direction, pair]."""
    if not len(of_swaps) or not np.abs(of_swaps).sum() > 0:
        return None
    sizes = np.abs(of_swaps)
    parts = carried.mean(axis=0) * np.sign(of_swaps)
    share, low, high = (float(end[0]) for end in share_interval(parts[:, None], sizes))
    forced = moved.mean(axis=0) * np.sign(of_pairs)
    aligned = float(forced.sum() / np.abs(of_pairs).sum())
    size = float(np.abs(of_pairs).mean())
    return KeptPath(len(sizes), float(sizes.mean()), size, (share, low, high), aligned, forced, parts)


DRAWS = 20  # a layer: about fifteen of them are without a given head of twelve


def threes(experiment: Subject) -> Threes:
    """Return what draws of three heads of each layer carry, over the pairs of all kinds."""
    generator = np.random.default_rng(SEED)
    at = experiment.block_output(None)
    drawn = np.array(
        [
            [generator.choice(experiment.n_heads, TOGETHER, replace=False) for _ in range(DRAWS)]
            for _ in range(experiment.n_layers)
        ]
    )  # [layer, draw, 3]
    sets = [[HeadId(layer, int(head)) for head in draw] for layer in range(at) for draw in drawn[layer]]
    share = np.full((len(KINDS), experiment.n_layers, DRAWS), np.nan)
    for number, kind in enumerate(KINDS):
        whole, moved = finished(patched(experiment, pairs_of(kind), sets, at))
        share[number, :at] = (moved.mean(axis=0).sum(axis=0) / whole.sum()).reshape(at, DRAWS)
    return Threes(drawn, share)


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
        ShapeError: there is no swap, or not one name for each.
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


def numbered(names: Sequence[str]) -> np.ndarray:
    """Return names as numbers, in the order in which they come first.

    >>> numbered(["b", "a", "b"])
    array([0, 1, 0])
    """
    order = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([order[name] for name in names], dtype=int)
