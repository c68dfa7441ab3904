"""Damaged files of the program that a page does without, said on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from streamlit.delta_generator import DeltaGenerator

from mha.assets import AGAIN, doing_without
from mha.ui import boundary


class Without:
    """What one run of a page does without: said at once, for nothing can be said of a page any more that was stopped.

    What is missed before there is a place for it is said as soon as there is one.
    """

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._place: DeltaGenerator | None = None

    def said_in(self, place: DeltaGenerator) -> None:
        """Say at the end of ``place`` what is done without, from now on and so far."""
        self._place = place
        for name in self._names:
            self._say(name)

    def hear(self, name: str) -> None:
        """Take in that a file is done without."""
        if name not in self._names:
            self._names[name] = None
            self._say(name)

    def _say(self, name: str) -> None:
        if self._place is not None:
            with self._place:
                boundary.say(f"{name} is missing or damaged, and this page goes on without it. {AGAIN}")


@contextmanager
def heard() -> Iterator[Without]:
    """Hear of every damaged file that is done without inside the block."""
    without = Without()
    with doing_without(without.hear):
        yield without
