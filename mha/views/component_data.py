"""The data of components: one block of bytes, matrices as tables of numbers, and the grid of heads. Pure.

An envelope has a JSON header and the arrays it names. Layout: u32 length of the header (little endian), the header in
UTF-8 padded with spaces to four bytes, then the arrays, each starting at a multiple of four. Streamlit passes bytes
through only as the whole value (streamlit#13671), and base64 inside JSON would be a third larger.
`assets/js/lib/envelope.js` opens it. A masked number of a matrix is None, drawn hatched; all signed arrays of a picture
share one scale.
"""

import json
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mha.formats import truncate
from mha.maps import HeadId

PACKED = bytes(4)  # begins compressed bytes: no envelope has an empty header, no JSON begins with a zero
SMALLEST = 1000  # bytes that are worth compressing
LEVEL, LARGE = 4, 50_000  # the level of compression; larger contents have level 1
_TYPES = {"uint8": "<u1", "uint16": "<u2", "float32": "<f4"}


class PictureData(NamedTuple):
    """The data of a component: a JSON header, and arrays by name (uint8, uint16 or float32)."""

    header: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]


def seal(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """Return a header and its arrays as one envelope."""
    entries, chunks, offset = [], [], 0
    for name, array in arrays.items():
        chunk = np.ascontiguousarray(array).astype(_TYPES[array.dtype.name], copy=False).tobytes()
        chunk += b"\0" * (-len(chunk) % 4)
        entries.append({"name": name, "dtype": array.dtype.name, "shape": list(array.shape), "offset": offset})
        chunks.append(chunk)
        offset += len(chunk)
    text = json.dumps({**header, "arrays": entries}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    head = text.encode("utf-8", "replace")  # half a letter cannot be written
    head += b" " * (-len(head) % 4)
    return len(head).to_bytes(4, "little") + head + b"".join(chunks)


def packed(content: bytes) -> bytes:
    """Return bytes for a component, compressed if they are large; `assets/js/lib/mount.js` unpacks them.

    A quarter of a millisecond removes a third of an overview, and half of everything else.
    """
    if len(content) < SMALLEST:
        return content
    deflate = zlib.compressobj(LEVEL if len(content) < LARGE else 1, wbits=-zlib.MAX_WBITS)
    return PACKED + len(content).to_bytes(4, "little") + deflate.compress(content) + deflate.flush()


def unpacked(content: bytes) -> bytes:
    """Return bytes as they were before `packed`."""
    return zlib.decompress(content[8:], wbits=-zlib.MAX_WBITS) if content.startswith(PACKED) else content


MOST_ROWS, MOST_COLUMNS = 10, 8  # of an array that is shown in full; of a larger one, the first
FULL_INK = 2.5  # the number in full colour, unless the picture has a larger one

Array = dict[str, Any]


def array(
    values: ArrayLike,
    title: str,
    *,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    shares: bool = False,
    decimals: int = 2,
    shape: str | None = None,
    cell: tuple[int, int] | None = None,
    sends: int | None = None,
    is_result: bool = False,
    most_columns: int = MOST_COLUMNS,
) -> Array:
    """Return an array [row, column], of a large one its first rows and columns; a vector is one row.

    ``shape`` is printed after the title, its size by default. ``cell`` is framed. A click on a cell sends its place and
    ``sends``, a head; without it a click does nothing. ``is_result`` frames the array.
    """
    matrix = np.atleast_2d(np.asarray(values, dtype=np.float64))
    visible = matrix[:MOST_ROWS, :most_columns]
    size = size_of(matrix) if shape is None else shape
    note = f", first {size_of(visible)}" if visible.shape != matrix.shape and shape is None else ""
    framed = cell if cell is not None and cell[0] < len(visible) and cell[1] < visible.shape[1] else None
    return {
        "title": title, "shape": size + note, "shares": shares, "decimals": decimals, "cell": framed, "head": sends,
        "result": is_result, "rows": [truncate(row) for row in rows[:MOST_ROWS]],
        "columns": [truncate(column) for column in columns[:most_columns]],
        "values": [[round(float(value), 6) if np.isfinite(value) else None for value in row] for row in visible],
    }  # fmt: skip


def picture(label: str, *lines: Sequence[Array | str]) -> dict[str, Any]:
    """Return lines of arrays and of the operators between them; ``label`` is the text alternative of all together."""
    signed = [item for line in lines for item in line if not isinstance(item, str) and not item["shares"]]
    sizes = [abs(value) for item in signed for row in item["values"] for value in row if value is not None]
    return {"label": label, "lines": [list(line) for line in lines], "ink": max([FULL_INK, *sizes])}


def size_of(values: np.ndarray) -> str:
    """Return the shape of an array with spaces that do not break.

    >>> size_of(np.zeros((2, 1024)))
    '2\\xa0×\\xa01,024'
    """
    return "\u00a0×\u00a0".join(f"{length:,}" for length in np.shape(values))


CellState = Literal["less", "more", "changes", "to_a", "to_b", "outlined", "within", "scored", "cannot", "unmeasured"]
FILLED = ("less", "more", "changes", "to_a", "to_b")
NUMBERED = (*FILLED, "outlined")


def head_grid(
    values: np.ndarray,
    states: np.ndarray,
    legend: Mapping[CellState, str],
    write: Callable[[float], str],
    *,
    label: str,
    unit: str = "",
    group: int = 1,
    details: Sequence[str] = (),
    special: Collection[HeadId] = (),
    special_text: str = "",
    ablated: Collection[HeadId] = (),
    shown: HeadId | None = None,
    pinned: Collection[HeadId] | None = None,
    marked_layers: Sequence[int] = (),
    layer_names: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the data of the grid of heads.

    ``values`` is float64 [layer, head] and ``states`` a `CellState` for each; ``legend`` explains each state that
    occurs. ``write`` returns the number of a filled or outlined cell, and ``details`` has the words of each label, by
    default that number with its ``unit``. "less", "changes" (dark), "more" (blue), "to_a" and "to_b" (of a reading) are
    filled on one scale: the largest of their sizes. "scored" and "cannot" are heads of the layer whose output is
    scored, and of later ones. ``special`` heads have a frame, explained by ``special_text``; ``group`` heads in a row
    share keys and values. With ``pinned`` heads a click pins, else it ablates. The names of ``marked_layers`` are bold.
    ``layer_names`` begin those of heads, by default L0 and so on.
    """
    filled = np.isin(states, FILLED) & np.isfinite(values)
    top = float(np.abs(values[filled]).max(initial=0)) or 1.0
    is_numbered = np.isin(states, NUMBERED)
    texts = [write(float(v)) if has_one else "" for v, has_one in zip(values.flat, is_numbered.flat, strict=True)]
    shades = {int(index): round(abs(float(values.flat[index])) / top, 3) for index in np.flatnonzero(filled)}
    return {
        "layers": values.shape[0], "heads": values.shape[1], "group": group, "states": [str(s) for s in states.flat],
        "texts": texts, "shades": shades, "legend": dict(legend), "label": label,
        "details": list(details) or [f"{text} {unit}" if text else "" for text in texts],
        "special": list(map(str, special)), "special_text": special_text, "shown": str(shown) if shown else None,
        "ablated": list(map(str, ablated)), "pinned": None if pinned is None else list(map(str, pinned)),
        "marked_layers": list(marked_layers), "layer_names": list(layer_names),
    }  # fmt: skip


def signed_states(
    values: np.ndarray, smallest: float, below: CellState = "less", above: CellState = "more"
) -> np.ndarray:
    """Return the `CellState` of each value, [layer, head], by its sign, "within" if small, "unmeasured" if NaN."""
    states = np.where(values < 0, below, above).astype("<U10")
    states[np.abs(values) < smallest] = "within"
    states[np.isnan(values)] = "unmeasured"
    return states
