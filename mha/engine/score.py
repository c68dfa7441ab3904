"""Which score an experiment reads: a name and its texts, so that a question about it is a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # this brings torch
    from mha.intervention.readout import Readout

LINK = "link"


@dataclass(frozen=True)
class Score:
    """One readout: ``name`` is "link", "continuations", "fills" or "targets"; ``a`` and ``b`` the texts compared.

    ``at`` is the block output that the link margin is read at; None for the last but one.
    """

    name: str = LINK
    a: str = ""
    b: str = ""
    at: int | None = None

    def readout(self) -> Readout:
        """Return the readout itself."""
        from mha.intervention.readout import readout_named

        return readout_named(self.name, self.a, self.b)

    @property
    def at_link(self) -> bool:
        """Whether the link margin is read, in the last block that can act on it."""
        return self.name == LINK

    def reach(self, n_layers: int) -> int:
        """Return how many of the model's layers can act on the score."""
        return self.read_at(n_layers) if self.at_link else n_layers

    def read_at(self, n_layers: int) -> int:
        """Return the number of the block output that the link margin is read at."""
        return max(1, n_layers - 1) if self.at is None else self.at


LINK_MARGIN = Score()
