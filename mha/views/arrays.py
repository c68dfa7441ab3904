"""The data of `mha.app.components.arrays`: matrices as tables of numbers, with operators between them. Pure.

A masked number is None, drawn hatched. All signed arrays of a picture share one scale.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mha.formats import truncate

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
