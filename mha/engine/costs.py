"""How much work is expected of a question, before any model is asked: by that the short go before the long."""

from __future__ import annotations

from mha.models.files.catalog import model_row
from mha.words import split

MINILM = 6 * 384**2  # layers × width²


def tokens(*texts: str | None) -> int:
    """Return how many tokens texts are, about: words and marks, and one at each end."""
    return sum(len(split(text)) + 2 for text in texts if text)


def cost(passes: float, model: str, *texts: str | None) -> float:
    """Return how much work so many passes over texts are, in tokens × passes of MiniLM."""
    row = model_row(model)
    size = row.n_layers * (row.n_heads * row.d_head) ** 2 / MINILM
    return passes * tokens(*texts) * max(1.0, size)
