"""The grid of heads: one cell a head, with its state, its number and its colour."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from mha.maps import HeadId

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
        "special": names(special), "special_text": special_text, "shown": str(shown) if shown else None,
        "ablated": names(ablated), "pinned": None if pinned is None else names(pinned),
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


def names(heads: Collection[HeadId]) -> list[str]:
    """Return heads by their names."""
    return [str(head) for head in heads]
