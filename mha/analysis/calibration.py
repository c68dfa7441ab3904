"""What a number over heads needs before it counts."""

from __future__ import annotations

FEWEST_HEADS = 10  # of nine, two orders by chance alone correlate by .70 or more in one of twenty
