"""Somebody's own sentences with two readings through one model: leans of every head beside their control, as a job.

Each sentence stands beside 199 orders of its own words, drawn for its place in the file, so that no two sentences of
one length are turned round alike. As many of them as a pass takes are one step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mha.analysis.leaning import MANY, SEED, Gathering, LeansOver, moved, orders, reordered
from mha.analysis.own_texts import OwnReading
from mha.analysis.readings import leans
from mha.engine.atlas import MOST_WORDS, Watching, watching
from mha.engine.jobs import Job
from mha.engine.question import InPieces
from mha.engine.recordings import check_words
from mha.errors import InputError
from mha.models.files.catalog import model_row
from mha.stepwise import Steps
from mha.words import words

FEWEST_WORDS = 4  # three have six orders: one in six is the sentence itself, and nothing passes


class ReadingsRun(Job):
    """One model over somebody's sentences; ``over`` is what is known, ``unread`` has the lines left out, and why."""

    def __init__(self, model: str, rows: tuple[OwnReading, ...]) -> None:
        row = model_row(model)
        self.model, self.rows = model, rows
        self.shape = row.n_layers, row.n_heads
        self.gathered = Gathering(self.shape, MANY)
        self.unread: dict[int, str] = {}  # by place in rows
        self.whole = len(rows)
        self._known: LeansOver | None = None
        super().__init__()

    @property
    def missing(self) -> list[int]:
        """The places of the sentences that are still to be measured: where to go on."""
        there = self.gathered.sentences.keys() | self.unread.keys()
        return [place for place in range(len(self.rows)) if place not in there]

    def over(self) -> LeansOver | None:
        """Return the means over what is measured; None before the first sentence."""
        if self._known is None or self._known.n != len(self.gathered.sentences):
            self._known = self.gathered.over()
        return self._known

    def rest(self) -> InPieces:
        """Return the sentences that are missing."""
        return InPieces(
            lean_each, (self.model, [(place, self.rows[place]) for place in self.missing]), model=self.model
        )

    def take(self, piece: tuple[int, np.ndarray, np.ndarray] | tuple[int, str]) -> None:
        """Take the leans of one sentence and of its orders, or why it was left out."""
        if len(piece) == 2:
            self.unread[piece[0]] = piece[1]
        else:
            self.gathered.add(*piece)
        self.done = len(self.rows) - len(self.missing)


def lean_each(model: str, rows: Sequence[tuple[int, OwnReading]]) -> Iterator[Any]:
    """Yield the place of each sentence, its leans and those of its orders; or its place, and why it has none."""
    maps_of = watching(model)
    for place, row in rows:
        try:
            here, others = yield from _lean(model, row, SEED + place, maps_of)
        except InputError as error:
            yield place, str(error)
        else:
            yield place, here, others


def _lean(model: str, row: OwnReading, seed: int, maps_of: Watching) -> Steps[tuple[np.ndarray, np.ndarray]]:
    check_words(model, row.text)
    ways = orders(len(words(row.text)), MANY, seed)
    asked = [row.readings, *([moved(one, row.text, way) for one in row.readings] for way in ways)]
    found: dict[int, np.ndarray] = {}
    for together in maps_of([row.text, *(reordered(row.text, way) for way in ways)]):
        for number, maps in together:
            if maps is None:
                raise InputError(f"this model cannot read it, or it has more than {MOST_WORDS} pieces")
            found[number] = leans(maps, asked[number]).lean
        yield 0
    return found[0], np.stack([found[number] for number in range(1, len(asked))])
