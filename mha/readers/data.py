"""A page as plain data: its blocks as JSON has them, what can be chosen by its word, arrays as bytes in base64."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mha.link.link import Link
from mha.link.pages import page_row
from mha.screens import inputs, places
from mha.screens.blocks import Block, Drawing, as_data

NOT_SENT = {
    "acts",
    "on",
    "then",
    "of",
    "maps",
    "source",
    "question",
    "seeded",
}  # what a click does, and what is not drawn


@dataclass(frozen=True, eq=False)
class ReadPage:
    """A page that was read: its link, what in it could not be, and its blocks."""

    link: Link
    complaints: tuple[str, ...]
    blocks: tuple[Block, ...]
    address: str = ""  # where it stands; by default its link

    @property
    def title(self) -> str:
        """What the page is called."""
        return page_row(self.link.page).title


def page_data(page: ReadPage) -> dict[str, Any]:
    """Return a page as JSON has it: its link, its title, what could not be, and its blocks in their order."""
    return {
        "link": str(page.link),
        "title": page.title,
        "complaints": list(page.complaints),
        "blocks": blocks_data(page.blocks),
    }


def blocks_data(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    """Return blocks as JSON has them, each with its kind."""
    return [_block(block) for block in blocks if not isinstance(block, inputs.Put | inputs.Remember | places.Wait)]


def _block(block: Any) -> dict[str, Any]:
    if type(block).__module__ not in places.BY_PYTHON:
        found: dict[str, Any] = as_data(block)
        return found
    found = {"kind": block.kind} if hasattr(block, "kind") else {}
    for part in fields(block):
        value = getattr(block, part.name)
        if part.name == "blocks":
            found["blocks"] = blocks_data(value)
        elif part.name == "columns" and isinstance(block, places.Side):
            found["columns"] = [blocks_data(column) for column in value]
        elif isinstance(value, Drawing):
            found["header"], found["arrays"] = value.header, {name: _bytes(one) for name, one in value.arrays.items()}
        elif isinstance(block, places.Chart) and part.name == "given":
            continue  # what it is of; its alternative says what it shows
        elif part.name not in NOT_SENT:
            found[part.name] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; of what is no data its own description."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if type(value).__module__ in places.BY_PYTHON:
        return _block(value)
    return as_data(value)


def _bytes(array: np.ndarray) -> dict[str, Any]:
    content = np.ascontiguousarray(array).tobytes()
    return {"dtype": array.dtype.name, "shape": list(array.shape), "base64": base64.b64encode(content).decode("ascii")}
