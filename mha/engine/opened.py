"""One cell of a model opened, and what every look brings: worked out once for equal questions, in the worker."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mha.engine.answers import FEW, answered, in_steps
from mha.engine.recordings import Request, record
from mha.errors import InputError
from mha.maps import HeadId, Recording
from mha.stepwise import Steps

if TYPE_CHECKING:
    from mha.models.watch.cell import Cell
    from mha.models.watch.norms import Brought

MOST_TOKENS = 256  # of what looks bring: maps of twice as many are drawn for ten seconds, and take 75 MB each


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


@in_steps(lambda _: FEW)
def all_brought(
    text: str, model: str, pair: str | None = None, stack: str = "", target: str | None = None
) -> Steps[Brought]:
    """Find what every look brings; errors as `mha.models.watch.norms.brought`.

    Raises:
        InputError: the text, or both that are read together, have more than `MOST_TOKENS` tokens.
    """
    if not stack and target is None:
        n_tokens = record(Request(text, model, pair)).maps.n_queries  # the page has it already
        if n_tokens > MOST_TOKENS:
            both = "the two texts have" if pair else "this text has"
            raise InputError(f"Contributions are computed for up to {MOST_TOKENS} tokens; {both} {n_tokens}.")
    from mha.models.watch.norms import bringing

    return (yield from bringing(text, model, pair, target, stack))


def weighed(recording: Recording, model: str) -> Recording:
    """Return a recording whose maps are shares of what its looks bring; errors as `mha.models.watch.norms.brought`."""
    maps = recording.maps
    return replace(recording, maps=all_brought(maps.text, model, maps.pair).as_maps())
