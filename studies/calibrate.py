"""``python -m studies.calibrate MODEL`` measures a model on the test pairs and writes its calibration.

The file is ``assets/calibration_MODEL.json``, MiniLM's if no model is named. Finished parts are kept, so a run that was
stopped goes on where it was. ``python -m tools.sums`` then writes the hash of a bundled file.
"""

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from mha import assets
from mha.analysis.readings import N_ORDERS
from mha.errors import InputError, MHAError
from mha.intervention.bank import COPY_SEEDS
from mha.intervention.induction import scrambled_copy
from mha.intervention.subject import Subject, subject
from mha.models.files.catalog import DEFAULT, model_row
from mha.pairs import KINDS, LATE_KINDS, pairs_of
from studies.forced import Seen, pairs_with_leans, patched, seen, share_interval, versions, with_floor
from studies.parts import MeasuredKind, Parts, write
from studies.separation import auc, bootstrap_auc, bootstrap_mean, hits, pair_accuracy
from studies.separation import permutation_threshold as threshold
from studies.separation import telling as beats_all

NOTHING = Parts()  # is kept


def measured_kinds(causal: bool) -> tuple[str, ...]:
    """Return the kinds whose test pairs can move the score of a model, causal or not."""
    return tuple(kind for kind in KINDS if not (causal and kind in LATE_KINDS))


def calibrated(experiment: Subject, parts: Parts = NOTHING) -> dict[str, Any]:
    """Return a model's calibration, with stored parts reused.

    One scrambled copy at a time is in memory. A causal model has no `LATE_KINDS`: its scores are always equal in both
    versions. Its leans leave out pairs that name the first word, and its shuffles keep that word.
    """
    kinds = measured_kinds(experiment.causal)
    pairs_by_kind = {kind: pairs_with_leans(experiment, pairs_of(kind)) for kind in kinds}
    real: dict[str, Seen] = {}
    shuffled: dict[str, list[Seen]] = {kind: [] for kind in kinds}
    scrambled: dict[str, list[Seen]] = {kind: [] for kind in kinds}
    calibrations: dict[str, MeasuredKind] = {}
    for kind, pairs in pairs_by_kind.items():
        real[kind] = parts.part(kind, seen, experiment, versions(pairs))
        for order in range(N_ORDERS):
            mixed = versions(pairs, order, fixed=int(experiment.causal))
            shuffled[kind].append(parts.part(f"{kind} order {order}", seen, experiment, mixed))
    for seed in COPY_SEEDS:
        copy_of_model = subject(scrambled_copy(experiment.loaded, seed))
        for kind, pairs in pairs_by_kind.items():
            scrambled[kind].append(parts.part(f"{kind} twin {seed}", seen, copy_of_model, versions(pairs)))
    block = experiment.block_output(None)
    one_each = [[head] for head in experiment.heads if head.layer < block]
    for kind, pairs in pairs_by_kind.items():
        separation = telling_heads(real[kind], shuffled[kind], scrambled[kind])
        moved = parts.part(f"{kind} moved", patched, experiment, pairs, one_each, block)
        calibration = MeasuredKind(kind, len(pairs), separation, carrying_heads(experiment, moved))
        a, b = real[kind].margins[:, block]  # [pair]
        calibrations[kind] = parts.part(f"{kind} measured", with_floor, experiment, pairs, a - b, moved, calibration)
    return {"model": experiment.name, "revision": experiment.loaded.row.revision, "kinds": calibrations}


def telling_heads(real: Seen, shuffled: Sequence[Seen], scrambled: Sequence[Seen]) -> dict[str, Any]:
    """Return how well leans separate the versions, and the controls."""
    a, b = real.leans
    orders = np.array([auc(*recordings.leans) for recordings in shuffled])  # [order, layer, head]
    order_hits = np.array([hits(*recordings.leans) for recordings in shuffled])  # [order, pair, layer, head]
    twin_auc = np.array([auc(*recordings.leans).max() for recordings in scrambled])
    twin_pair = np.array([pair_accuracy(*recordings.leans).max() for recordings in scrambled])
    low, high = bootstrap_auc(a, b)
    beyond_low, beyond_high = bootstrap_mean(hits(a, b) - order_hits.mean(axis=0))
    pair, chance = pair_accuracy(a, b), threshold(a, b, pairwise=True)
    shuffled_best = float(order_hits.mean(axis=1).max(axis=(1, 2)).mean())
    return {
        "auc": auc(a, b),
        "auc_low": low,
        "auc_high": high,
        "pair": pair,
        "shuffled_auc": orders.mean(axis=0),
        "shuffled_pair": order_hits.mean(axis=(0, 1)),
        "beyond_words_low": beyond_low,
        "beyond_words_high": beyond_high,
        "telling": beats_all(pair, chance, max(float(twin_pair.max()), shuffled_best), beyond_low).astype(float),
        "auc_threshold": threshold(a, b),
        "pair_threshold": chance,
        "shuffled_best": float(orders.max(axis=(1, 2)).mean()),
        "shuffled_best_pair": shuffled_best,
        "twin_auc": twin_auc,
        "twin_pair": twin_pair,
        "twin_lean": np.array([_largest(recordings) for recordings in scrambled]),
        "largest_lean": _largest(real),
    }


def carrying_heads(experiment: Subject, score_changes: tuple[np.ndarray, np.ndarray]) -> dict[str, Any]:
    """Return the share that each head carries over the pairs.

    ``score_changes`` is `patched` of them, with each acting head alone.
    """
    block = experiment.block_output(None)
    totals, parts = score_changes[0], score_changes[1].mean(axis=0)  # [pair], [pair, head]
    share, low, high = np.full((3, experiment.n_layers, experiment.n_heads), np.nan)
    for array, values in zip((share, low, high), share_interval(parts, totals), strict=True):
        array[:block] = values.reshape(block, -1)
    return {"n_pairs": len(totals), "at": block, "share": share, "low": low, "high": high}


def _largest(recordings: Seen) -> float:
    """Return the largest lean of any head, either way, mean over sentences."""
    return float(np.abs(recordings.leans).max(axis=(2, 3)).mean())


def measurable(model: str) -> Subject:
    """Return a model that can be measured on the test pairs.

    Raises:
        InputError: it reads no English sentences, or has no revision that a measurement could belong to.
        UnknownModel: no such model is on offer.
    """
    row = model_row(model)
    if row.kind != "transformer" or row.example:
        raise InputError(f"{row.short} does not read English sentences, so test pairs cannot measure it.")
    if not row.revision:
        raise InputError(f"{row.short} is a local folder without a revision; offer the model by its hub id.")
    return subject(model)


def main() -> None:
    """Write a model's calibration into assets/; a stopped run goes on where it was."""
    parser = argparse.ArgumentParser(prog="python -m studies.calibrate", description=main.__doc__)
    parser.add_argument("model", nargs="?", default=DEFAULT)
    options = parser.parse_args()
    try:
        write_calibration(measurable(options.model))
    except MHAError as error:
        raise SystemExit(str(error)) from None


def write_calibration(experiment: Subject) -> None:
    """Measure a model and write its calibration; parts stay in a folder next to the file until it is complete."""
    row = experiment.loaded.row
    file = assets.model_file("calibration", row.name, "json")
    parts = Parts.for_revision(file.with_suffix(".parts"), row.revision)
    file.write_text(write(calibrated(experiment, parts)) + "\n", encoding="utf-8")
    parts.forget()


if __name__ == "__main__":
    main()
