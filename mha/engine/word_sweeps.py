"""What Next word asks about heads: their sweep as a job, the ranks of a word, the effect of a head by position.

The first heads of the sweep are an answer, the others are idle work; heads are ordered for one word.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

from mha.engine.answers import of_passes
from mha.engine.bundled import bundled_positions, bundled_ranks
from mha.engine.elsewhere import WAYS
from mha.engine.jobs import Job, Long
from mha.engine.question import InPieces
from mha.engine.queue import cost
from mha.intervention.outcomes import PositionEffects, WordRanks, WordSweep, join_sweeps
from mha.maps import HeadId
from mha.models.files.catalog import model_row

N_ANSWER = 8  # heads that are measured before the job becomes idle
ANSWER_PASSES = 8.0  # of the text, about: two gradients, the means, these heads


@dataclass(frozen=True)
class WordSweepRequest(Long):
    """The change of some next words, by token ``ids``, with every head ablated in turn.

    ``word_id`` is the word whose heads come first. Requests that differ in it share a run, which the newest orders.
    """

    begins = True
    text: str
    model: str
    ids: tuple[int, ...]
    target: str = ""
    word_id: int = field(default=-1, compare=False)

    def run(self) -> WordSweepJob:
        return WordSweepJob(self)

    def watch(self, visitor: str | None) -> WordSweepJob:
        """Return the run, begun unless it was, with its remaining heads in the order for this word."""
        run: WordSweepJob = super().watch(visitor)
        run.word_id = self.word_id
        return run


class WordSweepJob(Job):
    """A sweep under way; ``result`` has the heads that are measured so far, None before the first step.

    Steps are those of an answer, behind texts, until `N_ANSWER` heads are measured, and idle from then on. If
    ``word_id`` changes, the remaining heads are ordered again after the step under way.
    """

    behind_texts = True

    def __init__(self, request: WordSweepRequest) -> None:
        row = model_row(request.model)
        self.request, self.word_id = request, request.word_id
        self.result: WordSweep | None = None
        self._heads = [HeadId(layer, head) for layer in range(row.n_layers) for head in range(row.n_heads)]
        passes = cost(ANSWER_PASSES, request.model, request.text, request.target)
        super().__init__(InPieces(iter_heads, (request, (), -1), passes, request.model), len(self._heads))

    def rest(self) -> InPieces:
        """Return the heads that are missing, ordered for the word."""
        missing = tuple(self._heads if self.result is None else self.result.missing)
        return InPieces(iter_heads, (self.request, missing, self.word_id), self.cost, self.request.model)

    def take(self, piece: WordSweep) -> None:
        """Add the heads of a piece to the result."""
        self.result = self.found = piece if self.result is None else join_sweeps(self.result, piece)
        self.done = self.result.n_measured
        self.idle = self.done >= N_ANSWER

    def steps(self) -> Iterator[None]:
        """Yield after each step; a change of the word begins the rest again in its order."""
        while self.result is None or self.result.missing:
            word_id = self.word_id
            pieces = WAYS.pieces(self.rest)
            with closing(pieces):  # type: ignore[type-var]
                for piece in pieces:
                    self.take(piece)
                    yield
                    if self.word_id != word_id:
                        break


def iter_heads(request: WordSweepRequest, heads: tuple[HeadId, ...], word_id: int) -> Iterator[WordSweep]:
    """Yield the sweep with more and more of some heads measured, those with the largest estimates first.

    Idle steps compute with one thread: short texts gain nothing from more, and others need the cores.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.iter_word_sweep`.
    """
    from mha.intervention.predicting import iter_word_sweep
    from mha.models.files.environment import one_thread

    word = None if word_id < 0 else word_id
    sweeps = iter_word_sweep(
        request.text, request.model, request.ids, heads, target=request.target, order="estimate", word=word
    )
    n_before = model_row(request.model).n_layers * model_row(request.model).n_heads - len(heads)
    n_measured = n_before
    while True:
        try:
            if n_measured < N_ANSWER:
                sweep = next(sweeps)
            else:
                with one_thread():
                    sweep = next(sweeps)
        except StopIteration:
            return
        n_measured = n_before + sweep.n_measured
        yield sweep


def word_ranks(text: str, model: str, number: int) -> WordRanks:
    """Return the rank of a next word after each layer, by its token id, bundled or computed.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.rank_by_layer`.
    """
    return bundled_ranks(text, model, number) or _word_ranks(text, model, number)


def head_positions(text: str, model: str, head: HeadId, ids: tuple[int, ...], word: int) -> PositionEffects:
    """Return the effect of a head by position on some next words, bundled or measured.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.intervention.positions.effect_by_position`.
    """
    stored = bundled_positions(text, model, head, word)
    return stored if stored and stored.ids == ids else _head_positions(text, model, head, ids, word)


@of_passes(lambda _: 1)
def _word_ranks(text: str, model: str, number: int) -> WordRanks:
    from mha.intervention.rank import rank_by_layer

    return rank_by_layer(text, model, number)


@of_passes(lambda _: 4)
def _head_positions(text: str, model: str, head: HeadId, ids: tuple[int, ...], word: int) -> PositionEffects:
    from mha.intervention.positions import effect_by_position

    return effect_by_position(text, head, model, ids, word)
