"""The weights of a snapshot: one safetensors file, or several that an index lists; and how large they may be."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from mha.errors import ModelUnavailable
from mha.models.files.inspection import MAX_INDEX_BYTES, check_weights, read_json

WHOLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
SHARD = re.compile(r"model-[0-9]{5}-of-[0-9]{5}\.safetensors")
SHARDS = "model-*-of-*.safetensors"  # the same for those who fetch
MOST_SHARDS = 64
VARIABLE = "PARALLAX_MAX_GB"  # of a model's weights; for whoever runs the program
USUAL_GB = 2.0


def most_bytes() -> int:
    """Return how many bytes of weights are read, as `PARALLAX_MAX_GB` has it; 2 GB where it says nothing sensible."""
    try:
        gigabytes = float(os.environ.get(VARIABLE, USUAL_GB))
    except ValueError:
        gigabytes = USUAL_GB
    return int((gigabytes if math.isfinite(gigabytes) and gigabytes > 0 else USUAL_GB) * 2**30)


def weight_files(folder: Path) -> tuple[Path, ...]:
    """Return the files that hold a snapshot's weights.

    Raises:
        ModelUnavailable: there are none, the index cannot be read, or lists what is no part or is not there.
    """
    if (folder / WHOLE).is_file():
        return (folder / WHOLE,)
    if not (folder / INDEX).is_file():
        raise ModelUnavailable(f"The model's {WHOLE} is missing.")
    listed = read_json(folder / INDEX, MAX_INDEX_BYTES).get("weight_map")
    names = sorted(set(listed.values())) if isinstance(listed, dict) and _texts(listed) else []
    if not 1 <= len(names) <= MOST_SHARDS or not all(SHARD.fullmatch(name) for name in names):
        raise ModelUnavailable(f"The model's {INDEX} does not list its parts as it should.")
    for name in names:
        if not (folder / name).is_file():
            raise ModelUnavailable(f"The model's {name} is missing.")
    return tuple(folder / name for name in names)


def check_all_weights(folder: Path) -> int:
    """Return how many numbers a snapshot's weights hold, every file's header checked.

    Raises:
        ModelUnavailable: as `weight_files` and `check_weights`, or they are too large together.
    """
    files = weight_files(folder)
    check_total([file.stat().st_size for file in files])
    return sum(check_weights(file, most_bytes()) for file in files)


def check_total(sizes: Collection[int]) -> None:
    """Raise ModelUnavailable if files of these sizes are more than is read."""
    if sum(sizes) > most_bytes():
        raise ModelUnavailable(
            f"The model's weights take {sum(sizes) / 2**30:.1f} GB; this program reads {most_bytes() / 2**30:g} GB. "
            f"Whoever runs it can allow more: {VARIABLE}."
        )


def shards_listed(sizes: Mapping[str, int | None]) -> list[str]:
    """Return the names of the parts among files."""
    return sorted(name for name in sizes if SHARD.fullmatch(name))


def _texts(listed: Mapping[object, object]) -> bool:
    return all(isinstance(name, str) for name in listed.values())
