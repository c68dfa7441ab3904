"""Questions and answers as bytes: a head of JSON, then every array as it lies in memory, with its dtype and its shape.

Nothing of it runs code when it is read: the classes that may stand in it are those of the table, the arrays hold
numbers. Tuples stay tuples, an array that stands in two places travels once.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import numpy as np

from mha.errors import InputError

CLASSES = {  # what may travel, and where it is at home; read only when one comes, for some bring torch
    "HeadId": "mha.maps",
    "Token": "mha.maps",
    "AttentionMaps": "mha.maps",
    "Layout": "mha.maps",
    "Recording": "mha.maps",
    "Reading": "mha.maps",
    "Leans": "mha.analysis.readings",
    "Leaning": "mha.analysis.leaning",
    "Neutral": "mha.analysis.swaps",
    "Added": "mha.models.watch.output",
    "Cell": "mha.models.watch.cell",
    "Brought": "mha.models.watch.norms",
    "Prediction": "mha.intervention.predicting",
    "Direct": "mha.intervention.direct",
    "Patch": "mha.intervention.patching",
    "Path": "mha.intervention.paths",
    "Sweep": "mha.intervention.sweep",
    "Measure": "mha.models.watch.lengths",
    "Atlas": "mha.engine.atlas.runs",
    "Alike": "mha.analysis.whole",
    "Placed": "mha.analysis.alike",
    "Tree": "mha.analysis.alike",
    "Different": "mha.analysis.whole",
    "Extreme": "mha.analysis.whole",
    "Score": "mha.engine.experiments",
    "Health": "mha.engine.protocol",
}
NUMBERS = "biuf"  # kinds of dtype: truth values, whole numbers, floating point
ALIGNED = 16  # bytes
MOST_ARRAYS = 4096


def write(value: Any) -> bytes:
    """Return a value as bytes.

    Raises:
        TypeError: something in it is not among what may travel.
    """
    arrays: list[np.ndarray] = []
    said = _said(value, arrays, {})
    places, at = [], 0
    for array in arrays:
        places.append([array.dtype.str, list(array.shape), at])
        at += -(-array.nbytes // ALIGNED) * ALIGNED
    head = json.dumps({"arrays": places, "value": said}, separators=(",", ":")).encode()
    head += b" " * (-(len(head) + 4) % ALIGNED)
    parts = [struct.pack("<I", len(head)), head]
    for array in arrays:
        parts += [array.tobytes(), b"\0" * (-array.nbytes % ALIGNED)]
    return b"".join(parts)


def read(content: bytes) -> Any:
    """Return the value that `write` was given; its arrays cannot be written to.

    Raises:
        InputError: this is nothing that `write` made.
    """
    try:
        (length,) = struct.unpack_from("<I", content)
        head = json.loads(content[4 : 4 + length])
        arrays = [_array(content, 4 + length, *place) for place in head["arrays"][:MOST_ARRAYS]]
        return _meant(head["value"], arrays)
    except (struct.error, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"These bytes cannot be read: {str(error)[:120]}.") from error


def _said(value: Any, arrays: list[np.ndarray], known: dict[Any, int]) -> Any:
    if isinstance(value, np.ndarray):
        return {"array": _number(value, arrays, known)}
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    name = type(value).__name__
    if is_dataclass(value) and _at_home(type(value)):
        own = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
        return {"class": name, "fields": {key: _said(one, arrays, known) for key, one in own.items()}}
    if hasattr(value, "_asdict") and _at_home(type(value)):
        return {"class": name, "fields": {key: _said(one, arrays, known) for key, one in value._asdict().items()}}
    if isinstance(value, tuple) and type(value) is tuple:
        return {"tuple": [_said(one, arrays, known) for one in value]}
    if isinstance(value, list):
        return [_said(one, arrays, known) for one in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _said(one, arrays, known) for key, one in value.items()}}
    raise TypeError(f"{type(value).__module__}.{name} is not among what may travel between engines.")


def _at_home(kind: type) -> bool:
    return CLASSES.get(kind.__name__) == kind.__module__


def _number(array: np.ndarray, arrays: list[np.ndarray], known: dict[Any, int]) -> int:
    """Return the number of an array; one that shares its memory with an earlier one has that one's."""
    if array.dtype.kind not in NUMBERS:
        raise TypeError(f"Arrays of {array.dtype} do not travel between engines.")
    place = (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str)
    if place not in known:
        known[place] = len(arrays)
        arrays.append(array)
    return known[place]


def _array(content: bytes, start: int, dtype: str, shape: list[int], at: int) -> np.ndarray:
    kind = np.dtype(dtype)
    if kind.kind not in NUMBERS or at < 0 or min(shape, default=0) < 0:
        raise ValueError(f"an array of {dtype[:20]!r} {shape[:8]}")
    count = 1
    for size in shape:
        count *= size
    return np.frombuffer(content, kind, count, start + at).reshape(shape)


def _meant(said: Any, arrays: list[np.ndarray]) -> Any:
    if isinstance(said, list):
        return [_meant(one, arrays) for one in said]
    if not isinstance(said, dict):
        return said
    if "array" in said:
        return arrays[said["array"]]
    if "tuple" in said:
        return tuple(_meant(one, arrays) for one in said["tuple"])
    if "dict" in said:
        return {key: _meant(one, arrays) for key, one in said["dict"].items()}
    kind = getattr(import_module(CLASSES[said["class"]]), said["class"])
    return kind(**{key: _meant(one, arrays) for key, one in said["fields"].items()})
