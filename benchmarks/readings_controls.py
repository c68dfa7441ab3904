"""For `bench_readings`: the controls of single sentences, and paths, beside benchmarks/controls_expected.json.

Left out are the figures of rules that were measured and not taken: leans standardised or with position subtracted,
partners exchanged, neutral words, changes of leans. Sentences, heads and random draws are this program's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mha.analysis.floor import Floor, TwoWordsRates
from mha.analysis.leaning import COUNT
from mha.examples import EXAMPLES
from mha.intervention.calibrated import Calibration
from mha.intervention.patching import Patch
from mha.intervention.paths import SentOutputs, control_senders
from mha.intervention.subject import Subject
from mha.intervention.sweep import preference
from mha.maps import HeadId
from mha.pairs import Pair, Swap, pairs_of, swaps_of
from mha.stepwise import finished
from studies.controls import four_scores, two_words_rates
from studies.forced import followed_pairs, patched, share_interval
from studies.unusual_rate import in_other_orders, leans_of, tried_pairs, unusual_side

EXPECTED = json.loads(Path(__file__).with_name("controls_expected.json").read_text())
FAMILIES = {"attachment": "pp", "pronoun": "pron", "he/she": "gender", "relative clause": "rc"}
SHARE, DRAWN = 0.01, 0.03  # tolerances: shares and rates; intervals and random draws
SELDOM = 1  # the rule that was left: in at most so many of 20 shuffles some head reaches as far
SCORE = 0.001  # differences of the score, far smaller numbers


@dataclass(frozen=True)
class Figure:
    """One figure: what was expected, what was found, and how far apart they may be."""

    what: str
    kind: str
    expected: float
    found: float
    tolerance: float

    @property
    def within(self) -> bool:
        """Whether it is reproduced; what was written rounded gets its last digit."""
        return abs(self.found - self.expected) <= self.tolerance + 5e-4


def floor_figures(found: Calibration) -> Iterator[Figure]:
    """Yield floors, what forced pairs do beyond them, and two words for each reading."""
    for kind, family in FAMILIES.items():
        ours, expected = found.of(kind), EXPECTED["floor"][family]
        assert ours is not None
        assert ours.floor is not None
        assert ours.two_words is not None
        floor, forced = ours.floor, ours.scores.a[ours.carrying.at] - ours.scores.b[ours.carrying.at]
        yield Figure("same-reading swaps", kind, expected["n_swaps"], floor.n_swaps, 0)
        yield from _quantiles("|s| of swaps", kind, expected["same_reading_abs_separation"], floor.sizes)
        yield from _quantiles("|s| of forced pairs", kind, expected["forced_abs_separation"], np.abs(forced))
        for name, low_or_high, value in zip(("low", "high"), expected["p90_ci"], (floor.low, floor.high), strict=True):
            yield Figure(f"floor, {name}", kind, low_or_high, value, SCORE)
        rates = {"either": np.abs(forced), "right": forced, "wrong": -forced}
        for name, signed in rates.items():
            beyond = expected[f"forced_over_p90_{name}"]["rate"]
            yield Figure(f"forced pairs beyond the floor, {name}", kind, beyond, (signed > floor.phi).mean(), SHARE)
        yield Figure("forced pairs, mean s", kind, expected["forced_mean_signed"], forced.mean(), SCORE)
        larger = np.array([(np.abs(forced)[:, None] > floor.sizes).mean()])
        yield Figure("P(|s| of a pair > |s| of a swap)", kind, expected["auc_abs_forced_over_same"], larger[0], SHARE)
        bar = expected["heads"]["largest_moved_p90"]
        yield Figure("largest part of one head, nine of ten swaps", kind, bar, floor.head_bar, SCORE)
        yield from _two_words("score", kind, expected["two_by_two"]["score"], ours.two_words)


def path_figures(found: Calibration) -> Iterator[Figure]:
    """Yield the followed paths of the calibration."""
    for kind, family in FAMILIES.items():
        ours = found.of(kind)
        assert ours is not None
        for path in ours.paths:
            name = f"{'+'.join(str(head) for head in path.senders)} -> {path.receiver}"
            expected = EXPECTED["paths"][family]["edges"][name]
            yield Figure(f"{name}: pairs", kind, expected["n"], path.n_pairs, 0)
            yield Figure(f"{name}: lean difference", kind, expected["lean_difference"]["mean"], path.difference, SCORE)
            for what, key, shares in (("share", "total", path.share), ("direct", "direct_path", path.direct)):
                yield Figure(f"{name}: {what}", kind, expected[key]["share"], shares[0], SHARE)
                for end, value, ours_end in zip(("low", "high"), expected[key]["ci"], shares[1:], strict=True):
                    yield Figure(f"{name}: {what}, {end}", kind, value, ours_end, DRAWN)
            controls = expected["control_senders"]
            yield Figure(f"{name}: control sets", kind, controls["n_sets"], len(path.control), 0)
            for end, value, ours_end in zip(
                ("min", "max"), controls["range"], (path.control.min(), path.control.max()), strict=True
            ):
                yield Figure(f"{name}: controls, {end}", kind, value, ours_end, DRAWN)


def other_paths(experiment: Subject) -> Iterator[Figure]:
    """Yield what the calibration leaves out: other senders, one sender, at the pivot and at the partners only."""
    for kind, family in FAMILIES.items():
        for name, expected in EXPECTED["paths"][family]["edges"].items():
            names, receiver = name.split(" -> ")
            senders = tuple(HeadId.parse(one) for one in names.split("+"))
            controls = [
                SentOutputs(one, directly=True) for one in control_senders(senders, experiment.n_heads, senders)
            ]
            sent = [
                SentOutputs(senders),
                SentOutputs(senders, directly=True),
                *(SentOutputs((one,)) for one in senders),
                *controls,
            ]
            whole, moved_by = finished(followed_pairs(experiment, pairs_of(kind), sent, [HeadId.parse(receiver)]))
            found = share_interval(moved_by.mean(axis=0)[..., 0], whole[:, 0])[0]
            into = moved_by[:, :, 0, 0].sum(axis=1) / whole.sum()
            keys = ("total", "direct_path")
            rows = [(key, expected[key]["share"], found[place], SHARE) for place, key in enumerate(keys)]
            rows += [(key, expected[key]["share"], into[way], SHARE) for way, key in enumerate(("into_a", "into_b"))]
            rows += [
                (f"{one} alone", expected["one_sender"][str(one)]["share"], found[2 + place], SHARE)
                for place, one in enumerate(senders)
            ]
            direct, low_high = found[2 + len(senders) :], expected["control_direct"]["range"]
            rows += [("controls, directly, min", low_high[0], direct.min(), DRAWN)]
            rows += [("controls, directly, max", low_high[1], direct.max(), DRAWN)]
            for what, value, ours, tolerance in rows:
                yield Figure(f"{name}: {what}", kind, value, float(ours), tolerance)


def example_figures(found: Calibration) -> Iterator[Figure]:
    """Yield the bundled examples before their floors."""
    by_label = {example.label: example for example in EXAMPLES}
    for row in EXPECTED["examples"]:
        example = by_label[row["label"]]
        contrast = example.contrast and f"{example.contrast.rstrip('.')}."
        assert contrast is not None
        here, there = (preference(text, example.readings, model="minilm") for text in (example.sentence, contrast))
        signed = (here - there) * (1 if example.forces == "B" else -1)
        yield Figure("separation", example.label, row["separation_towards_forced"], signed, SCORE)
        ours = found.of(example.kind)
        if ours is not None and ours.floor is not None:
            floor = ours.floor
            percentile = floor.percentile(signed)
            yield Figure("percentile of swaps", example.label, row["percentile_of_same_reading"], percentile, SHARE)
            yield Figure("passes", example.label, row["passes"], signed > floor.phi, 0)


def head_figures(experiment: Subject, found: Calibration) -> Iterator[Figure]:
    """Yield when heads are named, on swaps and on forced pairs, and what they carry in each direction."""
    for kind, family in FAMILIES.items():
        ours, expected = found.of(kind), EXPECTED["floor"][family]["heads"]
        assert ours is not None
        assert ours.floor is not None
        forced = patches(experiment, pairs_of(kind), ours.carrying.at)
        same = patches(experiment, swaps_of(kind), ours.carrying.at)
        for what, some in (("forced", forced), ("same_reading", same)):
            largest = np.array([_largest_move(one) for one in some])
            yield from _quantiles(f"{what}: largest part", kind, expected[what]["largest_moved"], largest)
            for name, value in (("too_close", [one.too_close for one in some]), ("names_some", _named(some))):
                yield Figure(f"{what}: {name}", kind, expected[what][name]["rate"], float(np.mean(value)), SHARE)
            beyond = [bool(one.named) and _passes(ours.floor, one, right_way=what == "forced") for one in some]
            rate = expected["names_some_with_floor"][what]["rate"]
            yield Figure(f"{what}: names some, beyond the floor", kind, rate, float(np.mean(beyond)), SHARE)
        bar = float(np.mean([_largest_move(one) > ours.floor.head_bar for one in forced]))
        yield Figure("forced pairs beyond the bar", kind, expected["forced_largest_over_p90"]["rate"], bar, SHARE)
        yield from direction_figures(kind, EXPECTED["directions"].get(family, {}), forced)


def _largest_move(found: Patch) -> float:
    """Return the most that one head moves the margin, direct ones left out, in units of the score; NaN if none can."""
    sizes = np.abs(np.where(found.direct, np.nan, found.carried) * found.separation)
    return float(np.nanmax(sizes)) if np.isfinite(sizes).any() else float("nan")


def direction_figures(kind: str, expected: dict[str, Any], forced: Sequence[Patch]) -> Iterator[Figure]:
    """Yield shares of both directions over pairs, and how often they disagree where the head is named."""
    whole = np.array([one.separation for one in forced])
    for name, row in expected.items():
        head = HeadId.parse(name)
        ways = np.array([(one.into_text[head], one.into_contrast[head]) for one in forced]) * whole[:, None]
        shares = share_interval(np.column_stack([ways, ways[:, 0] - ways[:, 1]]), whole)  # [end, way]
        for place, key in enumerate(("a_from_b", "b_from_a", "difference")):
            yield Figure(f"{name}: {key}", kind, row[key]["share"], shares[0, place], SHARE)
            for end, value, ours in zip(("low", "high"), row[key]["ci"], shares[1:, place], strict=True):
                yield Figure(f"{name}: {key}, {end}", kind, value, ours, DRAWN)
        ways = np.sort([(one.into_text[head], one.into_contrast[head]) for one in forced])
        every = ways[:, 1] > 2 * ways[:, 0]  # as expected: two directions that are both negative count as apart
        apart = np.array([not one.both_ways[head] for one in forced])
        named = np.array([head in one.named for one in forced])
        yield Figure(f"{name}: apart", kind, row["apart_over_2_all"]["rate"], float(every.mean()), SHARE)
        yield Figure(f"{name}: named", kind, row["apart_over_2_where_named"]["n"], float(named.sum()), 0)
        rate = row["apart_over_2_where_named"]["rate"]
        yield Figure(f"{name}: apart where named", kind, rate, float(apart[named].mean()), SHARE)


def patches(experiment: Subject, chosen: Sequence[Pair | Swap], at: int) -> list[Patch]:
    """Return what each head carries in every pair of equal length."""
    acting = [[head] for head in experiment.heads if head.layer < at]
    whole, ways = finished(patched(experiment, chosen, acting, at))  # [direction, pair, head]
    shape = experiment.n_layers, experiment.n_heads
    direct = np.zeros(shape, dtype=bool)
    direct[at - 1] = True
    found = []
    for separation, moves in zip(whole, ways.swapaxes(0, 1), strict=True):
        into = np.full((2, *shape), np.nan)
        into[:, :at] = (moves / separation).reshape(2, at, -1)
        nothing = np.full((shape[0], 0), np.nan)
        found.append(Patch("", "", at, (separation, 0.0), into.mean(axis=0), nothing, direct, (), into[0], into[1]))
    return found


def lean_figures(experiment: Subject, _found: Calibration, kind: str) -> Iterator[Figure]:
    """Yield how often the leans of one sentence are called unusual by both rules, over one kind's forced sentences."""
    rows = EXPECTED["position"]["kinds"][FAMILIES[kind]]
    forced = [(text, pair.readings, side) for pair in tried_pairs(kind) for text, side in ((pair.a, 1), (pair.b, -1))]
    found = [claims(experiment, text, readings) for text, readings, _ in forced]
    for place, rule in enumerate(("shuffles_199_max", "shuffles_20_sides_apart")):
        sides = [(claim[place], side) for claim, (_, _, side) in zip(found, forced, strict=True)]
        hit = float(np.mean([side in claimed for claimed, side in sides]))
        false = float(np.mean([-side in claimed for claimed, side in sides]))
        expected = rows["rules"][rule]
        yield Figure(f"{rule}: sentences", kind, expected["hit"]["n"], len(forced), 0)
        yield Figure(f"{rule}: hit", kind, expected["hit"]["rate"], hit, DRAWN)
        yield Figure(f"{rule}: false", kind, expected["false_other_reading"]["rate"], false, DRAWN)


def claims(experiment: Subject, text: str, readings: Sequence[Any]) -> tuple[set[int], set[int]]:
    """Return the sides (1 for A, −1 for B) that each rule names in one sentence: 199 shuffles, and 20."""
    summary = in_other_orders(experiment, text, readings)
    side, here = unusual_side(summary), summary.lean
    unusual = {{"A": 1, "B": -1}[side]} if side else set()
    few = summary.leans[:COUNT].reshape(COUNT, -1)
    reached = {1: (few.max(axis=1) >= here.max()).sum(), -1: (few.min(axis=1) <= here.min()).sum()}
    return unusual, {side for side, count in reached.items() if count <= SELDOM}


def two_words_of_heads(experiment: Subject) -> Iterator[Figure]:
    """Yield two words for each reading, by the leans of the telling heads."""
    for kind, family in FAMILIES.items():
        chosen = swaps_of(kind)
        texts, others = (
            leans_of(experiment, [getattr(one, side) for one in chosen], [one.readings for one in chosen])
            for side in ("text", "other")
        )
        for name, expected in EXPECTED["floor"][family]["two_by_two"].items():
            if name.startswith("L"):
                head = HeadId.parse(name)
                fours = four_scores(chosen, texts[:, head.layer, head.head], others[:, head.layer, head.head])
                yield from _two_words(name, kind, expected, two_words_rates(fours))


def _two_words(what: str, kind: str, expected: dict[str, Any], ours: TwoWordsRates) -> Iterator[Figure]:
    for name, (rate, low, high) in (("right", ours.right), ("wrong", ours.wrong)):
        row = expected[name]
        yield Figure(f"two words, {what}: n", kind, row["n"], ours.n, 0)
        yield Figure(f"two words, {what}: {name}", kind, row["rate"], rate, SHARE)
        yield Figure(f"two words, {what}: {name}, low", kind, row["ci"][0], low, DRAWN)
        yield Figure(f"two words, {what}: {name}, high", kind, row["ci"][1], high, DRAWN)


def _quantiles(what: str, kind: str, expected: dict[str, float], ours: np.ndarray) -> Iterator[Figure]:
    for (name, value), found in zip(expected.items(), np.quantile(ours, [0.5, 0.75, 0.9, 0.95]), strict=True):
        yield Figure(f"{what}, {name}", kind, value, float(found), SCORE)


def _passes(floor: Floor, one: Patch, right_way: bool) -> bool:
    return floor.passes(one.separation) and (one.separation > 0 or not right_way)


def _named(some: Sequence[Patch]) -> list[bool]:
    return [bool(one.named) for one in some]
