"""Results that come with the app, so that pages open with a result before torch is imported.

Recordings: the attention of a model in its examples. Next words: the likeliest next words of an example, their change
with each head ablated, and their ranks after each layer. Runs: the finished trainings of the lesson.
``python -m studies.bundled MODEL`` writes the results of a model, ``python -m studies.training_runs`` the runs, and
``python -m tools.sums`` the hashes; tests compare them with the live code. All files are NPZ without object arrays:
named arrays, and one JSON of the rest. A model's file is read only for the revision of the weights that it was made of.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mha import assets
from mha.assets import ASSETS
from mha.intervention.outcomes import PositionEffects, WordRanks, WordSweep
from mha.maps import AttentionMaps, HeadId, Recording, Token
from mha.memo import array_dataclass
from mha.models.files.catalog import model_row
from mha.training.settings import ARRAYS, EXPERIMENTS, FILE_NAMES, ONE, TWO, Curves, Settings

MODEL = "minilm"
SAVED = ("text", "place", "kind", "ids", "model", "revision")  # of a sweep, in addition to its tokens and arrays
RANK_ARRAYS = {  # of `WordRanks`, in a file, each [word, layer]
    "rank": np.int32,
    "log_probability": np.float32,
    "attention_rank": np.int32,
    "attention_log_probability": np.float32,
}
RUNS_FILE = ASSETS / "training_runs.npz"
SEEDS = 4  # of the first comparison

RUNS: tuple[Settings, ...] = tuple(
    dict.fromkeys(
        (
            *(replace(settings, seed=seed) for settings in (ONE, TWO) for seed in range(SEEDS)),
            *(settings for pair in EXPERIMENTS.values() for settings in pair),
        )
    )
)


def bundled(text: str, model: str = MODEL) -> Recording | None:
    """Return the bundled recording of this very text by this model, or None."""
    recording = (assets.optional(assets.model_file("recordings", model), _recordings) or {}).get(text)
    return recording if recording and recording.maps.revision == model_row(model).revision else None


@array_dataclass
class BundledNextWords:
    """Results of one example: the sweep, the ranks of its words, and the positions at which the head with the largest
    change of the first word acts.
    """

    sweep: WordSweep
    ranks: tuple[WordRanks, ...]
    positions: PositionEffects


def bundled_ranks(text: str, model: str, number: int) -> WordRanks | None:
    """Return the bundled ranks of a next word of this very text, by its token id, or None."""
    stored = bundled_next_words(text, model)
    return next((ranks for ranks in stored.ranks if ranks.id == number), None) if stored else None


def bundled_positions(text: str, model: str, head: HeadId, word: int) -> PositionEffects | None:
    """Return the bundled effects of a head by position on the first next word, if this is the head, or None."""
    stored = bundled_next_words(text, model)
    return stored.positions if stored and not word and stored.positions.head == head else None


def bundled_next_words(text: str, model: str) -> BundledNextWords | None:
    """Return the bundled next words of this very text by this model, or None."""
    stored = (assets.optional(assets.model_file("next_words", model), _next_words) or {}).get(text)
    return stored if stored and stored.sweep.revision == model_row(model).revision else None


def _recordings(content: bytes) -> dict[str, Recording]:
    archive, recordings = assets.arrays(content), {}
    header = json.loads(bytes(archive["about"]).decode())
    for number, text in enumerate(header["texts"]):
        tokens = tuple(Token(**token) for token in text.pop("tokens"))
        maps = AttentionMaps(weights=archive[f"weights_{number}"], tokens=tokens, **text, **header["model"])
        recordings[maps.text] = Recording(maps=maps, stacks={"self": maps.weights})
    return recordings


def _next_words(content: bytes) -> dict[str, BundledNextWords]:
    archive, stored = assets.arrays(content), {}
    for number, header in enumerate(json.loads(bytes(archive["about"]).decode())):
        sweep = _sweep(header, archive, number)
        arrays = [archive[f"{name}_by_layer_{number}"] for name in RANK_ARRAYS]  # each [word, layer]
        ranks = tuple(
            WordRanks(
                sweep.text, sweep.tokens, sweep.place, name, id_, int(header["vocabulary"]),
                **dict(zip(RANK_ARRAYS, rows, strict=True)), model=sweep.model, revision=sweep.revision,
            )
            for name, id_, *rows in zip(sweep.words, sweep.ids, *arrays, strict=True)
        )  # fmt: skip
        positions = PositionEffects(
            head=HeadId.parse(header["head"]), tokens=sweep.tokens, ids=sweep.ids, positions=tuple(header["positions"]),
            log_probability=sweep.log_probability, change=archive[f"position_change_{number}"].astype(np.float64),
            everywhere=sweep.change[HeadId.parse(header["head"])],
        )  # fmt: skip
        stored[sweep.text] = BundledNextWords(sweep, ranks, positions)
    return stored


def _sweep(header: dict[str, Any], archive: Mapping[str, np.ndarray], number: int) -> WordSweep:
    entries = [(int(id_), str(raw), str(text)) for id_, raw, text in header["entries"]]
    return WordSweep(
        **{name: header[name] for name in SAVED if name != "ids"},
        ids=tuple(header["ids"]),
        tokens=tuple(Token(**token) for token in header["tokens"]),
        raws={id_: raw for id_, raw, _ in entries},
        texts={id_: text for id_, _, text in entries},
        special=frozenset(header["special"]),
        log_probability=archive[f"log_probability_{number}"].astype(np.float64),
        change=archive[f"change_{number}"].astype(np.float64),
        likeliest=archive[f"likeliest_{number}"].astype(int),
    )


def bundled_runs() -> dict[Settings, Curves]:
    """Return every run that comes with the app, by its settings."""
    return assets.optional(RUNS_FILE, _runs) or {}


def siblings(settings: Settings) -> tuple[Curves, ...]:
    """Return the bundled runs that differ from these settings in the seed alone."""
    return tuple(
        curves
        for candidate, curves in bundled_runs().items()
        if candidate != settings and replace(candidate, seed=settings.seed) == settings
    )


def _runs(content: bytes) -> dict[Settings, Curves]:
    archive, runs = assets.arrays(content), {}
    for number, row in enumerate(json.loads(bytes(archive["about"]).decode())):
        arrays = {name: archive[f"{number}_{FILE_NAMES.get(name, name)}"] for name in ARRAYS}
        arrays["weights"] = arrays["weights"] / np.float32(1000)
        arrays["step"] = arrays["step"].astype(int)
        runs[Settings(**row)] = Curves(Settings(**row), **arrays)
    return runs
