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
        """Return the answer, found in this process; errors as what is asked raises them."""
        raise NotImplementedError


class Ask(Protocol):
    """Whoever answers."""

    def __call__(self, question: Question[A], /) -> A: ...


@dataclass(frozen=True)
class InPieces(Question[Iterator[Any]]):
    """What comes in pieces, each after half a second's work: a function of a module yields them, a number for no news.

    ``cost`` is its whole work (`mha.engine.queue.cost`); unknown is long. ``model`` is the one it runs, ""
    for none that is loaded: on a cluster it goes where that is.
    """

    pieces: Callable[..., Iterator[Any]]
    given: tuple[Any, ...]
    cost: float = math.inf
    model: str = ""

    def answer(self) -> Iterator[Any]:
        return self.pieces(*self.given)


def here(question: Question[A]) -> A:
    """Answer a question in this process. A visit's own are nobody's here."""
    return question.answer()


@dataclass(frozen=True)
class Kept(Question[Any]):
    """What only a visit knows, by its name: what it keeps and no link says; whoever asks without one hears ``nothing``.

    What no visit keeps, and each has, is asked for as `ADDRESS` and `CAME`.
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
