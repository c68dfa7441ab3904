"""The bundled results of a model over the sample sentences; ``python -m studies.bundled`` writes them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mha import assets
from mha.analysis.alike import Alike, Different, Placed
from mha.analysis.usual import habit
from mha.analysis.whole import Extreme
from mha.assets import ASSETS
from mha.engine.atlas.runs import Atlas, Silenced
from mha.intervention.outcomes import Threes
from mha.models.files.catalog import model_row


def file_of(model: str) -> Path:
    """Return where a model's atlas is kept, by its name in the catalog."""
    return ASSETS / f"atlas_{model.replace('/', '--')}.npz"


def bundled_atlas(model: str) -> Atlas | None:
    """Return the atlas that comes with the program for exactly these weights, or None."""
    known = of_program(model)
    return known.atlas if known else None


def silenced_of(model: str) -> Silenced | None:
    """Return how far ablating each head turns the sample sentences, if that comes with the program; else None."""
    known = of_program(model)
    return known.silenced if known else None


def threes_of(model: str) -> Threes | None:
    """Return what three heads of a layer carry together, where that comes with the program; else None."""
    known = of_program(model)
    return known.threes if known else None


class Bundled(NamedTuple):
    """What comes with the program for one model."""

    atlas: Atlas
    silenced: Silenced | None
    threes: Threes | None


def of_program(model: str) -> Bundled | None:
    row, known = model_row(model), assets.optional(file_of(model), lambda content: read(assets.arrays(content)))
    usual = habit(model)  # patterns are read off what Heads reads them off
    if known is None or not row.revision or known.atlas.revision != row.revision:
        return None
    return known if usual is None else known._replace(atlas=replace(known.atlas, shares=usual.shares))


def read(stored: dict[str, np.ndarray]) -> Bundled:
    numbers, keys = stored["numbers"].astype(np.float64), [str(key) for key in stored["keys"]]
    mean, low, high = ({key: part[place] for place, key in enumerate(keys)} for part in numbers)
    n_layers, n_heads = numbers.shape[2:]
    divergence = np.zeros((n_layers * n_heads,) * 2)
    divergence[np.triu_indices(len(divergence), 1)] = stored["divergence"]
    own, left, beside = (Different(float(row[0]), tuple(float(one) for one in row[1:])) for row in stored["different"])
    plane = Placed(stored["points"].astype(np.float64), float(stored["stress"]))
    n_texts, n_measured, n_left_out, n_compared = (int(one) for one in stored["counts"])
    looks: list[list[Extreme]] = [[] for _ in range(len(divergence))]
    for head, text, query, key, weight, usual in stored["looks"]:
        looks[int(head)].append(Extreme(int(text), int(query), int(key), float(weight), float(usual)))
    atlas = Atlas(
        str(stored["model"]), str(stored["revision"]), n_texts, n_measured, n_left_out, mean, low, high,
        stored["habit"].astype(np.float64), {},
        Alike(n_compared, divergence + divergence.T, own, left, beside, plane),
        tuple(tuple(some) for some in looks),
    )  # fmt: skip
    silenced = threes = None
    if "silenced" in stored:
        n_silenced, goes = stored["silencing"]
        silenced = Silenced(int(n_silenced), stored["silenced"].astype(np.float64), float(goes))
    if "threes" in stored:
        threes = Threes(stored["threes"].astype(int), stored["threes_share"].astype(np.float64))
    return Bundled(atlas, silenced, threes)
