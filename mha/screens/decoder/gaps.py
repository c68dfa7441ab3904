"""A model that fills gaps: what is said of a typed ``[MASK]``, and of a model that fills none."""

from __future__ import annotations

from mha.formats import counted
from mha.models.files.rows import ModelRow

TYPED = "[MASK]"
MOST = 3  # gaps whose words are told


def n_gaps(text: str, row: ModelRow) -> int:
    """Return how many gaps a model has to fill in a text; none where it fills none."""
    return text.count(TYPED) if row.predicts == "mask" else 0


def not_filled(text: str, row: ModelRow) -> str:
    """Return what is said of a typed mask to a model that fills no gaps; "" where there is nothing to say."""
    if TYPED not in text or row.predicts == "mask":
        return ""
    why = {"": "it has no layer that predicts words", "next": "it writes on", "target": "it writes a text beside it"}
    return f"{row.short} cannot fill gaps: {why[row.predicts]}. It reads “{TYPED}” as ordinary text."


def invitation(row: ModelRow) -> str:
    """Return how to have a gap filled, for a model that does so."""
    return f"Type {TYPED} in place of a word to see the most likely words, and which head matters for them."


def left_out(count: int) -> str:
    """Return what is said where there are more gaps than are told; "" where there are not."""
    return "" if count <= MOST else f"Showing the first {counted(MOST)} of {count} gaps."


def title(number: int, count: int) -> str:
    """Return the heading over the words for one gap, counted from 0."""
    return "What fills the gap" if count == 1 else f"What fills gap {number + 1}"
