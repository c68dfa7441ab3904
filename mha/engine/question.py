"""Questions: a question is a value that computes its answer in this process.

A page does not know which process answers, this one or a cluster, so it hands every question to an `Ask`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

A = TypeVar("A", covariant=True)


class Question(Generic[A]):
    """Something that can be asked: frozen, and equal to what asks the same."""

    def answer(self) -> A:
        """Return the answer, found in this process; errors are those of the work."""
        raise NotImplementedError


class Ask(Protocol):
    """A function that answers questions."""

    def __call__(self, question: Question[A], /) -> A: ...


@dataclass(frozen=True)
class InPieces(Question[Iterator[Any]]):
    """A question whose answer comes in pieces: a module's function yields one each half second, a number for no news.

    ``cost`` is its whole work (`mha.engine.queue.cost`); unknown is long. ``model`` is the loaded model that it runs,
    or "": on a cluster the question goes to a replica with this model.
    """

    pieces: Callable[..., Iterator[Any]]
    given: tuple[Any, ...]
    cost: float = math.inf
    model: str = ""

    def answer(self) -> Iterator[Any]:
        return self.pieces(*self.given)


def here(question: Question[A]) -> A:
    """Answer a question in this process. Questions about a visit have their default answers."""
    return question.answer()


@dataclass(frozen=True)
class Kept(Question[Any]):
    """A value of the visit by name, which no link contains; without a visit the answer is ``nothing``.

    `ADDRESS` and `CAME` are values of every visit that are not stored.
    """

    name: str
    nothing: Any = None

    def answer(self) -> Any:
        return self.nothing


@dataclass(frozen=True)
class Arrival:
    """Whether the run before was of the same page, or the reader comes from another; ``words`` are the address's."""

    stayed: bool = False
    from_another: bool = False
    words: frozenset[str] = frozenset()


ADDRESS: Question[str] = Kept("the address of this very view", "")  # "" where it has none
CAME: Question[Arrival] = Kept("how the reader came to this page", Arrival())
