"""Questions: a question is a value that computes its answer in this process.

A page does not know which process answers: this one or a cluster.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

A = TypeVar("A", covariant=True)


class Question(Generic[A]):
    """Something that can be asked: frozen, and equal to what asks the same."""

    def answer(self) -> A:
        """Return the answer, found in this process; errors are those of the work."""
        raise NotImplementedError


@dataclass(frozen=True)
class InPieces(Question[Iterator[Any]]):
    """A question whose answer comes in pieces: a module's function yields one each half second, a number for no news.

    ``cost`` is its whole work (`mha.engine.queue.cost`); unknown is long. ``model`` is the loaded model that it runs,
    or "": on a cluster the question goes to a replica with this model.
    """

    pieces: Callable[..., Iterator[Any]]
    arguments: tuple[Any, ...]
    cost: float = math.inf
    model: str = ""

    def answer(self) -> Iterator[Any]:
        return self.pieces(*self.arguments)
