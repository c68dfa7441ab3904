"""The finished runs that come with the app, so that the lesson opens with a result: `assets/training_runs.npz`.

``python -m mha.engine.training_runs`` trains them again with the code of `mha.training`. The file is an NPZ without
object arrays: a JSON of the settings, and one array for each of a run's curves.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np

from mha.assets import ASSETS
from mha.training.curves import Curves
from mha.training.settings import Settings

FILE = ASSETS / "training_runs.npz"
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


@functools.cache
def bundled_runs() -> dict[Settings, Curves]:
    """Return every run that comes with the app, by its settings."""
    return read(FILE) if FILE.exists() else {}


def siblings(settings: Settings) -> tuple[Curves, ...]:
    """Return the bundled runs that differ from these settings in the seed alone."""
    return tuple(
        curves
        for known, curves in bundled_runs().items()
        if known != settings and replace(known, seed=settings.seed) == settings
    )


def run(settings: Settings, every: int = EVERY) -> Curves:
    """Train now, to the end, and return the curves."""
    from mha.training.loop import train

    return Curves.of(settings, list(train(settings, every)))


def write(runs: Sequence[Curves], file: Path = FILE) -> None:
    """Write runs into one file; weights as whole thousandths, everything else as float32."""
    arrays = {}
    for number, curves in enumerate(runs):
        for name, array in curves.arrays().items():
            packed = np.rint(array * 1000).astype(np.uint16) if name == "weights" else array.astype(np.float32)
            arrays[f"{number}_{name}"] = packed
    about = json.dumps([asdict(curves.settings) for curves in runs]).encode()
    np.savez_compressed(file, allow_pickle=False, **{"about": np.frombuffer(about, dtype=np.uint8), **arrays})


def read(file: Path) -> dict[Settings, Curves]:
    """Return the runs of a file that `write` wrote."""
    found = {}
    names = [entry.name for entry in fields(Curves) if entry.name != "settings"]
    with np.load(file, allow_pickle=False) as archive:
        for number, row in enumerate(json.loads(bytes(archive["about"]).decode())):
            arrays = {name: archive[f"{number}_{name}"] for name in names}
            arrays["weights"] = arrays["weights"] / np.float32(1000)
            arrays["step"] = arrays["step"].astype(int)
            found[Settings(**row)] = Curves(Settings(**row), **arrays)
    return found


if __name__ == "__main__":
    write([run(settings) for settings in RUNS])
    print(f"{FILE}: {len(RUNS)} runs, {FILE.stat().st_size:,} bytes")
