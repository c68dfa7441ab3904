"""How far silencing each head of a model turns the texts of the corpus, as a job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mha.analysis.alike import Alike, looking_and_doing
from mha.brief import with_arrays
from mha.engine.jobs import Job
from mha.engine.question import InPieces
from mha.models.files.catalog import model_row
from mha.pairs import corpus


@with_arrays
class Silenced:
    """How far silencing each head turns a text, 1 − cosine, mean over ``n_texts``, float64 [layer, head].

    ``goes_with_looking`` is `looking_and_doing`, NaN where it is not known.
    """

    n_texts: int
    moved: np.ndarray
    goes_with_looking: float


class SilencedRun(Job):
    """How far silencing each head of a model turns the corpus: ``moved`` is [text, head of all], NaN until measured."""

    def __init__(self, model: str) -> None:
        row = model_row(model)
        self.model = model
        self.shape = row.n_layers, row.n_heads
        self.moved = np.full((len(corpus()), row.n_layers * row.n_heads), np.nan)
        self.unread: set[int] = set()
        self.whole = len(corpus())
        super().__init__()

    def rest(self) -> InPieces:
        """Return the texts that are missing."""
        numbers = [int(n) for n in np.flatnonzero(np.isnan(self.moved[:, 0])) if int(n) not in self.unread]
        return InPieces(turned, (self.model, numbers), model=self.model)

    def take(self, piece: tuple[int, np.ndarray | None]) -> None:
        """Take how far each head turns one text, None where it cannot be read."""
        number, found = piece
        if found is None:
            self.unread.add(number)
        else:
            self.moved[number] = found
        self.done = len(self.unread) + int(np.isfinite(self.moved[:, 0]).sum())

    def found(self, alike: Alike | None) -> Silenced | None:
        """Return the means, once every text is measured; ``alike`` is how alike heads look, where that is known."""
        measured = np.isfinite(self.moved[:, 0])
        return self.so_far(alike) if self.state == "done" and measured.any() else None

    def so_far(self, alike: Alike | None) -> Silenced:
        """Return the means over the texts that are measured."""
        moved = self.moved[np.isfinite(self.moved[:, 0])]
        goes = float("nan") if alike is None else looking_and_doing(alike.distance, moved)
        return Silenced(len(moved), moved.mean(axis=0).reshape(self.shape), goes)


def turned(model: str, numbers: list[int]) -> Iterator[Any]:
    """Average what takes a head's place, where that is not known; then yield the number and the turn of one text."""
    from mha.intervention.bank import gathering
    from mha.intervention.subject import subject
    from mha.intervention.sweep import turning

    experiment = subject(model)
    for _ in gathering(experiment):
        yield 0
    for place, found in turning(experiment, [corpus()[number] for number in numbers]):
        yield numbers[place], found
