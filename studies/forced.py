"""The forced pairs seen by a model: leans and link margins of both versions, with the words in order and shuffled."""

import functools
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from torch import Tensor

from mha.analysis.readings import leans, move_reading, reorder_words
from mha.intervention.bank import looked_together
from mha.intervention.calibrated import POINT, Floor, NamingRates, agree
from mha.intervention.outcomes import passing
from mha.intervention.patching import SEED, Versions
from mha.intervention.readout import nearness
from mha.intervention.subject import Subject, place_readings, tokens_of
from mha.maps import HeadId, Reading, Token
from mha.pairs import Pair, Swap, pair_from_row, pairs, swaps_of
from mha.words import words
from studies.files import Arrays, WorkFolder
from studies.separation import redrawn

Version = tuple[str, tuple[Reading, Reading]]

RESAMPLED = 2000  # draws of the pairs behind an interval
KEPT_APART = Path(__file__).with_name("pairs_kept.json")
OfPair = TypeVar("OfPair", Pair, Swap)


@functools.cache
def pairs_kept_apart(kind: str) -> tuple[Pair, ...]:
    """Return the pairs of one kind that were used for no choice: of a head, a limit or a threshold."""
    rows = json.loads(KEPT_APART.read_text(encoding="utf-8"))["pairs"]
    return tuple(pair_from_row(**row) for row in rows if row["kind"] == kind)


class Seen(NamedTuple):
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
            texts.append((reorder_words(text, mixed), (a, b)))
    return texts


def stored_leans(experiment: Subject, texts: Sequence[Version], work: WorkFolder) -> Seen:
    """Return leans and margins of `versions`, stored or measured now."""
    return Seen(**work.load_or_measure("seen", repr(texts), lambda: seen(experiment, texts)._asdict()))


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
    experiment: Subject, pairs: Sequence[Pair | Swap], heads: Sequence[HeadId], block: int, work: WorkFolder
) -> tuple[np.ndarray, np.ndarray]:
    """Return the separation [pair] of those of equal length, and how far patching each head moves it.

    Moves are float64 [direction, pair, head]: into the first text, into the second.
    """
    rows = []
    for pair in pairs:
        measure = partial(head_moves, experiment, pair, heads, block)
        rows.append(work.load_or_measure("patched", repr((pair, heads, block)), measure))
    equal = [row for row in rows if row]
    shape = len(equal), 2, len(heads)
    moves = np.array([row["moves"] for row in equal], dtype=np.float64).reshape(shape).swapaxes(0, 1)
    return np.array([row["separation"] for row in equal]), moves


def head_moves(experiment: Subject, pair: Pair | Swap, heads: Sequence[HeadId], block: int) -> Arrays:
    """Return the separation of one pair and the moves of each head; nothing if the lengths differ."""
    both = equal_versions(experiment, pair, block)
    if both is None:
        return {}
    (a, b), moves = both.moves([[head] for head in heads])
    return {"separation": np.array(a - b), "moves": np.array(moves)}


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
    counts = redrawn(range(len(totals)), seed=SEED)
    flat = parts.reshape(len(totals), -1)
    draws = (counts @ flat) / (counts @ totals)[:, None]  # [draw, …]
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    return np.stack([flat.sum(axis=0) / totals.sum(), low, high]).reshape(3, *parts.shape[1:])


def control_limit(
    experiment: Subject,
    forced: Sequence[Pair],
    margins: np.ndarray,
    of_pairs: tuple[np.ndarray, np.ndarray],
    work: WorkFolder,
) -> tuple[Floor, NamingRates]:
    """Return the control limit of the pairs of one kind, from its matched same-reading swaps, and the naming rates.

    ``margins`` are the score differences of the pairs [pair]; ``of_pairs`` is `patched` of them, each acting head by
    itself.
    """
    block = experiment.block_output(None)
    kind_swaps = swaps_of(forced[0].kind)
    texts = margins_at(experiment, [(swap.text, swap.readings) for swap in kind_swaps], block)
    swapped_scores = margins_at(experiment, [(swap.other, swap.readings) for swap in kind_swaps], block)
    control = [number for number, swap in enumerate(kind_swaps) if swap.place == "cue"]
    matched = [kind_swaps[number] for number in control]
    acting = [head for head in experiment.heads if head.layer < block - 1]  # direct ones left out
    turned, swap_changes = patched(experiment, matched, acting, block, work)  # [swap], [direction, swap, head]
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
    return limit, naming


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
    """
    sizes = np.abs(np.asarray(separations, dtype=np.float64))
    authors = authors or ["one"] * len(items)
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
