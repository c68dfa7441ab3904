"""What a browser has to say of an act: a field of it that stays open until a click comes, and what may fill it.

A page in a browser may be out of date, and anyone can send anything over the socket: what does not fit is dropped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from mha.link.acts import Act, Sent, Unfit
from mha.maps import HeadId


@dataclass(frozen=True)
class SentHead(Sent):
    """A head by its name, one of ``names``."""

    names: Collection[str]

    def read(self, message: Mapping[str, Any]) -> HeadId:
        name = message.get("head")
        if not isinstance(name, str) or name not in self.names:
            raise Unfit
        return HeadId.parse(name)


@dataclass(frozen=True)
class SentNumber(Sent):
    """A whole number below ``count``, of ``step`` each; ``none`` says that there may be none."""

    name: str
    count: int
    step: int = 1
    none: bool = False

    def read(self, message: Mapping[str, Any]) -> int | None:
        value = message.get(self.name, False)
        if value is None and self.none:
            return None
        if type(value) is not int or not 0 <= value < self.count:
            raise Unfit
        return value * self.step


@dataclass(frozen=True)
class SentName(Sent):
    """One of some names."""

    name: str
    names: Collection[str]

    def read(self, message: Mapping[str, Any]) -> str:
        value = message.get(self.name)
        if not isinstance(value, str) or value not in self.names:
            raise Unfit
        return value


@dataclass(frozen=True)
class SentNames(Sent):
    """Several of some names."""

    name: str
    names: Collection[str]

    def read(self, message: Mapping[str, Any]) -> tuple[str, ...]:
        value = message.get(self.name)
        if not isinstance(value, list) or any(each not in self.names for each in value):
            raise Unfit
        return tuple(value)


@dataclass(frozen=True)
class SentText(Sent):
    """A text of ``most`` bytes at most; what is longer is cut to so many letters where it may be ``cut``."""

    name: str
    most: int
    cut: bool = False

    def read(self, message: Mapping[str, Any]) -> str:
        value = message.get(self.name)
        if not isinstance(value, str):
            raise Unfit
        if self.cut:
            return value[: self.most]
        if len(value.encode("utf-8", "replace")) > self.most:
            raise Unfit
        return value


def filled(acts: Iterable[Act], message: Any) -> tuple[Act, ...]:
    """Return acts with their open fields as a message says them; none of them where it cannot be."""
    try:
        return tuple(_filled(act, message if isinstance(message, Mapping) else {}) for act in acts)
    except Unfit:
        return ()


def _filled(act: Act, message: Mapping[str, Any]) -> Act:
    given = {part.name: getattr(act, part.name) for part in fields(act)}
    return replace(act, **{name: value.read(message) for name, value in given.items() if isinstance(value, Sent)})
