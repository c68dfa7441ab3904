"""Small arrays with their numbers in the cells: the component's Python face."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from mha.theme import component_tokens
from mha.ui.components.modules import joined_modules, stylesheet

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
    _arrays()(key=key, data={"tokens": component_tokens(), "lines": [list(line) for line in lines]})


@functools.cache
def _arrays() -> Callable[..., Any]:
    return st.components.v2.component(
        "parallax_arrays",
        html='<div class="arrays"></div>',
        css=stylesheet("questions.css"),
        js=joined_modules("questions_arrays.js"),
    )
