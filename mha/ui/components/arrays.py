"""Small arrays with their numbers in the cells, as a block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mha.ui.components.blocks import draw


def arrays(*lines: Sequence[Mapping[str, Any] | str], key: str) -> None:
    """Draw lines of arrays, with operators such as "×" between them."""
    draw([{"kind": "arrays", "lines": lines}], key, large=False)
