"""The questions of Next word about a text: the ranks of its words and the sweep of all heads as one job; single
positions.

The ranks and the first heads are an answer behind texts, the other heads are idle work; heads are ordered for one word.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

from mha.engine.answers import of_passes
from mha.engine.bundled import bundled_positions
from mha.engine.jobs import Job, LongQuestion
from mha.engine.queue import cost
from mha.engine.remote import DISPATCHER, InPieces
from mha.errors import MHAError
from mha.intervention.outcomes import PositionEffects, WordRanks, WordSweep, join_sweeps
from mha.maps import HeadId
from mha.models.files.catalog import model_row

N_ANSWER = 8  # heads that are measured before one is named and the job becomes idle
ANSWER_PASSES = 8.0  # of the text, about: the ranks, two gradients, the means, these heads
Piece = tuple[WordRanks, ...] | str | WordSweep


@dataclass(frozen=True)
class WordSweepRequest(LongQuestion):
    """The change of some next words, by token ``ids``, with every head ablated in turn.

    ``word_id`` is the word whose heads come first. Requests that differ in it share a run, which the newest orders.
    """

    text: str
    model: str
    ids: tuple[int, ...]
    target: str = ""
    word_id: int = field(default=-1, compare=False)

    def run(self) -> WordSweepJob:
        return WordSweepJob(self)


class WordSweepJob(Job):
    """A sweep under way; ``result`` has the heads that are measured so far, None before the first step.

    Its first step finds the ``ranks`` of the words, or why there are ``no_ranks``. Steps are those of an answer, behind
    texts, until `N_ANSWER` heads are measured, and idle from then on. If a new ``request`` has another word, the
    remaining heads are ordered again after the step under way.
    """

    yields_to_texts = True
    request: WordSweepRequest
    result: WordSweep | None

    def __init__(self, request: WordSweepRequest) -> None:
        row = model_row(request.model)
        self.request = request
        self.ranks: tuple[WordRanks, ...] = ()
        self.no_ranks = ""
        self._heads = [HeadId(layer, head) for layer in range(row.n_layers) for head in range(row.n_heads)]
        passes = cost(ANSWER_PASSES, request.model, request.text, request.target)
        super().__init__(InPieces(iter_heads, (request, (), -1), passes, request.model), len(self._heads))

    def missing_work(self) -> InPieces:
        """Return the heads that are missing, ordered for the word."""
        missing = tuple(self._heads if self.result is None else self.result.missing)
        return InPieces(iter_heads, (self.request, missing, self.request.word_id), self.cost, self.request.model)

    def take(self, piece: Piece) -> None:
        """Take the ranks or the reason without, or add the heads of a sweep to the result."""
        if isinstance(piece, tuple):
            self.ranks = piece
        elif isinstance(piece, str):
            self.no_ranks = piece
        else:
            self.result = piece if self.result is None else join_sweeps(self.result, piece)
            self.n_done = self.result.n_measured
            self.idle = self.n_done >= N_ANSWER

    def steps(self) -> Iterator[None]:
        """Yield after each step; a change of the word begins the rest again in its order."""
        while self.result is None or self.result.missing:
            word_id = self.request.word_id
            pieces = DISPATCHER.pieces(self.missing_work)
            with closing(pieces):  # type: ignore[type-var]
                for piece in pieces:
                    self.take(piece)
                    yield
                    if self.request.word_id != word_id:
                        break


def iter_heads(request: WordSweepRequest, heads: tuple[HeadId, ...], word_id: int) -> Iterator[Piece]:
    """Yield the ranks if no head is measured, and the sweep with more and more of some heads, by their estimates.

    Steps compute with one thread: short texts gain nothing from more, and others need the cores.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.iter_word_sweep`.
    """
    from mha.intervention.predicting import iter_word_sweep
    from mha.intervention.rank import ranks_of_words
    from mha.intervention.trunk import caching_trunks
    from mha.models.files.environment import one_thread

    word = None if word_id < 0 else word_id
    sweeps = iter_word_sweep(
        request.text, request.model, request.ids, heads, target=request.target, order="estimate", word=word
    )
    row = model_row(request.model)
    if len(heads) == row.n_layers * row.n_heads:
        try:
            with caching_trunks():
                ranks: Piece = ranks_of_words(request.text, request.model, request.ids)
        except MHAError as error:
            ranks = str(error)
        yield ranks
    while True:
        with one_thread(), caching_trunks():
            sweep = next(sweeps, None)
        if sweep is None:
            return
        yield sweep


def head_positions(text: str, model: str, head: HeadId, ids: tuple[int, ...], word: int) -> PositionEffects:
    """Return the effect of a head by position on some next words, bundled or measured.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.intervention.next_words.effect_by_position`.
    """
    stored = bundled_positions(text, model, head, word)
    return stored if stored and stored.ids == ids else _head_positions(text, model, head, ids, word)


@of_passes(lambda _: 4, yields_to_texts=True)
def _head_positions(text: str, model: str, head: HeadId, ids: tuple[int, ...], word: int) -> PositionEffects:
    from mha.intervention.next_words import effect_by_position
    from mha.intervention.trunk import caching_trunks

    with caching_trunks():
        return effect_by_position(text, head, model, ids, word)
