"""What a browser has to say of an act: a field of it that stays open until a click comes, and what may fill it.

A page in a browser may be out of date, and anyone can send anything over the socket: what does not fit is dropped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from mha.link.acts import Act

_WHATEVER: Any = object  # to a type checker, an open field is of whatever type it stands for


class Unfit(Exception):
    """What was sent does not fit."""


@dataclass(frozen=True)
class Sent(_WHATEVER):
    """A field that a browser fills, under a name; until then it stands in the place of whatever is to come."""

    name: str

    def read(self, said: Any) -> Any:
        """Return what a browser said under the name, False for nothing; raise `Unfit` where that cannot be."""
        raise NotImplementedError


@dataclass(frozen=True)
class SentNumber(Sent):
    """A whole number below ``count``, of ``step`` each; ``none`` says that there may be none."""

    count: int
    step: int = 1
    none: bool = False

    def read(self, said: Any) -> int | None:
        if said is None and self.none:
            return None
        if type(said) is not int or not 0 <= said < self.count:
            raise Unfit
        return said * self.step


@dataclass(frozen=True)
class SentName(Sent):
    """One of some things, by what it is called; of a mapping, what it has under that name."""

    of: Collection[Any]

    def read(self, said: Any) -> Any:
        named = self.of if isinstance(self.of, Mapping) else {str(one): one for one in self.of}
        if not isinstance(said, str) or said not in named:
            raise Unfit
        return named[said]


@dataclass(frozen=True)
class SentText(Sent):
    """A text, of which ``most`` letters are taken."""

    most: int

    def read(self, said: Any) -> str:
        if not isinstance(said, str):
            raise Unfit
        return said[: self.most]


def filled(acts: Iterable[Act], message: Any) -> tuple[Act, ...]:
    """Return acts with their open fields as a message says them; none of them where it cannot be."""
    said = message if isinstance(message, Mapping) else {}
    try:
        return tuple(
            replace(act, **{part.name: _filled(getattr(act, part.name), said) for part in fields(act)}) for act in acts
        )
    except Unfit:
        return ()


def _filled(value: Any, said: Mapping[str, Any]) -> Any:
    if type(value) is tuple:
        return tuple(_filled(each, said) for each in value)
    return value.read(said.get(value.name, False)) if isinstance(value, Sent) else value
