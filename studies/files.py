"""The work folder of studies, and writers of the files in assets that hold measured results; `mha` only reads these."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mha import assets
from mha.analysis.ablation_control import NAMES, AblationControl
from mha.analysis.shuffles import DECIMALS, ShuffleControl
from mha.analysis.statistics import mean_of
from mha.analysis.usual import FEWEST_WORDS, N_DISTANCES, SHARES, Habit, column, distant_pairs, looking, word_looks
from mha.engine.bundled import MODEL, RANK_ARRAYS, RUNS_FILE, SAVED, BundledNextWords
from mha.errors import InputError
from mha.intervention.subject import Subject
from mha.maps import AttentionMaps
from mha.models.files.loading import LoadedModel
from mha.training.settings import Curves

Arrays = dict[str, np.ndarray]
WORK = Path(tempfile.gettempdir()) / "parallax-studies"


@dataclass(frozen=True)
class WorkFolder:
    """Measured results of one model, one file a text and kind; another model or other weights use other files."""

    folder: Path
    weights: str

    @classmethod
    def for_model(cls, experiment: Subject, folder: Path = WORK) -> WorkFolder:
        """Return the work folder of a model's exact weights."""
        folder.mkdir(parents=True, exist_ok=True)
        sums = [float(weight.detach().double().abs().sum()) for weight in experiment.model.parameters()]
        return cls(folder, repr([round(total, 3) for total in sums]))

    def load_or_measure(self, kind: str, text: str, measure: Callable[[], Arrays]) -> Arrays:
        """Return the stored arrays of a text, or measure and store them."""
        key = hashlib.sha256(repr((kind, text, self.weights)).encode()).hexdigest()[:24]
        file = self.folder / f"{kind}_{key}.npz"
        if not file.exists():
            partial = file.with_suffix(".partial.npz")
            np.savez(partial, allow_pickle=False, **measure())
            partial.replace(file)
        with np.load(file, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}


def usual_attention(texts: Iterable[AttentionMaps], model: str = "", revision: str = "") -> Habit:
    """Return the usual attention of a model over texts, read one after the other.

    The mean weight at a distance is taken over all pairs of words that far apart in all texts; the largest weight of
    a text over its `distant_pairs`, in texts of at least six words.

    Raises:
        InputError: the texts are missing.
    """
    sums: np.ndarray | None = None
    counts = np.zeros(N_DISTANCES)
    shares: dict[str, list[np.ndarray]] = {name: [] for name in SHARES}
    largest: list[np.ndarray] = []
    for maps in texts:
        words = word_looks(maps)
        query, key = np.nonzero(words.counts)
        # one row for each distance: which connections are that far
        far = (column(words.distance[query, key]) == np.arange(N_DISTANCES)[:, None]).astype(np.float64)
        distance_sums = words.weights[:, :, query, key] @ far.T  # [layer, head, distance]
        sums = distance_sums if sums is None else sums + distance_sums
        counts += far.sum(axis=-1)
        if len(words.places) >= FEWEST_WORDS:
            distance_sums = looking(maps)
            for name in shares:
                shares[name].append(distance_sums[name])
            pairs = distant_pairs(words)
            largest.append(words.weights[..., pairs].max(axis=-1, initial=0))
    if sums is None:
        raise InputError("There are no texts to average over.")
    shape = sums.shape[:2]
    means = {name: mean_over_texts(values, shape) for name, values in shares.items()}
    weights = (sums / np.maximum(counts, 1)).astype(np.float32)
    return Habit(weights, means, model, revision, mean_over_texts(largest, shape) if largest else None)


def mean_over_texts(values: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """Return the mean over the texts that have an answer, float32 [layer, head]."""
    stacked = np.array(values, dtype=np.float64).reshape(-1, *shape)
    return mean_of(np.moveaxis(stacked, 0, -1)).astype(np.float32)


def write_usual_attention(usual: Habit, file: Path) -> None:
    """Write usual attention into an NPZ without object arrays."""
    facts = {"model": np.array(usual.model), "revision": np.array(usual.revision)}
    largest = {} if usual.largest is None else {"largest": usual.largest}
    np.savez_compressed(file, allow_pickle=False, weights=usual.weights, **facts, **usual.shares, **largest)


def write_ablation_controls(file: Path, controls: Sequence[AblationControl]) -> None:
    """Write the control of every band into one NPZ; changes are rounded to float16."""
    first = controls[0]
    kinds: dict[str, Any] = {"n_tokens": np.int16, "log_probability": np.float32}
    kinds |= {"change": np.float16, "shuffled_change": np.float16}
    arrays = {name: np.array([text for control in controls for text in getattr(control, name)]) for name in NAMES}
    arrays |= {
        name: np.concatenate([getattr(control, name) for control in controls]).astype(kind)
        for name, kind in kinds.items()
    }
    facts = {"model": np.array(first.model), "revision": np.array(first.revision), "kind": np.array(first.kind)}
    np.savez_compressed(file, allow_pickle=False, **facts, **arrays)


def shuffle_controls_json(controls: Sequence[ShuffleControl]) -> str:
    """Return the JSON of the controls of one model."""
    rows = [
        {
            "text": control.text,
            "head": str(control.head),
            "query": control.query,
            "key": control.key,
            "share": round(control.share, DECIMALS),
            "nearest": control.nearest,
            "note": control.note,
            "maxima": control.maxima.round(DECIMALS).tolist(),
            "pair_maxima": [None if np.isnan(x) else round(float(x), DECIMALS) for x in control.pair_maxima],
        }
        for control in controls
    ]
    model, revision = controls[0].model, controls[0].revision
    return json.dumps({"model": model, "revision": revision, "controls": rows}, ensure_ascii=False) + "\n"


def write_recordings(texts: Sequence[str], model: str | LoadedModel = MODEL) -> None:
    """Record each text with a model and write them all into one NPZ."""
    from mha.models.files.loading import load
    from mha.models.watch.attending import attend

    loaded = load(model)
    recordings = [attend(text, loaded) for text in texts]
    facts = {
        "model": {name: getattr(recordings[0], name) for name in ("model", "revision", "origin", "kind", "causal")},
        "texts": [{"text": maps.text, "tokens": [asdict(token) for token in maps.tokens]} for maps in recordings],
    }
    arrays = {f"weights_{number}": maps.weights for number, maps in enumerate(recordings)}
    write_archive(assets.model_file("recordings", loaded.row.name), facts, arrays)


def write_next_words(stored: Sequence[BundledNextWords], file: Path) -> None:
    """Write the next words of one model's examples into one NPZ, numbers as float32."""
    texts, arrays = [], {}
    for number, example in enumerate(stored):
        sweep, ranks, positions = example.sweep, example.ranks, example.positions
        tokens = [asdict(token) for token in sweep.tokens]
        entries = [[id_, sweep.raws[id_], sweep.texts[id_]] for id_ in sweep.raws]
        facts = {name: getattr(sweep, name) for name in SAVED} | {"vocabulary": ranks[0].vocabulary}
        facts |= {"head": str(positions.head), "positions": positions.positions}
        texts.append(facts | {"tokens": tokens, "entries": entries, "special": sorted(sweep.special)})
        arrays[f"log_probability_{number}"] = sweep.log_probability.astype(np.float32)
        arrays[f"change_{number}"] = sweep.change.astype(np.float32)
        arrays[f"likeliest_{number}"] = sweep.likeliest.astype(np.int32)
        arrays[f"position_change_{number}"] = positions.change.astype(np.float32)
        for name, kind in RANK_ARRAYS.items():
            arrays[f"{name}_by_layer_{number}"] = np.array([getattr(word, name) for word in ranks], kind)
    write_archive(file, texts, arrays)


def write_runs(runs: Sequence[Curves], file: Path = RUNS_FILE) -> None:
    """Write runs into one file; weights as whole thousandths, everything else as float32."""
    arrays = {}
    for number, curves in enumerate(runs):
        for name, array in curves.arrays().items():
            packed = np.rint(array * 1000).astype(np.uint16) if name == "weights" else array.astype(np.float32)
            arrays[f"{number}_{name}"] = packed
    write_archive(file, [asdict(curves.settings) for curves in runs], arrays)


def write_archive(file: Path, facts: object, arrays: dict[str, np.ndarray]) -> None:
    encoded = np.frombuffer(json.dumps(facts, ensure_ascii=False).encode(), dtype=np.uint8)
    np.savez_compressed(file, allow_pickle=False, **{"about": encoded, **arrays})
