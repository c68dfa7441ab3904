"""What blocks are in JavaScript: `assets/js/blocks.d.ts`, written by ``python -m tests.interfaces``.

TypeScript holds the drawers of `assets/js` to it, so that a field which has another name here fails `make check`. Each
class is read as `as_data` sends it: one interface for every kind of block, and one for whatever stands in a block.
"""

import functools
import importlib
import operator
import pkgutil
import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union

import mha.screens
from mha.assets import ASSETS
from mha.screens.blocks import Block

BY_PYTHON = {f"mha.screens.{name}" for name in ("places", "inputs", "takings")}  # a browser is not sent these
FILE = ASSETS / "js" / "blocks.d.ts"
HEADER = """\
// Written by `python -m tests.interfaces` from the classes of blocks in mha/screens. Change those, not this file.

/** What is said, by kind; of a term the third is its entry of the glossary. */
export type Span = [kind: string, text: string, entry?: string];
/** An array of one axis; null is what is no number. */
export type NumberRow = (number | null)[];
/** An array of two axes. */
export type NumberRows = NumberRow[];
/** An array of one axis, of yes and no. */
export type FlagRow = boolean[];
/** An array of two axes, of yes and no. */
export type FlagRows = FlagRow[];
"""
_PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", Any: "any", Block: "Block"}
_NAME = re.compile(r"^export (?:type|interface) (\w+)", re.MULTILINE)


def kinds() -> dict[str, type]:
    """Return the class of each kind of block that a browser is sent, by its kind: of all but `BY_PYTHON`.

    Raises:
        ValueError: two classes have one kind.
    """
    found: dict[str, type] = {}
    for module in pkgutil.walk_packages(mha.screens.__path__, "mha.screens."):
        if module.name in BY_PYTHON:  # drawn by Python, and with kinds of their own
            continue
        for one in vars(importlib.import_module(module.name)).values():
            if not (isinstance(one, type) and issubclass(one, Block) and one.__module__ == module.name):
                continue
            if "kind" in vars(one) and found.setdefault(one.kind, one) is not one:
                raise ValueError(f"{found[one.kind]} and {one} are both of kind {one.kind!r}")
    return dict(sorted(found.items()))


def written() -> str:
    """Return the whole file.

    Raises:
        ValueError: two interfaces have one name, or a field's type is none that travels.
    """
    classes = kinds()
    names = _Names(classes)
    blocks = "".join(f"  {kind}: {names.of(one)};\n" for kind, one in classes.items())
    interfaces = "".join(f"\n{text}" for text in names.interfaces())
    table = f"\n/** Every kind of block. */\nexport interface Blocks {{\n{blocks}}}\n\n"
    found = HEADER + table + "export type Block = Blocks[keyof Blocks];\n" + interfaces
    given = _NAME.findall(found)
    if twice := {name for name in given if given.count(name) > 1}:
        raise ValueError(f"several types are called {', '.join(sorted(twice))}")
    return found


class _Names:
    """What interfaces are called: a block as its kind, what stands in one as its class."""

    def __init__(self, classes: dict[str, type]) -> None:
        self._kinds = {one: kind for kind, one in classes.items()}
        inside = {one for block in self._kinds for one in _inside(block)}
        self._known = {one: one.__name__ for one in inside} | {one: _pascal(kind) for one, kind in self._kinds.items()}

    def of(self, one: type) -> str:
        """Return what a class is called."""
        return self._known[one]

    def interfaces(self) -> Iterator[str]:
        """Yield every interface, by name."""
        for one, name in sorted(self._known.items(), key=lambda pair: pair[1]):
            about = (one.__doc__ or "").partition("\n")[0].replace("``", "`")
            yield f"/** {about} */\nexport interface {name} {{\n{''.join(self._lines(one))}}}\n"

    def _lines(self, one: type) -> Iterator[str]:
        if one in self._kinds:
            yield f"  kind: {_quoted(self._kinds[one])};\n"
        for name, optional, hint in _parts(one):
            yield f"  {name}{'?' if optional else ''}: {self._type(hint)};\n"

    def _type(self, hint: Any) -> str:
        """Return a type as TypeScript writes it."""
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if origin is Annotated:
            return hint.__metadata__[0]
        if isinstance(hint, type) and hint in self._known:
            return self._known[hint]
        if hint in _PLAIN:
            return _PLAIN[hint]
        if origin in (Union, UnionType):
            return " | ".join(dict.fromkeys(self._type(one) for one in args))
        if origin is Literal:
            return " | ".join(map(_quoted, args))
        if origin is tuple and args[-1] is not Ellipsis:
            return f"[{', '.join(map(self._type, args))}]"
        if isinstance(hint, type) and issubclass(hint, tuple) and typing.get_type_hints(hint):  # a named one
            return f"[{', '.join(f'{name}: {self._type(one)}' for name, one in typing.get_type_hints(hint).items())}]"
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return f"{{ [name: string]: {self._type(args[1])} }}"
        if isinstance(origin, type) and issubclass(origin, Sequence):
            inner = self._type(args[0])
            return f"({inner})[]" if typing.get_origin(args[0]) in (Union, UnionType) else f"{inner}[]"
        raise ValueError(f"{hint} is no type that travels")


def _parts(one: type) -> Iterator[tuple[str, bool, Any]]:
    """Yield what is sent of a class: a field's name, whether it may be left out, and its type."""
    hints = typing.get_type_hints(one, include_extras=True)
    if is_dataclass(one):
        for part in fields(one):
            hint = hints[part.name]
            optional = part.default is None
            yield part.name.rstrip("_"), optional, _without_none(hint) if optional else hint
        return
    for name, hint in hints.items():  # a TypedDict
        left_out = typing.get_origin(hint) is NotRequired
        yield name, left_out, typing.get_args(hint)[0] if left_out else hint


def _without_none(hint: Any) -> Any:
    return functools.reduce(operator.or_, (one for one in typing.get_args(hint) if one is not NoneType))


def _inside(one: type) -> set[type]:
    """Return the classes of what stands in a class, however deep."""
    found: set[type] = set()
    waiting = [hint for _, _, hint in _parts(one)]
    while waiting:
        hint = waiting.pop()
        if isinstance(hint, type) and (is_dataclass(hint) or typing.is_typeddict(hint)) and hint not in found:
            found.add(hint)
            waiting += [inner for _, _, inner in _parts(hint)]
        waiting += [part for part in typing.get_args(hint) if typing.get_origin(hint) is not Literal]
    return found


def _pascal(name: str) -> str:
    return "".join(part.title() for part in name.split("_"))


def _quoted(text: str) -> str:
    return f'"{text}"'


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
