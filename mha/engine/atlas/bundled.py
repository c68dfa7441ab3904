"""What is known of a model as it comes with the program: its file, written and read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mha import assets
from mha.analysis.alike import Alike, Different, Placed
from mha.analysis.habit import habit
from mha.analysis.whole import KEYS, Extreme
from mha.assets import ASSETS
from mha.engine.atlas.runs import Atlas, Silenced
from mha.errors import InputError
from mha.intervention.outcomes import Threes
from mha.models.files.catalog import model_row


def file_of(model: str) -> Path:
    """Return where a model's atlas is kept, by its name in the catalog."""
    return ASSETS / f"atlas_{model.replace('/', '--')}.npz"


def bundled_atlas(model: str) -> Atlas | None:
    """Return the atlas that comes with the program for exactly these weights, or None."""
    known = of_program(model)
    return known.atlas if known else None


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


def write(file: Path, atlas: Atlas, silenced: Silenced | None, threes: Threes | None = None) -> None:
    """Write an atlas into an NPZ without object arrays."""
    alike = atlas.alike
    if alike is None or alike.twin is None or alike.plane is None or not atlas.low:
        raise InputError("Only a whole atlas is bundled, with its scrambled copy and its intervals.")
    heads = len(alike.divergence)
    upper = np.triu_indices(heads, 1)
    looks = [(head, *_row(look)) for head, some in enumerate(atlas.looks) for look in some]
    arrays = {
        "numbers": np.stack([[part[key] for key in KEYS] for part in (atlas.mean, atlas.low, atlas.high)]),
        "habit": atlas.habit,
        "divergence": alike.divergence[upper],
        "different": np.array([[one.whole, *one.layers] for one in (alike.here, alike.aside, alike.twin)]),
        "looks": np.array(looks),
        "points": alike.plane.points,
        "stress": np.array(alike.plane.stress),
    }
    if silenced is not None:
        arrays["silenced"] = silenced.moved
        arrays["silencing"] = np.array([silenced.n_texts, silenced.goes_with_looking])
    if threes is not None:
        arrays |= {"threes": threes.heads, "threes_share": threes.share}
    counts = np.array([atlas.n_texts, atlas.n_measured, atlas.n_left_out, alike.n_texts])
    np.savez_compressed(
        file, allow_pickle=False, model=np.array(atlas.model), revision=np.array(atlas.revision), counts=counts,
        keys=np.array(KEYS), **{name: values.astype(np.float32) for name, values in arrays.items()},
    )  # fmt: skip


def _row(look: Extreme) -> tuple[float, ...]:
    return look.text, look.query, look.key, look.weight, look.habit


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
