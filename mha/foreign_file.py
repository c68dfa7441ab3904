"""Attention maps in a file of any tool: what `AttentionMaps.save` wrote, arrays of NumPy, a cache of TransformerLens.

A file is not trusted. No array holds objects, so reading one never runs code, and sizes are bounded before memory is
allocated.
"""

import io
import math
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np

from mha.errors import InputError
from mha.foreign import from_arrays
from mha.formats import join_list
from mha.maps import AttentionMaps
from mha.saved import MOST_HEADER, bounded_archive, load_maps
from mha.words import replace_unreadable

MOST_BYTES = 48 * 2**20  # of the weights as float32
MOST_TOKENS = 512
MOST_HEADS = 1024
MOST_LETTERS = 20_000  # of texts and tokens
MOST_ARRAYS = 1024  # of a file
WEIGHTS = ("weights", "attentions", "attention", "attn")  # names of an array with all layers
NUMPY, ZIP = b"\x93NUMPY", b"PK"
SAVE = "Save it with mha.from_arrays(weights, tokens).save('maps.npz')"
PICKLE = (
    "This is a file of torch.save or pickle, which may run code when it is opened. "
    f"{SAVE}, or outputs of generate with mha.from_generate(outputs, tokens).save('maps.npz')."
)
UNKNOWN = f"This is not an NPZ or NPY file, or it is damaged. {SAVE}."
_LAYER = re.compile(r"(?:^|\.)blocks\.(\d+)\.attn\.hook_pattern$")
_NUMBERED = re.compile(r"arr_(\d+)$")  # as np.savez names arrays without names


@dataclass(frozen=True)
class FileMaps:
    """Maps of a file, and a sentence for each thing that it lacks."""

    maps: AttentionMaps
    notes: tuple[str, ...] = ()


def read_file(content: bytes) -> FileMaps:
    """Return the maps in a file.

    An NPZ archive has what `AttentionMaps.save` wrote, the patterns of a TransformerLens cache by their names, an array
    "weights" [layer, head, query, key], or an array for each layer; ``tokens`` and ``text`` in it are texts. An NPY
    file has one array.

    Raises:
        InputError: it has no maps, or more than a page can draw; the sentence names the way out.
        ShapeError: its numbers are not attention weights.
    """
    if content.startswith(NUMPY):
        file_maps = _from_arrays({"weights": _read_array(io.BytesIO(content), len(content), "weights")})
    elif content.startswith(ZIP):
        file_maps = _read_archive(content)
    else:
        raise InputError(PICKLE if content.startswith(b"\x80") else UNKNOWN)
    maps = file_maps.maps
    if maps.n_layers * maps.n_heads > MOST_HEADS:
        raise InputError(
            f"This file has {maps.n_layers * maps.n_heads:,} heads; the limit is {MOST_HEADS:,}. Save some layers: "
            "mha.from_arrays(weights[:8], tokens)."
        )
    if maps.kind == "self" and maps.n_queries != maps.n_keys:
        raise InputError(
            f"These maps have rows for the last {maps.n_queries} of {maps.n_keys} tokens; this page needs a row for "
            "each. mha.head_heatmap draws them in a notebook."
        )
    maps.check_every_row()
    letters = sum(map(len, (maps.text, maps.pair or "", *(token.text for token in (*maps.tokens, *maps.key_tokens)))))
    if letters > MOST_LETTERS:
        raise InputError(
            f"The text and the tokens of this file have {letters:,} letters; the limit is {MOST_LETTERS:,}. "
            "mha.show(maps) draws them in a notebook."
        )
    return FileMaps(_readable(maps), file_maps.notes)


def _read_archive(content: bytes) -> FileMaps:
    try:
        with bounded_archive(io.BytesIO(content)) as archive:
            names = [entry.filename for entry in archive.infolist()]
            if any(name.endswith(".pkl") for name in names):
                raise InputError(PICKLE)
            if "about.npy" in names:
                return FileMaps(load_maps(io.BytesIO(content), MOST_BYTES, MOST_TOKENS))
            return _from_arrays(_read_arrays(archive))
    except InputError:
        raise
    except Exception as error:  # zipfile, zlib and NumPy raise a dozen classes for bytes without sense
        raise InputError(UNKNOWN) from error


def _read_arrays(archive: zipfile.ZipFile) -> dict[str, np.ndarray]:
    """Return the arrays of an archive that may be attention, tokens or a text."""
    entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
    patterns = [name for name in entries if name.endswith("hook_pattern")]
    selected = [*(patterns or entries), *(name for name in ("tokens", "text") if patterns and name in entries)]
    if len(selected) > MOST_ARRAYS or sum(entries[name].file_size for name in selected) > 2 * MOST_BYTES:
        raise InputError(
            f"This file has more than {2 * MOST_BYTES // 2**20} MB of arrays. Save the attention alone: "
            "mha.from_arrays(weights, tokens).save('maps.npz')."
        )
    arrays = {}
    for name in selected:
        if entries[name].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InputError(UNKNOWN)
        with archive.open(entries[name]) as stream:
            arrays[name] = _read_array(stream, entries[name].file_size, name)
    return arrays


def _read_array(stream: Any, size: int, name: str) -> np.ndarray:
    """Return one array of a stream of so many bytes; its header is checked before memory is allocated."""
    start: BinaryIO = io.BytesIO(stream.read(min(size, 12 + MOST_HEADER)))
    try:
        version = np.lib.format.read_magic(start)
        shape, is_fortran, kind = np.lib.format.read_array_header_1_0(start, max_header_size=MOST_HEADER)
    except ValueError as error:
        raise InputError(f"The array {name!a:.40} cannot be read. {SAVE}.") from error
    if kind.hasobject:
        raise InputError(f"The array {name!a:.40} holds objects, which may run code when they are read. {SAVE}.")
    if version != (1, 0) or start.tell() + math.prod(shape) * kind.itemsize != size:
        raise InputError(UNKNOWN)
    if math.prod(shape) * kind.itemsize > 2 * MOST_BYTES:
        raise InputError(f"The array {name!a:.40} is larger than {2 * MOST_BYTES // 2**20} MB. Save fewer layers.")
    content = start.read() + stream.read()
    return np.frombuffer(content, dtype=kind).reshape(shape, order="F" if is_fortran else "C")


def _from_arrays(arrays: Mapping[str, np.ndarray]) -> FileMaps:
    """Return the maps in arrays by name, with a sentence for each thing that the file lacks."""
    notes: list[str] = []
    weights = _weights_in(arrays, notes)
    n_keys = int(np.shape(weights[0])[-1])
    if n_keys > MOST_TOKENS:
        raise InputError(f"This file has {n_keys:,} tokens; the limit is {MOST_TOKENS:,}. Save a part of the text.")
    names = arrays.get("tokens")
    if names is None or names.dtype.kind != "U" or names.ndim != 1:
        notes.append(
            "The file has no tokens, so they are numbered from 1. An array “tokens” in an NPZ file names them."
        )
        tokens = [str(number) for number in range(1, n_keys + 1)]
    else:
        tokens = [str(name) for name in names]
    text = arrays.get("text")
    spelt = str(text) if text is not None and text.dtype.kind == "U" and text.ndim == 0 else ""
    return FileMaps(from_arrays(weights, tokens, text=spelt), tuple(notes))


def _weights_in(arrays: Mapping[str, np.ndarray], notes: list[str]) -> Any:
    """Return the attention among arrays as `from_arrays` takes it: one array, or one for each layer."""
    layers = {name: int(match[1]) for name in arrays if (match := _LAYER.search(name))}
    if layers:
        numbers = sorted(layers.values())
        if numbers != list(range(len(numbers))):
            notes.append(
                f"The file has the layers {join_list([str(number) for number in numbers])}; "
                "they are numbered from 0 here."
            )
        return tuple(arrays[name] for name in sorted(layers, key=layers.__getitem__))
    floats = {name: array for name, array in arrays.items() if array.dtype.kind == "f" and array.ndim >= 3}
    known_arrays = [floats[name] for name in WEIGHTS if name in floats]
    ordered = sorted((int(match[1]), name) for name in floats if (match := _NUMBERED.match(name)))
    if known_arrays or len(floats) == 1:
        array = (known_arrays or list(floats.values()))[0]
        return array[None] if array.ndim == 3 else array
    if ordered and len(ordered) == len(floats):
        return tuple(floats[name] for _, name in ordered)
    raise InputError(
        "This file has no array “weights” [layer, head, query, key] and no patterns of TransformerLens; it has "
        f"{join_list([ascii(name)[:40] for name in list(arrays)[:5]]) or 'no arrays'}. {SAVE}."
    )


def _readable(maps: AttentionMaps) -> AttentionMaps:
    """Return the maps with a sign for each character that cannot be shown or could turn the page around it."""

    def cleaned(tokens: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            replace(token, text=replace_unreadable(token.text), raw=replace_unreadable(token.raw)) for token in tokens
        )

    pair = None if maps.pair is None else replace_unreadable(maps.pair)
    tokens, keys = cleaned(maps.tokens), cleaned(maps.key_tokens)
    return replace(
        maps,
        tokens=tokens,
        key_tokens=keys,
        text=replace_unreadable(maps.text),
        pair=pair,
        model=replace_unreadable(maps.model),
    )
