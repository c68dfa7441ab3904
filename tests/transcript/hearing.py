"""Everything that is sent for a link, or for a sequence of deeds, by its name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.transcript.links import CLICKS, SEQUENCES, links
from tests.transcript.visiting import Item, Visitor

THEN = " > "


def names() -> list[str]:
    """Return the name of each link, and of each sequence of deeds: its link and the deeds behind it."""
    return [*links(), *(f"{start}{THEN}{deeds}" for start, deeds in SEQUENCES)]


def heard(wanted: Iterable[str]) -> dict[str, list[list[Item]]]:
    """Return for each name what is sent as it opens, and after each deed."""
    return {name: hear(name) for name in wanted}


def hear(name: str) -> list[list[Item]]:
    """Return what is sent for one name, a list of items for each time something was sent."""
    start, _, deeds = name.partition(THEN)
    visitor = Visitor(start)
    said = [[*visitor.opened(), *visitor.items()]]
    for deed in filter(None, deeds.split("; ")):
        visitor.does(CLICKS[deed])
        said.append(visitor.items())
    return said


def offer_tiny(folder: Path) -> str:
    """Save the three tiny models in a folder and return what `PARALLAX_MODELS` has to say."""
    from tests.models.snapshots import save_all

    return ",".join(str(path) for path in save_all(folder).values())
