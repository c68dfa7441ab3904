"""The same, in numbers: the rows and columns of the statistics, what is said of them, and the file to take away."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from mha.analysis.statistics import STATISTICS, head_statistics
from mha.export.statistics import statistics_csv
from mha.maps import AttentionMaps, HeadId
from mha.screens.shown import Shown, in_words

ALL_OFF = "Every head is switched off. Choose one above, or press All back."
_FORMATS = {"share": "%.0f\u00a0%%", "bits": "%.2f", "words": "%.2f"}

# By recorded maps: measured once, and gone when they leave the engine's cache.
_measured: WeakKeyDictionary[AttentionMaps, dict[str, np.ndarray]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Column:
    """One statistic in the table: its name, what stands above it, what explains it, and how its numbers are written."""

    name: str
    label: str
    help: str
    format: str


COLUMNS = tuple(
    Column(
        row.title,
        row.title if row.unit == "share" else f"{row.title}, {row.unit}",
        f"{row.formula}. {row.range} {'' if row.unit == 'share' else row.unit}. {row.source}.",
        _FORMATS[row.unit],
    )
    for row in STATISTICS
)


def statistics(maps: AttentionMaps) -> dict[str, np.ndarray]:
    """Return the statistics of recorded maps, by word with sinks kept, measured once."""
    if maps not in _measured:
        _measured[maps] = head_statistics(in_words(maps))
    return _measured[maps]


def table_heads(shown: Shown) -> list[HeadId]:
    """Return the heads of the rows: those switched on, pinned ones first."""
    pinned = [head for head in shown.pins if head not in shown.off]
    return pinned + [head for head in shown.full.heads if head not in shown.off and head not in pinned]


def table_columns(maps: AttentionMaps, heads: list[HeadId]) -> dict[str, list[str] | np.ndarray]:
    """Return the columns by name: the heads, then each statistic as float32 [row], shares in per cents."""
    layers, numbers = np.array(heads).T
    values = statistics(maps)
    return {"Head": [str(head) for head in heads]} | {
        row.title: (values[row.key][layers, numbers] * (100 if row.unit == "share" else 1)).astype(np.float32)
        for row in STATISTICS
    }


def table_alternative(heads: list[HeadId]) -> str:
    """Return the text alternative of the table."""
    return f"Statistics of {len(heads)} heads, one row each; the downloaded file has the same numbers."


def table_caption(shown: Shown, heads: list[HeadId]) -> str:
    """Return the line under the table."""
    return (
        f"Words, with sinks kept; [[sinks|sink]] are set aside for the [[largest weight]] only. {len(heads)} of "
        f"{len(shown.full.heads)} heads, pinned ones first. Click a row to pin its head."
    )


def table_file(maps: AttentionMaps) -> bytes:
    """Return the statistics of every head as a CSV file."""
    return statistics_csv(in_words(maps), statistics=statistics(maps))
