"""The study: many seeds of each task; each model is trained, taken apart in every way and measured, or read again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import torch

from mha.assets import ASSETS
from mha.models.files.environment import one_thread
from mha.truth.agreement import KINDS, N_SEEDS, N_TEXTS, STEPS, StudiedModel, read, write
from mha.truth.exhaustive import shapley, worths
from mha.truth.measures import FIND
from mha.truth.model import learned, unseen
from mha.truth.tasks import TASKS, task

BUNDLED = ASSETS / "truth.json"


def measured(name: str, seed: int, steps: int = STEPS, n_texts: int = N_TEXTS) -> StudiedModel:
    """Return one model's row: trained, taken apart in every way, and measured."""
    chosen = task(name)
    with one_thread():
        model, texts = learned(chosen, seed, steps), unseen(chosen, seed, n_texts)
        with torch.no_grad():
            worth = {kind: worths(model, texts, kind, seed) for kind in KINDS}
            found = {key: find(model, texts) for key, find in FIND.items()}
    right = float(worth[KINDS[0]][-1])
    truth = {kind: _plain(shapley(each)) for kind, each in worth.items()}
    return StudiedModel(name, seed, right, truth, {key: _plain(each.ravel()) for key, each in found.items()})


def rows(path: Path, tasks: Iterable[str] = tuple(TASKS), n_seeds: int = N_SEEDS) -> Iterator[StudiedModel]:
    """Yield every row, measuring what the file does not have and writing it after each model.

    Raises:
        InputError: there is no such task, or the file is not of this study.
    """
    tasks = tuple(tasks)
    known = {(row.task, row.seed): row for row in read(path)} if path.exists() else {}
    for name in tasks:
        task(name)
    for name in tasks:
        for seed in range(n_seeds):
            if (name, seed) not in known:
                known[name, seed] = measured(name, seed)
                write(path, tuple(known.values()))
            yield known[name, seed]


def _plain(numbers: np.ndarray) -> list[float]:
    return [float(f"{number:.4g}") for number in numbers]
