"""Cross-attention in numbers: what each head does with the words of the source, a row a head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.export.provenance import Provenance
from mha.export.tables import Table
from mha.maps import AttentionMaps
from mha.screens.blocks import Span, say
from mha.screens.decoder.crossing import unit_of_target
from mha.screens.shown import Shown

TITLE = "Cross-attention in numbers"


@dataclass(frozen=True)
class CrossColumn:
    """One number of a head: its key in a file, what stands above it, what explains it, and how it is written."""

    key: str
    label: str
    help: str
    format: str = "%.0f\u00a0%%"


COLUMNS = (
    CrossColumn("sharpest", "Largest attention", "The largest weight of each row, averaged over the rows."),
    CrossColumn("same", "Looks at the written word", "Rows that look most at a word that reads like the one to write."),
    CrossColumn(
        "onwards",
        "Moves forward",
        "Of the steps from row to row, those whose largest attention moves forward in the input.",
    ),
    CrossColumn("back", "Moves back", "The same for steps back in the input; the rest stay at their place."),
    CrossColumn(
        "entropy", "Spread (bits)", "How spread a row is, on average: 0 for one word, log₂ n for n equal ones.", "%.2f"
    ),
    CrossColumn(
        "set_aside", "To excluded tokens", "Share of all attention to what can be excluded in the input, shown or not."
    ),
)


def numbers(shown: Shown) -> dict[str, np.ndarray]:
    """Return each number of `COLUMNS` as float64 [layer, head], over what is drawn; NaN where there is none.

    Rows of which nothing is left are left out. Shares are parts of 1, entropy -sum_k w_k log2 w_k is in bits.
    """
    weights = shown.maps.weights.astype(np.float64)  # [layer, head, row, source]
    left = weights.sum(axis=-1) > 0
    logs = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    target, source = (
        np.array([token.text.casefold() for token in tokens]) for tokens in (shown.maps.tokens, shown.maps.key_tokens)
    )
    strongest = weights.argmax(axis=-1)  # [layer, head, row]
    steps = np.diff(strongest, axis=-1)
    known = left[..., 1:] & left[..., :-1]
    return {
        "sharpest": _mean(weights.max(axis=-1), left),
        "same": _mean(source[strongest] == target, left),
        "onwards": _mean(steps > 0, known),
        "back": _mean(steps < 0, known),
        "entropy": _mean(np.abs((weights * logs).sum(axis=-1)), left),
        "set_aside": np.asarray(shown.share, dtype=np.float64),
    }


def _mean(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return the mean over the last axis of those that count, NaN where none does."""
    count = counted.sum(axis=-1)
    total = np.where(counted, values, 0).sum(axis=-1, dtype=np.float64)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def table_columns(shown: Shown) -> dict[str, list[str] | np.ndarray]:
    """Return the columns as they stand on the page, by label; shares are in per cents."""
    found = numbers(shown)
    percents = {column.key: 1 if "bits" in column.label else 100 for column in COLUMNS}
    names: dict[str, list[str] | np.ndarray] = {"Head": [str(head) for head in shown.maps.heads]}
    return names | {column.label: percents[column.key] * found[column.key].ravel() for column in COLUMNS}


def table_of(shown: Shown, source: Provenance) -> Table:
    """Return the same as a table to take away; shares are parts of 1."""
    columns: dict[str, Sequence[str] | np.ndarray] = {"head": [str(head) for head in shown.maps.heads]}
    return Table(columns | {key: values.ravel() for key, values in numbers(shown).items()}, source)


def alternative(maps: AttentionMaps) -> str:
    """Return the text alternative of the table."""
    return f"Numbers of {maps.n_layers * maps.n_heads} heads of cross-attention, one row each; the file has the same."


def caption(shown: Shown) -> tuple[Span, ...]:
    """Return the line under the table."""
    maps = shown.maps
    rest = ", [[attention sinks|attention sink]] left out" if shown.aside and shown.sinks else ""
    rows = f"the {maps.n_queries} {unit_of_target(maps)}s to be written" if maps.n_queries > 1 else "the one row"
    return say(f"Averages over {rows}{rest}. Repeated input words count as one.")
