"""One cell of a model opened, and what every look brings: worked out once for equal questions, in the worker."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mha.engine.answers import answered
from mha.maps import HeadId, Recording

if TYPE_CHECKING:
    from mha.models.watch.cell import Cell
    from mha.models.watch.norms import Brought


@answered
def one_cell(
    text: str,
    model: str,
    pair: str | None,
    head: HeadId,
    query: int,
    key: int,
    stack: str = "",
    target: str | None = None,
) -> Cell:
    """Return every number of one cell; errors as `mha.models.watch.cell.cell`."""
    from mha.models.watch.cell import cell

    return cell(text, head, query, key, model, pair, target, stack)


@answered
def all_brought(text: str, model: str, pair: str | None, stack: str = "", target: str | None = None) -> Brought:
    """Return what every look brings; errors as `mha.models.watch.norms.brought`."""
    from mha.models.watch.norms import brought

    return brought(text, model, pair, target, stack)


def weighed(recording: Recording, model: str) -> Recording:
    """Return a recording whose maps are shares of what its looks bring; errors as `mha.models.watch.norms.brought`."""
    maps = recording.maps
    return replace(recording, maps=all_brought(maps.text, model, maps.pair).as_maps())
