"""What a word of a link may say: a text, a choice, a switch, a number, a layer, heads, words of the text.

A kind reads the values of a link, or raises the complaint about them, and writes them; `mha.ui.bound` draws it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from mha.errors import InputError, LinkError
from mha.maps import HeadId

NONE = "none"  # the word for an explicit choice of nothing, where an empty one leaves it to the app
MAX_HEADS = 64  # in one list of a link
LISTED = 8  # options that a complaint lists; of more it names the first and the last


class Shape(NamedTuple):
    """What a link needs to know of a model: its title for sentences, its size, and the models on offer beside it.

    ``reach`` is how many of its layers can act on what is asked of it; None for all. ``beside`` has the layers and
    heads of what else is shown of heads here, an encoder–decoder's decoder or maps from a file; None where nothing is.
    """

    title: str
    n_layers: int
    n_heads: int
    models: tuple[str, ...] = ()
    reach: int | None = None
    beside: tuple[int, int] | None = None

    def has(self, head: HeadId) -> bool:
        """Return whether there is such a head, here or beside.

        >>> Shape("T5", 1, 2, beside=(3, 1)).has(HeadId(2, 0)), Shape("T5", 1, 2, beside=(3, 1)).has(HeadId(2, 1))
        (True, False)
        """
        return any(head.layer < n_layers and head.head < n_heads for n_layers, n_heads in self.sizes)

    @property
    def sizes(self) -> tuple[tuple[int, int], ...]:
        """Layers and heads of all that is shown, each size once."""
        own = (self.n_layers, self.n_heads)
        return (own,) if self.beside in (None, own) else (own, self.beside)

    def heads(self, n_layers: int | None = None) -> list[str]:
        """Return the heads of the first layers by name; of all if not said.

        >>> Shape("Toy", 1, 2).heads()
        ['L0H0', 'L0H1']
        """
        layers = range(self.n_layers if n_layers is None else n_layers)
        return [f"L{layer}H{head}" for layer in layers for head in range(self.n_heads)]

    @property
    def acting(self) -> int:
        """How many layers can act on what is asked."""
        return self.n_layers if self.reach is None else self.reach


class TooLong(LinkError):
    """A text has to be cut; ``kept`` is what is left of it."""

    def __init__(self, text: str, most: int) -> None:
        super().__init__(f"it has {len(text):,} characters, too many")
        self.kept = text[:most]


class Kind:
    """What a word may say. ``drawn`` is the widget that it is drawn as, ``many`` whether it repeats."""

    many: ClassVar[bool] = False
    drawn: str

    def refusal_reason(self, value: str) -> str:
        """Return a sentence if there is a reason why a refused value would work elsewhere, else ""."""
        return ""

    def read(self, values: Sequence[str], shape: Shape) -> Any:
        """Return what the values say; raise LinkError, whose message says what the word takes, where they cannot be."""
        raise NotImplementedError

    def write(self, value: Any) -> list[str]:
        """Return the values that say this."""
        return [str(value)]

    def options(self, shape: Shape) -> list[str]:
        """Return what the word can be chosen from, as the link has it."""
        return []

    def takes(self) -> str:
        """Return the values for the table of words."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Text(Kind):
    """Any text of so many characters."""

    most: int = 2000
    drawn: str = "text"

    def read(self, values: Sequence[str], shape: Shape) -> str:
        if len(values[-1]) > self.most:
            raise TooLong(values[-1], self.most)
        return values[-1]

    def takes(self) -> str:
        return f"up to {self.most:,} characters"


@dataclass(frozen=True, eq=False)
class Choice(Kind):
    """One of some options, which may depend on the model; ``also`` are other spellings, ``offer`` is for complaints.

    ``names`` has what readers see of an option, where that is not the word of the link. ``reasons`` gives the sentence
    for a refused value, or "".
    """

    of: Sequence[str] | Callable[[Shape], Sequence[str]] = ()
    drawn: str = "select"
    also: Mapping[str, str] = field(default_factory=dict)
    offer: Callable[[Shape], str] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    reasons: Callable[[str], str] = lambda value: ""

    def refusal_reason(self, value: str) -> str:
        return self.reasons(value)

    def named(self, option: str) -> str:
        """Return what readers see of an option.

        >>> Choice(("toy", "model"), names={"toy": "toy example"}).named("toy")
        'toy example'
        """
        return self.names.get(option, option)

    def read(self, values: Sequence[str], shape: Shape) -> str:
        value = self.also.get(values[-1], values[-1])
        if value not in self.options(shape):
            raise LinkError(f"allowed: {self._offered(shape)}; got {quoted(values[-1])}")
        return value

    def options(self, shape: Shape) -> list[str]:
        return list(self.of(shape) if callable(self.of) else self.of)

    def takes(self) -> str:
        return ", ".join(f"`{option}`" for option in self.of) if not callable(self.of) else "what the model has"

    def _offered(self, shape: Shape) -> str:
        options = self.options(shape)
        if self.offer is not None:
            return self.offer(shape)
        if any(", " in option for option in options) or len(options) > LISTED:
            options = [f"“{option}”" for option in options]
        if len(options) > LISTED:
            return f"{options[0]} to {options[-1]}"
        *others, last = options
        return f"{', '.join(others)} or {last}" if others else last


@dataclass(frozen=True, eq=False)
class Switch(Kind):
    """On or off, by its two spellings."""

    on: str = "true"
    off: str = "false"
    drawn: str = "toggle"

    def read(self, values: Sequence[str], shape: Shape) -> bool:
        if values[-1].lower() not in (self.on, self.off):
            raise LinkError(f"allowed: {self.on} or {self.off}; got {quoted(values[-1])}")
        return values[-1].lower() == self.on

    def write(self, value: bool) -> list[str]:
        return [self.on if value else self.off]

    def options(self, shape: Shape) -> list[str]:
        return [self.on, self.off]

    def takes(self) -> str:
        return f"`{self.on}`, `{self.off}`"


@dataclass(frozen=True, eq=False)
class Number(Kind):
    """A number in a range; whole where its step is."""

    low: float = 0
    high: float = 1
    step: float = 1
    drawn: str = "number"
    offer: str = ""

    @property
    def whole(self) -> bool:
        """Whether only whole numbers fit."""
        return isinstance(self.step, int)

    def read(self, values: Sequence[str], shape: Shape) -> float:
        value = values[-1]
        try:
            number = float(value) if value.isascii() and "_" not in value else math.nan
        except ValueError:
            number = math.nan
        if not self.low <= number <= self.high or (self.whole and number != int(number)):
            what = "a whole number" if self.whole else "a number"
            raise LinkError(f"allowed: {what} {self.offer or self._range()}; got {quoted(value)}")
        return int(number) if self.whole else number

    def write(self, value: float) -> list[str]:
        return [repr(value)]

    def takes(self) -> str:
        return self.offer or self._range().removeprefix("from ")

    def _range(self) -> str:
        return f"from {self.low:g} to {self.high:,g}"


@dataclass(frozen=True, eq=False)
class LayerNumber(Kind):
    """A layer of the model, by its number."""

    drawn: str = "select"

    def read(self, values: Sequence[str], shape: Shape) -> int:
        value = values[-1]
        digits = value.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
            raise LinkError(f"allowed: a whole number; got {quoted(value)}")
        most = max(n_layers for n_layers, _ in shape.sizes)
        if not 0 <= int(value) < most:
            raise LinkError(f"{shape.title} has layers 0 to {most - 1}, not {quoted(value)}")
        return int(value)

    def options(self, shape: Shape) -> list[str]:
        return [str(layer) for layer in range(max(n_layers for n_layers, _ in shape.sizes))]

    def takes(self) -> str:
        return "0, 1, …"


@dataclass(frozen=True, eq=False)
class Heads(Kind):
    """Heads of the model, repeated; at most ``most``, and ``none`` for an explicit choice of no head."""

    many: ClassVar[bool] = True
    most: int = MAX_HEADS
    none: bool = False
    drawn: str = "multi"

    def read(self, values: Sequence[str], shape: Shape) -> tuple[HeadId, ...]:
        if self.none and NONE in values:
            return ()
        heads = tuple(dict.fromkeys(_head(value, shape) for value in values if value))
        if len(heads) > self.most:
            raise LinkError(f"at most {self.most} heads, not {len(heads)}")
        return heads

    def write(self, value: Sequence[HeadId]) -> list[str]:
        return [str(head) for head in value] or [NONE if self.none else ""]

    def takes(self) -> str:
        return f"`L5H3`, repeated, at most {self.most}{'; `none` for no head' if self.none else ''}"


@dataclass(frozen=True, eq=False)
class Label(Kind):
    """A word of the text with its number, "6 it", so that an edited text shows which choice no longer fits.

    Only the page knows the text, so that any text is read here.
    """

    none: bool = False
    drawn: str = "select"

    def read(self, values: Sequence[str], shape: Shape) -> Any:
        return values[-1]

    def takes(self) -> str:
        return "`6 it`" + ("; `none`" if self.none else "")


@dataclass(frozen=True, eq=False)
class Labels(Label):
    """Several words of the text."""

    many: ClassVar[bool] = True
    drawn: str = "multi"

    def read(self, values: Sequence[str], shape: Shape) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value for value in values if value))

    def write(self, value: Sequence[str]) -> list[str]:
        return list(value) or [""]

    def takes(self) -> str:
        return "`1 dog`, repeated"


def _head(value: str, shape: Shape) -> HeadId:
    try:
        head = HeadId.parse(value)
    except InputError as error:
        raise LinkError(str(error).rstrip(".").replace("A head", "a head")) from error
    if not shape.has(head):
        lasts = [HeadId(n_layers - 1, n_heads - 1) for n_layers, n_heads in shape.sizes]
        there = " and, in its other attention, ".join(f"heads L0H0 to {last}" for last in lasts)
        raise LinkError(f"{shape.title} has {there}, not {head}")
    return head


def quoted(value: str) -> str:
    """Return what a link said in quotation marks: cut where it is long, nothing unprintable.

    >>> quoted("a\\nb")
    '“a�b”'
    """
    shown = "".join(character if character.isprintable() else "�" for character in value[:40])
    return f"“{shown}{'…' if len(value) > 40 else ''}”"
