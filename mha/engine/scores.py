"""How a model is asked which reading it is nearer to: a readout by its name, so that pages and caches need no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the module brings torch
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

    def reach(self, n_layers: int) -> int:
        """Return how many of the model's layers can act on the score."""
        return self.at if self.name == LINK and self.at is not None else n_layers


def names(model: str) -> tuple[str, ...]:
    """Return the readouts that a model can be asked by, the link margin first; loads the model."""
    from mha.intervention.readout import offered
    from mha.intervention.subject import subject

    return offered(subject(model))
