"""What a shape finds: a pivot and two partners."""

from __future__ import annotations

from typing import NamedTuple


class Suggestion(NamedTuple):
    """An ambiguity as a shape finds it; ``pivot`` and ``partners`` are word numbers; the best has most ``weight``."""

    kind: str
    pivot: int
    partners: tuple[int, int]
    weight: float
