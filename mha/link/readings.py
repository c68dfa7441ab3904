"""The words of two readings in a link, for Heads; leaves with the old page of Heads."""

from __future__ import annotations

from dataclasses import dataclass

from mha.link.heads import DISMISSED as DISMISSED
from mha.link.heads import OPEN as OPEN
from mha.link.heads import SUGGESTED as SUGGESTED


@dataclass(frozen=True)
class ReadingsWords:
    """The ambiguous word and both candidates, by labels ("6 it"); None and empty mean the example's."""

    pivot: str | None = None
    a: tuple[str, ...] = ()
    b: tuple[str, ...] = ()
    by: str | None = None
