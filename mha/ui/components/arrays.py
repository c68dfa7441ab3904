"""Small arrays with their numbers in the cells, as a block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mha.ui.components.blocks import draw

KINDS = ("signed", "share")


def array(
    name: str,
    values: ArrayLike,
    note: str = "",
    kind: str = "signed",
    row_names: Sequence[str] = (),
    column_names: Sequence[str] = (),
    split: Sequence[int] = (),
    decimals: int = 1,
    largest: float | None = None,
) -> dict[str, Any]:
    """Return one array [row, column] as the component takes it; a vector becomes one row.

    ``split`` has the columns with a gap after them; ``largest`` is what the strongest colour stands for, the array's
    own largest number unless given.
    """
    rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
    item: dict[str, Any] = {"name": name, "note": note, "kind": kind, "decimals": decimals, "split": list(split)}
    item["rows"] = rows.tolist()
    item |= {"row_names": list(row_names)} if row_names else {}
    item |= {"column_names": list(column_names)} if column_names else {}
    return item | ({} if largest is None else {"largest": largest})


def size(values: np.ndarray) -> str:
    """Return the shape of an array as it is said: ``2 × 4``."""
    return " × ".join(str(length) for length in np.shape(values))


def arrays(*lines: Sequence[dict[str, Any] | str], key: str) -> None:
    """Draw lines of arrays, with operators such as "×" between them."""
    draw([{"kind": "arrays", "lines": lines}], key, large=False)
