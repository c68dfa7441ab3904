"""A result of ours as bytes and back: a NumPy archive with its arrays, bit for bit, and all else of it as JSON.

Whoever reads one says what it is. Neither the bytes nor the sizes that they claim are trusted, as for `mha.saved`.
"""

from __future__ import annotations

import io
import json
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from mha.archive import array, opened

ABOUT = "value"  # the JSON
MOST_ABOUT = 2**20  # bytes of it
KINDS = ("float32", "float64", "int64", "bool")


def packed(value: Any) -> bytes:
    """Return a dataclass as bytes; an array that stands in it twice is there once."""
    arrays: dict[int, tuple[str, np.ndarray]] = {}

    def plain(one: Any) -> Any:
        if isinstance(one, np.ndarray):
            name, _ = arrays.setdefault(id(one), (f"array_{len(arrays)}", one))
            return {"name": name, "kind": str(one.dtype), "shape": one.shape}
        if is_dataclass(one):
            return {field.name: plain(getattr(one, field.name)) for field in fields(one) if field.init}
        if isinstance(one, Mapping):
            return {name: plain(each) for name, each in one.items()}
        if isinstance(one, tuple | list):
            return [plain(each) for each in one]
        return one.item() if isinstance(one, np.generic) else one

    about = np.frombuffer(json.dumps(plain(value)).encode("ascii"), dtype=np.uint8)
    file = io.BytesIO()
    whole = {name: np.ascontiguousarray(one) for name, one in arrays.values() if one.size}
    np.savez(file, allow_pickle=False, **{ABOUT: about, **whole})
    return file.getvalue()


def unpacked(kind: type, content: bytes, most_bytes: int) -> Any:
    """Return what `packed` was given, a dataclass of this kind.

    Raises:
        InputError, ValueError, TypeError, LookupError: these bytes are no such thing, or an array has more than
            ``most_bytes``.
    """
    with opened(io.BytesIO(content), (ABOUT,)) as archive:
        about = json.loads(array(archive, ABOUT, np.uint8, 1, MOST_ABOUT).tobytes())
        found: dict[str, np.ndarray] = {}

        def array_of(said: Mapping[str, Any]) -> np.ndarray:
            shape, name = tuple(said["shape"]), said["name"]
            if said["kind"] not in KINDS or min(shape, default=1) < 0:
                raise ValueError(name)
            if 0 in shape:
                return np.zeros(shape, said["kind"])
            if name not in found:  # an array may stand in several places
                found[name] = array(archive, name, np.dtype(said["kind"]).type, len(shape), most_bytes)
            return found[name]

        return _made(kind, about, array_of)


def _made(hint: Any, said: Any, array_of: Any) -> Any:
    """Return what JSON says as the type that is expected in its place."""
    origin, inner = get_origin(hint), get_args(hint)
    if said is None:
        return None
    if origin in (Union, types.UnionType):
        return _made(next(one for one in inner if one is not type(None)), said, array_of)
    if hint is np.ndarray:
        return array_of(said)
    if origin is dict:
        return {name: _made(inner[1], each, array_of) for name, each in said.items()}
    if origin is tuple:
        every = inner[:1] * len(said) if inner[-1] is ... else inner
        return tuple(_made(one, each, array_of) for one, each in zip(every, said, strict=True))
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        own = [field.name for field in fields(hint) if field.init]
        return hint(**{name: _made(hints[name], said[name], array_of) for name in own})
    if isinstance(hint, type) and issubclass(hint, tuple):  # a named one, such as HeadId
        return hint(*said)
    return said
