"""``python -m studies.calibrate MODEL`` measures a model on the test pairs and writes its calibration.

The file is ``assets/calibration_MODEL.json``, MiniLM's if no model is named. Measured texts are kept in a work folder,
so a run that was stopped goes on where it was. ``python -m tools.sums`` then writes the hash of a bundled file.
"""

import argparse
import dataclasses
import json
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
from studies.files import WorkFolder
from studies.forced import Seen, control_limit, pairs_with_leans, patched, share_interval, stored_leans, versions
from studies.separation import auc, bootstrap_auc, bootstrap_mean, hits, pair_accuracy
from studies.separation import permutation_threshold as threshold
from studies.separation import telling as beats_all

DECIMALS = 4  # of the numbers in the file


def measured_kinds(causal: bool) -> tuple[str, ...]:
    """Return the kinds whose test pairs can move the score of a model, causal or not."""
    return tuple(kind for kind in KINDS if not (causal and kind in LATE_KINDS))


def calibrated(experiment: Subject, work: WorkFolder) -> dict[str, Any]:
    """Return a model's calibration, with stored measurements reused.

    One scrambled copy at a time is in memory. A causal model has no `LATE_KINDS`: its scores are always equal in both
    versions. Its leans leave out pairs that name the first word, and its shuffles keep that word.
    """
    kinds = measured_kinds(experiment.causal)
    pairs_by_kind = {kind: pairs_with_leans(experiment, pairs_of(kind)) for kind in kinds}
    real: dict[str, Seen] = {}
    shuffled: dict[str, list[Seen]] = {kind: [] for kind in kinds}
    scrambled: dict[str, list[Seen]] = {kind: [] for kind in kinds}
    calibrations: dict[str, dict[str, Any]] = {}
    for kind, pairs in pairs_by_kind.items():
        real[kind] = stored_leans(experiment, versions(pairs), work)
        for order in range(N_ORDERS):
            mixed = versions(pairs, order, fixed=int(experiment.causal))
            shuffled[kind].append(stored_leans(experiment, mixed, work))
    for seed in COPY_SEEDS:
        copy_of_model = subject(scrambled_copy(experiment.loaded, seed))
        work_of_copy = dataclasses.replace(
            work, weights=f"{work.weights}, scrambled {seed}"
        )  # sums of weights are the same
        for kind, pairs in pairs_by_kind.items():
            scrambled[kind].append(stored_leans(copy_of_model, versions(pairs), work_of_copy))
    block = experiment.block_output(None)
    acting = [head for head in experiment.heads if head.layer < block]
    for kind, pairs in pairs_by_kind.items():
        separation = telling_heads(real[kind], shuffled[kind], scrambled[kind])
        moved = patched(experiment, pairs, acting, block, work)
        a, b = real[kind].margins[:, block]  # [pair]
        limit, naming = control_limit(experiment, pairs, a - b, moved, work)
        calibrations[kind] = {
            "kind": kind, "n_pairs": len(pairs), "telling": separation, "carrying": carrying_heads(experiment, moved),
            "floor": limit, "naming": naming,
        }  # fmt: skip
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
        experiment = measurable(options.model)
    except MHAError as error:
        raise SystemExit(str(error)) from None
    content = calibration_json(calibrated(experiment, WorkFolder.for_model(experiment)))
    assets.model_file("calibration", options.model, "json").write_text(content, encoding="utf-8")


def calibration_json(calibration: dict[str, Any]) -> str:
    """Return a calibration as compact JSON."""
    return json.dumps(_packed(calibration), separators=(",", ":"), ensure_ascii=False) + "\n"


def _packed(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {field.name: _packed(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {name: _packed(item) for name, item in value.items()}
    if isinstance(value, np.ndarray):
        return _packed(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_packed(item) for item in value]
    if isinstance(value, float):
        near = round(value, DECIMALS)
        return None if near != near else int(near) if near == int(near) else near
    return value


if __name__ == "__main__":
    main()
