"""NumPy archives: of somebody else, read without believing what they say of themselves; and results of ours in one.

Layer 0. NumPy's own reader makes room for whatever a header claims, and zipfile reads any directory to its end; here
both are bounded first, and whatever is wrong with a file becomes one `InputError`. A result of ours, `packed`, is an
archive with its arrays, bit for bit, and all else of it as JSON; whoever reads one says what it is.
"""

from __future__ import annotations

import io
import json
import math
import struct
import tokenize
import types
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any, BinaryIO, Union, get_args, get_origin, get_type_hints

import numpy as np

from mha.errors import InputError

MOST_MEMBERS = 16
MOST_DIRECTORY = 2**17  # bytes that are read to learn what is in a file, half of them for a comment at its end
MOST_HEADER = 512  # characters that say what an array is; numpy writes 118
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # all that numpy writes
_ENCRYPTED = 1
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}

ABOUT = "value"  # the JSON
MOST_ABOUT = 2**20  # bytes of it
KINDS = ("float32", "float64", "int64", "bool")

DAMAGE = (  # whatever zipfile, zlib, numpy's header and the parser under it raise over bytes that make no sense
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    OverflowError,
    RuntimeError,  # NotImplementedError and RecursionError among them
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


@contextmanager
def opened(file: BinaryIO, wanted: tuple[str, ...], advice: str = "") -> Iterator[zipfile.ZipFile]:
    """Open an archive that holds the wanted arrays, each once, for `array`; what is wrong inside is an InputError.

    ``advice`` ends the sentence about a file that is something else.
    """
    try:
        careful = _Careful(file, MOST_DIRECTORY)
        with zipfile.ZipFile(careful) as archive:
            careful.left = None
            names = archive.namelist()
            if len(names) > MOST_MEMBERS or any(names.count(f"{name}.npy") != 1 for name in wanted):
                listed = ", ".join(ascii(name[:40]) for name in names[:4]) or "nothing"
                asked = " and ".join(f"{name}.npy" for name in wanted)
                raise InputError(f"Saved maps hold {asked}, once each; this file holds {listed}.{advice}")
            yield archive
    except InputError:
        raise
    except DAMAGE as error:
        raise InputError(f"This is not a file of saved maps, or it is damaged.{advice}") from error


def array(archive: zipfile.ZipFile, name: str, dtype: type, ndim: int, most_bytes: int) -> np.ndarray:
    """Return one array of an archive, once its header was found to be true; nothing larger is ever made.

    Raises:
        InputError: it is of another kind, is empty, is larger than ``most_bytes``, or is not what its header says.
    """
    entry = archive.getinfo(f"{name}.npy")
    if entry.compress_type not in _METHODS or entry.flag_bits & _ENCRYPTED:
        raise InputError(f"The array {name} is packed in a way that NumPy does not use.")
    if entry.file_size > most_bytes:
        raise InputError(f"The array {name} has {entry.file_size:,} bytes; {most_bytes:,} can be read.")
    with archive.open(entry) as stream:
        shape, fortran, found = _header(stream, name)
        if found != np.dtype(dtype) or len(shape) != ndim or fortran:
            kind = f"{np.dtype(dtype)} with {ndim} {'axis' if ndim == 1 else 'axes'}"
            raise InputError(f"The array {name} must be {kind}, row by row; it is {_kind(found)}, {_short(shape)}.")
        size = math.prod(shape) * found.itemsize
        if min(shape) < 1:
            raise InputError(f"The array {name} has an axis without places: {_short(shape)}.")
        if stream.tell() + size != entry.file_size:
            raise InputError(f"The array {name} claims {_short(shape)}, which is not what its file holds.")
        content = stream.read(size)  # to its end, where zipfile holds it against its sum
    if len(content) != size:
        raise InputError(f"The array {name} ends too early.")
    return np.frombuffer(content, dtype=found).reshape(shape)


def _header(stream: Any, name: str) -> tuple[tuple[int, ...], bool, np.dtype]:
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise InputError(f"The array {name} is of NumPy's format {version[0]}.{version[1]}; 1.0 and 2.0 are read.")
    with warnings.catch_warnings():  # of headers that Python 2 wrote, or that say nothing that Python understands
        warnings.simplefilter("ignore")
        return _HEADERS[version](stream, max_header_size=MOST_HEADER)


def _short(shape: tuple[int, ...]) -> str:
    said = str(shape)
    return said if len(said) <= 60 else f"{said[:59]}…"


def _kind(dtype: np.dtype) -> str:
    return "a structure" if dtype.names else str(dtype)[:40]


class _Careful:
    """A file of which no more than ``left`` bytes are read; None lifts that."""

    def __init__(self, file: BinaryIO, left: int | None) -> None:
        self._file, self.left = file, left

    def read(self, size: int = -1) -> bytes:
        if self.left is None:
            return self._file.read(size)
        content = self._file.read(self.left + 1 if size < 0 else min(size, self.left + 1))
        self.left -= len(content)
        if self.left < 0:
            raise InputError(f"Saved maps are an archive of at most {MOST_MEMBERS} arrays; this file lists far more.")
        return content

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


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

        return restored(kind, about, array_of)


def _listed(said: Any) -> np.ndarray:
    return np.array(said, dtype=np.float64)  # null becomes NaN


def restored(hint: Any, said: Any, array_of: Callable[[Any], np.ndarray] = _listed) -> Any:
    """Return what JSON says as the type that is expected in its place; a field that it leaves out has its default.

    Null is NaN where a number is expected. ``array_of`` makes an array of what stands for one: its numbers in lists.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: it is no such thing.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if said is None:
        return math.nan if hint is float else None
    if origin in (Union, types.UnionType):
        return restored(next(one for one in inner if one is not type(None)), said, array_of)
    if hint is np.ndarray:
        return array_of(said)
    if origin is dict:
        return {name: restored(inner[1], each, array_of) for name, each in said.items()}
    if origin is tuple:
        every = inner[:1] * len(said) if inner[-1] is ... else inner
        return tuple(restored(one, each, array_of) for one, each in zip(every, said, strict=True))
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        own = [field.name for field in fields(hint) if field.init]
        return hint(**{name: restored(hints[name], said[name], array_of) for name in own if name in said})
    if isinstance(hint, type) and issubclass(hint, tuple):  # a named one, such as HeadId
        return hint(*said)
    return said
