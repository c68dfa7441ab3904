"""Maps in a file of their own: a NumPy archive with the weights and, as JSON, everything else that they know.

No array of it holds objects, so that reading one never runs code. NumPy's own reader makes room for whatever a header
claims, and zipfile reads any directory to its end; here both are bounded first, and any fault of a file is one
`InputError`. ``numpy.load(file)["weights"]`` reads the numbers without this program. `AttentionMaps` itself checks the
weights; `sound` checks once what every page and every number takes for granted of maps that were made elsewhere.
"""

from __future__ import annotations

import json
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from os import PathLike, fspath
from reprlib import Repr
from typing import Any, BinaryIO

import numpy as np

from mha.errors import InputError, ShapeError
from mha.maps import ATTENTION, AttentionMaps, Token

FORMAT = 1
MOST_BYTES = 2**30  # of the arrays once they are read; 144 heads over 512 tokens are 151 MB
MOST_TOKENS = 4096  # of an axis
ABOUT, ABOUT_TOKEN = 2**18, 2**8  # bytes of JSON: in all, and for each token besides
_ARRAYS = ("weights", "about")
_ADVICE = " For arrays of your own, mha.from_arrays(weights, tokens).save(file) writes such a file."
_WORDS = {field.name: str for field in fields(AttentionMaps)} | {"causal": bool, "half_precision": bool}
MOST_WORDS = 10**6
_TOKEN_KINDS: dict[str, Any] = {
    "text": str,
    "raw": str,
    "word": (int, type(None)),
    "special": bool,
    "start": int,
    "end": int,
    "segment": int,
}
MOST_MEMBERS = 16
MOST_DIRECTORY = 2**17  # bytes that are read to learn what is in a file, half of them for a comment at its end
MOST_HEADER = 512  # characters that say what an array is; numpy writes 118
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # all that numpy writes
_ENCRYPTED = 1
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
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
_quoted = Repr()
_quoted.maxstring = _quoted.maxother = _quoted.maxlong = 40
_quoted.maxlevel = 2


def save_maps(maps: AttentionMaps, file: str | PathLike[str] | BinaryIO, **more: np.ndarray) -> None:
    """Write maps so that `load_maps` gives back the same numbers, bit for bit, and the same tokens.

    ``more`` are further arrays for whoever opens the file; `load_maps` leaves them alone.

    Raises:
        InputError: `load_maps` would refuse them: see `sound`.
    """
    sound(maps)
    if max(maps.n_queries, maps.n_keys) > MOST_TOKENS:
        raise InputError(f"Maps of up to {MOST_TOKENS:,} tokens can be saved; these have {maps.n_queries:,} rows.")
    about = {name: getattr(maps, name) for name in _WORDS if name not in ("weights", "tokens", "key_tokens")}
    same = maps.key_tokens == maps.tokens
    about |= {
        "format": FORMAT,
        "tokens": [asdict(token) for token in maps.tokens],
        "key_tokens": None if same else [asdict(token) for token in maps.key_tokens],
    }
    text = np.frombuffer(json.dumps(about).encode("ascii"), dtype=np.uint8)
    most = _most_about(maps.weights.shape)
    if text.nbytes > most:
        raise InputError(f"The texts of these maps take {text.nbytes:,} bytes in a file; {most:,} can be read again.")
    arrays: dict[str, Any] = {"weights": np.ascontiguousarray(maps.weights), "about": text, **more}
    if hasattr(file, "write"):
        np.savez(file, **arrays)
        return
    with open(fspath(file), "wb") as opened:  # numpy would add an ending to a name
        np.savez(opened, **arrays)


AttentionMaps.writer = save_maps


def load_maps(
    file: str | PathLike[str] | BinaryIO, most_bytes: int = MOST_BYTES, most_tokens: int = MOST_TOKENS
) -> AttentionMaps:
    """Return the maps that `AttentionMaps.save` wrote.

    The file is not trusted: objects are never read, the sizes it claims are held against ``most_bytes``,
    ``most_tokens`` and each other before room is made for them, and the maps are checked as a whole (`sound`).

    Raises:
        InputError: this is not a file of saved maps, it is damaged, it is larger than that, or its maps are not whole.
        ShapeError: its numbers are no attention weights.
        OSError: there is no such file, or it may not be opened.
    """
    if isinstance(file, str | PathLike):
        with open(file, "rb") as found:
            return load_maps(found, most_bytes, most_tokens)
    if not hasattr(file, "read"):
        kind = type(file).__name__
        raise InputError(
            f"Saved maps are in a file: its path, or an open one such as io.BytesIO(content); not a {kind}."
        )
    with _open_archive(file, _ARRAYS, _ADVICE) as archive:
        weights = _read_array(archive, "weights", np.float32, 4, most_bytes)
        rows, columns = weights.shape[2:]
        if max(rows, columns) > most_tokens:
            raise InputError(
                f"Maps of up to {most_tokens:,} tokens can be read here; these have {rows:,} rows and "
                f"{columns:,} columns."
            )
        content = _read_array(archive, "about", np.uint8, 1, _most_about(weights.shape))
    return sound(_maps(weights, _about(content.tobytes())))


def _most_about(shape: tuple[int, ...]) -> int:
    return ABOUT + ABOUT_TOKEN * sum(shape[2:])


def _about(content: bytes) -> dict[str, Any]:
    try:
        about = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError("What these maps say about themselves is not JSON.") from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        found = about.get("format") if isinstance(about, dict) else None
        raise InputError(f"Saved maps are of format {FORMAT}; this file says {_quoted.repr(found)}.")
    return about


def _maps(weights: np.ndarray, about: Mapping[str, Any]) -> AttentionMaps:
    given: dict[str, Any] = {}
    for name, kind in _WORDS.items():
        if name in ("weights", "tokens", "key_tokens"):
            continue
        value = about.get(name, ATTENTION if name == "measure" else None)  # older files say nothing of it
        if not isinstance(value, kind) and not (name == "pair" and value is None):
            raise InputError(f"Of these maps {name!r} must be {_named(kind)}; it is {_quoted.repr(value)}.")
        given[name] = value
    tokens = _tokens(about.get("tokens"), weights.shape[2])
    keys = tokens if about.get("key_tokens") is None else _tokens(about["key_tokens"], weights.shape[3])
    return AttentionMaps(weights, tokens, keys, **given)


def _tokens(rows: Any, count: int) -> tuple[Token, ...]:
    if not isinstance(rows, list) or len(rows) != count:
        found = f"{len(rows)}" if isinstance(rows, list) else "none"
        raise InputError(f"There must be a token for each of {count} places of the axis; there are {found}.")
    for row in rows:
        if not isinstance(row, dict) or row.keys() != _TOKEN_KINDS.keys():
            raise InputError(f"A token has {', '.join(_TOKEN_KINDS)}; one here is {_quoted.repr(row)}.")
    return tuple(Token(**row) for row in rows)


def _named(kind: type) -> str:
    return "true or false" if kind is bool else "text"


def sound(maps: AttentionMaps) -> AttentionMaps:
    """Return the maps as they are, once it is clear that they are whole.

    No axis is empty; self-attention has a row for every column, or for the last of them; names and texts are text
    without half letters (lone surrogates, which no page can send); every token stands inside one of two texts, behind
    the one before it, and belongs to a word or to none.

    Raises:
        ShapeError: an axis has no places, or the rows of self-attention are not the last of its columns.
        InputError: anything else of this; the message names the first.
    """
    if 0 in maps.weights.shape:
        raise ShapeError(f"Maps have at least one layer, head, row and column; these are {list(maps.weights.shape)}.")
    n_queries, n_keys, first = maps.n_queries, maps.n_keys, maps.first_query
    if first and (n_queries > n_keys or maps.tokens != maps.key_tokens[first:]):
        raise ShapeError(
            f"Self-attention has as many rows as columns, or the last rows of them; with {n_queries} and {n_keys} "
            "these maps connect two texts, which is cross-attention."
        )
    for name in ("text", "model", "revision", *(["pair"] if maps.pair is not None else [])):
        _whole(f"The {name} of maps", getattr(maps, name))
    _axis(maps, maps.tokens)
    if maps.key_tokens is not maps.tokens:
        _axis(maps, maps.key_tokens)
    return maps


def _axis(maps: AttentionMaps, tokens: tuple[Token, ...]) -> None:
    lengths = (len(maps.text), len(maps.pair or ""))
    reached = [0, 0]  # where the last token of each text begins
    for place, token in enumerate(tokens):
        named = f"Token {place}"
        for name, kind in _TOKEN_KINDS.items():
            value = getattr(token, name)
            if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
                raise InputError(f"{named} has a {name} of the wrong kind.")
        _whole(named, token.text)
        _whole(named, token.raw)
        if token.segment not in (0, 1):
            raise InputError(f"{named} stands in the first text (0) or in the second (1).")
        if not 0 <= token.start <= token.end <= lengths[token.segment]:
            raise InputError(f"{named} stands outside its text, which has {lengths[token.segment]:,} characters.")
        if token.word is not None and not 0 <= token.word < MOST_WORDS:
            raise InputError(f"{named} belongs to a word with a number from 0 to {MOST_WORDS - 1:,}, or to none.")
        if token.special or token.start == token.end:  # where nothing of the text is, there is no order
            continue
        if token.start < reached[token.segment]:
            raise InputError(f"{named} stands before the one that it follows.")
        reached[token.segment] = token.start


def _whole(named: str, value: Any) -> None:
    if not isinstance(value, str):
        raise InputError(f"{named} must be text; it is of type {type(value).__name__}.")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{named} has half a letter in it, which cannot be shown.") from error


@contextmanager
def _open_archive(file: BinaryIO, wanted: tuple[str, ...], advice: str = "") -> Iterator[zipfile.ZipFile]:
    """Open an archive that holds the wanted arrays, each once, for `_read_array`; any fault is an InputError.

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


def _read_array(archive: zipfile.ZipFile, name: str, dtype: type, ndim: int, most_bytes: int) -> np.ndarray:
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
