"""One cell of a model opened, and what every look brings: worked out once for equal questions, in the worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mha.engine.answers import answered
from mha.maps import HeadId

if TYPE_CHECKING:
    from mha.models.watch.cell import Cell


@answered
def one_cell(text: str, model: str, pair: str | None, head: HeadId, query: int, key: int, stack: str = "") -> Cell:
    """Return every number of one cell; errors as `mha.models.watch.cell.cell`."""
    from mha.models.watch.cell import cell

    return cell(text, head, query, key, model, pair, stack=stack)
