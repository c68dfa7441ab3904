"""What comes with the app, so that pages open with a result before torch is imported.

Recordings: every example sentence, as the bundled model sees it. Runs: the finished trainings of the lesson.
``python -m mha.engine.bundled recordings`` and ``… runs`` make them anew, ``python -m mha.assets`` their hashes; tests
hold them against the live code. Both files are NPZ without object arrays: named arrays, and one JSON of the rest.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np

from mha import assets
from mha.assets import ASSETS
from mha.maps import AttentionMaps, Recording, Token
from mha.training.curves import Curves
from mha.training.settings import Settings

FILE = ASSETS / "recordings.npz"
MODEL = "minilm"
RUNS_FILE = ASSETS / "training_runs.npz"
EVERY = 25  # steps
SEEDS = 4  # of the first comparison

ONE, TWO, FOUR = Settings(n_heads=1), Settings(n_heads=2), Settings(n_heads=4)
RUNS: tuple[Settings, ...] = (
    *(replace(ONE, seed=seed) for seed in range(SEEDS)),
    *(replace(TWO, seed=seed) for seed in range(SEEDS)),
    FOUR,
    replace(FOUR, start="identical"),
    replace(FOUR, start="identical+noise"),
    replace(FOUR, pressure="positions"),
    replace(FOUR, pressure="outputs"),
    replace(FOUR, pressure="subspaces"),
    replace(ONE, n_layers=2),
    replace(ONE, n_readings=3),
    Settings(n_heads=3, d_head=11, n_readings=3),
    Settings(n_heads=3, d_head=11, reads="random", n_reads=16),
)


def _archive(content: bytes) -> dict[str, Recording]:
    archive, recordings = assets.arrays(content), {}
    about = json.loads(bytes(archive["about"]).decode())
    for number, text in enumerate(about["texts"]):
        tokens = tuple(Token(**token) for token in text.pop("tokens"))
        maps = AttentionMaps(weights=archive[f"weights_{number}"], tokens=tokens, **text, **about["model"])
        recordings[maps.text] = Recording(maps=maps, stacks={"self": maps.weights})
    return recordings


def bundled(text: str, model: str = MODEL) -> Recording | None:
    """Return the bundled recording of this very text by this model, or None."""
    return (assets.optional(FILE, _archive) or {}).get(text) if model == MODEL else None


def write_recordings(texts: list[str], path: Path = FILE) -> None:
    """Record each text with the bundled model and write them all into one NPZ."""
    from mha.models.watch.attending import attend

    every = [attend(text, model=MODEL) for text in texts]
    about = {
        "model": {name: getattr(every[0], name) for name in ("model", "revision", "origin", "kind", "causal")},
        "texts": [{"text": maps.text, "tokens": [asdict(token) for token in maps.tokens]} for maps in every],
    }
    arrays = {f"weights_{number}": maps.weights for number, maps in enumerate(every)}
    _write(path, about, arrays)


def bundled_runs() -> dict[Settings, Curves]:
    """Return every run that comes with the app, by its settings."""
    return assets.optional(RUNS_FILE, _runs) or {}


def siblings(settings: Settings) -> tuple[Curves, ...]:
    """Return the bundled runs that differ from these settings in the seed alone."""
    return tuple(
        curves
        for known, curves in bundled_runs().items()
        if known != settings and replace(known, seed=settings.seed) == settings
    )


def train_run(settings: Settings, every: int = EVERY) -> Curves:
    """Train now, to the end, and return the curves."""
    from mha.training.loop import train

    return Curves.of(settings, list(train(settings, every)))


def write_runs(runs: Sequence[Curves], file: Path = RUNS_FILE) -> None:
    """Write runs into one file; weights as whole thousandths, everything else as float32."""
    arrays = {}
    for number, curves in enumerate(runs):
        for name, array in curves.arrays().items():
            packed = np.rint(array * 1000).astype(np.uint16) if name == "weights" else array.astype(np.float32)
            arrays[f"{number}_{name}"] = packed
    _write(file, [asdict(curves.settings) for curves in runs], arrays)


def read_runs(file: Path) -> dict[Settings, Curves]:
    """Return the runs of a file that `write_runs` wrote; raise AssetError where they cannot be read."""
    return assets.read(file, _runs)


def _runs(content: bytes) -> dict[Settings, Curves]:
    archive, found = assets.arrays(content), {}
    names = [entry.name for entry in fields(Curves) if entry.name != "settings"]
    for number, row in enumerate(json.loads(bytes(archive["about"]).decode())):
        arrays = {name: archive[f"{number}_{name}"] for name in names}
        arrays["weights"] = arrays["weights"] / np.float32(1000)
        arrays["step"] = arrays["step"].astype(int)
        found[Settings(**row)] = Curves(Settings(**row), **arrays)
    return found


def _write(file: Path, about: object, arrays: dict[str, np.ndarray]) -> None:
    encoded = np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), dtype=np.uint8)
    np.savez_compressed(file, allow_pickle=False, **{"about": encoded, **arrays})


def main(what: str) -> None:
    """Make the recordings or the runs anew."""
    from mha.examples import examples

    if what == "recordings":
        write_recordings([example.text for example in examples()])
    else:
        write_runs([train_run(settings) for settings in RUNS])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m mha.engine.bundled", description=main.__doc__)
    parser.add_argument("what", choices=("recordings", "runs"), help="what to make")
    main(parser.parse_args().what)
