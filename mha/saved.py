"""Attention maps in a file: a NumPy archive with the weights and, as JSON, everything else.

A file is not trusted. No array holds objects, so reading one never runs code, and the sizes of the directory, headers
and arrays are bounded before memory is allocated. ``numpy.load(file)["weights"]`` reads the numbers without this
program. `AttentionMaps` checks the weights; `sound` checks texts and tokens of maps that were made elsewhere.
"""

import json
import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from os import PathLike
from types import SimpleNamespace
from typing import Any, BinaryIO, get_type_hints

import numpy as np

from mha.errors import InputError, ShapeError
from mha.maps import ATTENTION, AttentionMaps, Token

FORMAT = 1
MOST_BYTES = 2**30  # of the weights in memory; 144 heads over 512 tokens are 151 MB
MOST_TOKENS = 4096  # of an axis
MOST_DIRECTORY = 2**17  # bytes of the archive's directory or of the comment behind it
MOST_HEADER = 512  # characters that describe an array; NumPy writes 118
MOST_WORDS = 10**6
_TOKEN_TYPES = get_type_hints(Token)
_MAP_TYPES = {name: kind for name, kind in get_type_hints(AttentionMaps).items() if kind in (str, str | None, bool)}


def save_maps(maps: AttentionMaps, file: str | PathLike[str] | BinaryIO, **more: np.ndarray) -> None:
    """Write maps so that `load_maps` returns the same numbers, bit for bit, and the same tokens.

    ``more`` are further arrays for other readers of the file; `load_maps` ignores them.

    Raises:
        InputError: `load_maps` would refuse the maps: see `sound`.
    """
    sound(maps)
    if max(maps.n_queries, maps.n_keys) > MOST_TOKENS:
        raise InputError(f"Maps of up to {MOST_TOKENS:,} tokens can be saved; these have {maps.n_queries:,} rows.")
    keys = None if maps.key_tokens == maps.tokens else [asdict(token) for token in maps.key_tokens]
    fields = {name: getattr(maps, name) for name in _MAP_TYPES}
    fields |= {"format": FORMAT, "tokens": [asdict(token) for token in maps.tokens], "key_tokens": keys}
    content = np.frombuffer(json.dumps(fields).encode("ascii"), dtype=np.uint8)
    limit = _most_about(maps.n_queries, maps.n_keys)
    if content.nbytes > limit:
        raise InputError(f"The texts of these maps take {content.nbytes:,} bytes in a file; the limit is {limit:,}.")
    arrays: dict[str, Any] = {"weights": np.ascontiguousarray(maps.weights), "about": content, **more}
    with nullcontext(file) if hasattr(file, "write") else open(file, "wb") as stream:  # NumPy would change the name
        np.savez(stream, **arrays)


AttentionMaps.writer = save_maps


def load_maps(
    file: str | PathLike[str] | BinaryIO, most_bytes: int = MOST_BYTES, most_tokens: int = MOST_TOKENS
) -> AttentionMaps:
    """Return the maps that `AttentionMaps.save` wrote.

    ``most_bytes`` bounds the weights in memory, ``most_tokens`` each of their last two axes.

    Raises:
        InputError: this is not a file of saved maps, it is damaged or too large, or `sound` refuses its maps.
        ShapeError: its numbers are not attention weights.
        OSError: the file does not exist or cannot be opened.
    """
    if not (isinstance(file, str | PathLike) or hasattr(file, "read")):
        raise InputError(
            "Saved maps are in a file: pass its path, or an open file such as io.BytesIO(content); this is of type "
            f"{type(file).__name__}."
        )
    with open(file, "rb") if isinstance(file, str | PathLike) else nullcontext(file) as stream:
        try:
            return sound(_read_maps(stream, most_bytes, most_tokens))
        except InputError:
            raise
        except Exception as error:  # zipfile, zlib, NumPy and json raise a dozen classes for bytes without sense
            raise InputError(
                "This is not a file of saved maps, or it is damaged. For arrays of your own, "
                "mha.from_arrays(weights, tokens).save(file) writes such a file."
            ) from error


@contextmanager
def bounded_archive(file: BinaryIO) -> Iterator[zipfile.ZipFile]:
    """Open an NPZ archive whose directory is at most `MOST_DIRECTORY` bytes.

    zipfile reads a directory at once, and an object for each of its entries takes more memory than the file has.
    """
    view: Any = SimpleNamespace(seek=file.seek, tell=file.tell, seekable=lambda: True)
    view.read = lambda size=-1: file.read(min(size, MOST_DIRECTORY) if size >= 0 else MOST_DIRECTORY)
    with zipfile.ZipFile(view) as archive:
        view.read = file.read
        yield archive


def _read_maps(file: BinaryIO, most_bytes: int, most_tokens: int) -> AttentionMaps:
    with bounded_archive(file) as archive:
        weights = _read_array(archive, "weights", np.float32, most_bytes)
        n_queries, n_keys = weights.shape[2:]
        if max(n_queries, n_keys) > most_tokens:
            raise InputError(
                f"Maps of up to {most_tokens:,} tokens can be read here; these have {n_queries:,} rows and "
                f"{n_keys:,} columns."
            )
        content = _read_array(archive, "about", np.uint8, _most_about(n_queries, n_keys))
    fields = {"measure": ATTENTION} | json.loads(content.tobytes())  # files of 0.2 have no measure
    if fields["format"] != FORMAT:
        raise InputError(f"Saved maps are of format {FORMAT}; this file has format {fields['format']!a:.40}.")
    tokens, keys = (tuple(Token(**row) for row in fields[name] or ()) for name in ("tokens", "key_tokens"))
    return AttentionMaps(weights, tokens, keys, **{name: fields[name] for name in _MAP_TYPES})


def _most_about(n_queries: int, n_keys: int) -> int:
    """Return how many bytes of JSON a file may have."""
    return 2**18 + 2**8 * (n_queries + n_keys)


def _read_array(archive: zipfile.ZipFile, name: str, dtype: type, most_bytes: int) -> np.ndarray:
    """Return an array of an archive; an array larger than ``most_bytes`` is not unpacked.

    Raises:
        InputError: the array is larger. Any other exception: it is of another type or damaged.
    """
    entry = archive.getinfo(f"{name}.npy")
    if entry.file_size > most_bytes:
        raise InputError(f"The array {name} has {entry.file_size:,} bytes; the limit is {most_bytes:,}.")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("zipfile does not bound what other methods unpack")
    with archive.open(entry) as stream:
        version = np.lib.format.read_magic(stream)
        shape, is_fortran, stored = np.lib.format.read_array_header_1_0(stream, max_header_size=MOST_HEADER)
        size = stream.tell() + math.prod(shape) * stored.itemsize
    if version != (1, 0) or is_fortran or stored != dtype or size != entry.file_size:
        raise ValueError("save_maps writes another header")
    with archive.open(entry) as stream:
        return np.lib.format.read_array(stream, max_header_size=MOST_HEADER)


def sound(maps: AttentionMaps) -> AttentionMaps:
    """Return the same maps, checked as a whole.

    No axis is empty. Self-attention has a row for every column, or for the last of them. Names and texts are text
    without lone surrogates. Every token has a span in one of two texts, not before the previous token's, and belongs
    to a word or to none.

    Raises:
        ShapeError: an axis is empty, or the rows of self-attention are not the last of its columns.
        InputError: anything else; the message names the first mistake.
    """
    if 0 in maps.weights.shape:
        raise ShapeError(f"Maps have at least one layer, head, row and column; these are {list(maps.weights.shape)}.")
    n_queries, n_keys, first = maps.n_queries, maps.n_keys, maps.first_query
    if first and (n_queries > n_keys or maps.tokens != maps.key_tokens[first:]):
        raise ShapeError(
            f"Self-attention has as many rows as columns, or the last rows of them; with {n_queries} and {n_keys} "
            "these maps connect two texts, which is cross-attention."
        )
    _check_types("these maps", maps, _MAP_TYPES)
    _check_tokens(maps, maps.tokens)
    if maps.key_tokens is not maps.tokens:
        _check_tokens(maps, maps.key_tokens)
    return maps


def _check_tokens(maps: AttentionMaps, tokens: tuple[Token, ...]) -> None:
    lengths = [len(maps.text), len(maps.pair or "")]
    starts = [0, 0]  # of the last token in each text
    for position, token in enumerate(tokens):
        name = f"token {position}"
        _check_types(name, token, _TOKEN_TYPES)
        if token.segment not in (0, 1) or not 0 <= token.start <= token.end <= lengths[token.segment]:
            raise InputError(
                f"Characters {token.start:,} to {token.end:,} of text {token.segment}, the span of {name}, do not "
                f"exist: texts 0 and 1 have {lengths[0]:,} and {lengths[1]:,} characters."
            )
        if not 0 <= (token.word or 0) < MOST_WORDS:
            raise InputError(f"The word of {name} must be from 0 to {MOST_WORDS - 1:,}, or None; it is {token.word:,}.")
        if token.special or token.start == token.end:  # tokens without a span have no order
            continue
        if token.start < starts[token.segment]:
            raise InputError(f"The span of {name} begins before that of the previous token.")
        starts[token.segment] = token.start


def _check_types(name: str, thing: Any, types: dict[str, Any]) -> None:
    """Raise InputError if a field of maps or of a token has another type, or is text that cannot be encoded."""
    for field, kind in types.items():
        value = getattr(thing, field)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise InputError(
                f"The {field} of {name} must be of type {getattr(kind, '__name__', kind)}, not {type(value).__name__}."
            )
        if isinstance(value, str) and any("\ud800" <= sign <= "\udfff" for sign in value):
            raise InputError(f"The {field} of {name} has half a letter (a lone surrogate), which cannot be shown.")
