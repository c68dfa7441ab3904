"""Maps in a file of their own: a NumPy archive with the weights and, as JSON, everything else that they know.

No array of it holds objects, so that reading one never runs code; what a file claims is checked before room is made for
it. ``numpy.load(file)["weights"]`` reads the numbers without this program.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, fields
from os import PathLike, fspath
from typing import Any, BinaryIO

import numpy as np

from mha.errors import InputError
from mha.maps import ATTENTION, AttentionMaps, Token

FORMAT = 1
MOST_BYTES = 2**30  # of the arrays once they are read; 144 heads over 512 tokens are 151 MB
MOST_ABOUT = 2**23  # bytes of the JSON
MOST_MEMBERS = 16
_ARRAYS = ("weights", "about")
_WORDS = {field.name: str for field in fields(AttentionMaps)} | {"causal": bool, "half_precision": bool}
_TOKEN = {"text": str, "raw": str, "word": (int, type(None)), "special": bool, "start": int, "end": int, "segment": int}


def save_maps(maps: AttentionMaps, file: str | PathLike[str] | BinaryIO, **more: np.ndarray) -> None:
    """Write maps so that `load_maps` gives back the same numbers, bit for bit, and the same tokens.

    ``more`` are further arrays for whoever opens the file; `load_maps` leaves them alone.
    """
    about = {name: getattr(maps, name) for name in _WORDS if name not in ("weights", "tokens", "key_tokens")}
    same = maps.key_tokens == maps.tokens
    about |= {
        "format": FORMAT,
        "tokens": [asdict(token) for token in maps.tokens],
        "key_tokens": None if same else [asdict(token) for token in maps.key_tokens],
    }
    text = np.frombuffer(json.dumps(about).encode("ascii"), dtype=np.uint8)
    arrays: dict[str, Any] = {"weights": maps.weights, "about": text, **more}
    if hasattr(file, "write"):
        np.savez(file, **arrays)
        return
    with open(fspath(file), "wb") as opened:  # numpy would add an ending to a name
        np.savez(opened, **arrays)


def load_maps(file: str | PathLike[str] | BinaryIO, most_bytes: int = MOST_BYTES) -> AttentionMaps:
    """Return the maps that `AttentionMaps.save` wrote.

    The file is not trusted: objects are never read, and the sizes it claims are held against ``most_bytes`` and against
    each other before any array is made.

    Raises:
        InputError: this is no file of saved maps, or it is larger than that.
        ShapeError: its numbers are no attention weights.
    """
    try:
        with zipfile.ZipFile(file if hasattr(file, "read") else fspath(file)) as archive:
            weights, about = _read(archive, most_bytes)
    except (OSError, EOFError, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, InputError | FileNotFoundError):
            raise
        raise InputError(f"This is no file of saved maps: {str(error)[:120] or 'it cannot be read'}.") from error
    return _maps(weights, about)


def _read(archive: zipfile.ZipFile, most_bytes: int) -> tuple[np.ndarray, dict[str, Any]]:
    names = archive.namelist()
    if len(names) > MOST_MEMBERS or not {f"{name}.npy" for name in _ARRAYS} <= set(names):
        listed = ", ".join(name[:40] for name in names[:4]) or "nothing"
        raise InputError(f"Saved maps hold weights.npy and about.npy; this file holds {listed}.")
    weights = _array(archive, "weights", np.float32, 4, most_bytes)
    text = _array(archive, "about", np.uint8, 1, MOST_ABOUT)
    try:
        about = json.loads(text.tobytes())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InputError("What these maps say about themselves is no JSON.") from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        found = about.get("format") if isinstance(about, dict) else None
        raise InputError(f"Saved maps are of format {FORMAT}; this file says {str(found)[:20]}.")
    return weights, about


def _array(archive: zipfile.ZipFile, name: str, dtype: type, ndim: int, most_bytes: int) -> np.ndarray:
    """Return one array of the archive once its header was found to be true; nothing larger is ever made."""
    entry = archive.getinfo(f"{name}.npy")
    if entry.file_size > most_bytes:
        raise InputError(f"The array {name} has {entry.file_size:,} bytes; {most_bytes:,} can be read.")
    with archive.open(entry) as stream:
        version = np.lib.format.read_magic(stream)
        header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        if version not in header:
            raise InputError(f"The array {name} is of NumPy's format {version[0]}.{version[1]}; 1.0 and 2.0 are read.")
        shape, fortran, found = header[version](stream)
        if found != np.dtype(dtype) or len(shape) != ndim or fortran:
            kind = f"{np.dtype(dtype)} with {ndim} {'axis' if ndim == 1 else 'axes'}"
            raise InputError(f"The array {name} must be {kind}, row by row; it is {found}, {shape}.")
        count = math.prod(shape)
        if min(shape) < 0 or count * found.itemsize > entry.file_size:
            raise InputError(f"The array {name} claims {shape}, more than its file holds.")
        content = stream.read(count * found.itemsize)
    if len(content) != count * found.itemsize:
        raise InputError(f"The array {name} ends too early.")
    return np.frombuffer(content, dtype=found).reshape(shape)


def _maps(weights: np.ndarray, about: Mapping[str, Any]) -> AttentionMaps:
    given: dict[str, Any] = {}
    for name, kind in _WORDS.items():
        if name in ("weights", "tokens", "key_tokens"):
            continue
        value = about.get(name, ATTENTION if name == "measure" else None)  # older files say nothing of it
        if not isinstance(value, kind) and not (name == "pair" and value is None):
            raise InputError(f"Of these maps {name!r} must be {_named(kind)}; it is {str(value)[:40]!r}.")
        given[name] = value
    if given["units"] not in ("tokens", "words"):
        raise InputError(f"The units of maps are tokens or words; these say {given['units'][:40]!r}.")
    tokens = _tokens(about.get("tokens"), weights.shape[2])
    keys = tokens if about.get("key_tokens") is None else _tokens(about["key_tokens"], weights.shape[3])
    return AttentionMaps(weights, tokens, keys, **given)


def _tokens(rows: Any, count: int) -> tuple[Token, ...]:
    if not isinstance(rows, list) or len(rows) != count:
        found = f"{len(rows)}" if isinstance(rows, list) else "none"
        raise InputError(f"There must be a token for each of {count} places of the axis; there are {found}.")
    for row in rows:
        fits = isinstance(row, dict) and row.keys() == _TOKEN.keys()
        if not fits or not all(_is(row[name], kind) for name, kind in _TOKEN.items()):
            raise InputError(f"A token has {', '.join(_TOKEN)}; one here is {str(row)[:80]!r}.")
    return tuple(Token(**row) for row in rows)


def _is(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _named(kind: type) -> str:
    return "true or false" if kind is bool else "text"
