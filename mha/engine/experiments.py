"""The experiments of the pages: leans and their controls, patches, ablations, every number of a cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mha.analysis.readings import N_SHUFFLES, Leaning, Leans, leans, move_reading, orders, reorder_words
from mha.analysis.shuffles import N_COPIES, ShuffleControl
from mha.engine.answers import few_passes, in_steps
from mha.engine.recordings import Request, cached_recording, record
from mha.errors import InputError
from mha.intervention import comparing
from mha.intervention.comparing import Comparison, Neutral
from mha.intervention.outcomes import Patch, ScoreChange, Sweep
from mha.maps import AttentionMaps, HeadId, Reading, Recording
from mha.models.files.catalog import model_row
from mha.models.files.environment import one_thread
from mha.stepwise import Steps, each_inside
from mha.words import accept, split, words

if TYPE_CHECKING:  # these load torch or one another
    from mha.intervention.readout import TextScore
    from mha.models.watch.cell import Cell

Readings = tuple[Reading, Reading]
ORDERS_AT_ONCE = 50  # of the words of a text, in one step: they take longer than the passes where it is long


def iter_leaning(
    text: str, readings: Readings, model: str = "minilm", measure: str = "default"
) -> Iterator[int | Leaning]:
    """Yield where every head leans in a text and in more and more of 199 orders of its words; a number for no news.

    A causal model keeps the first word in place, because it is an attention sink wherever the words are.

    Raises:
        InputError: a reading does not fit the text, or no such measure.
        NotComparable: as `mha.analysis.readings.leans`.
    """
    from mha.intervention.shuffles import maps_in_batches

    maps = record(Request(text, model)).maps
    unshuffled = leans(maps, readings, measure)
    yield 1
    texts, followed = [], []
    start = text[: next(run.start for run in split(text) if run.word is not None)] if maps.causal else ""
    for number, order in enumerate(orders(len(words(text)), N_SHUFFLES, fixed=int(maps.causal))):
        texts.append(start + reorder_words(text, order))
        followed.append((move_reading(readings[0], text, order), move_reading(readings[1], text, order)))
        if number % ORDERS_AT_ONCE == ORDERS_AT_ONCE - 1:
            yield 0
    copies: dict[int, Leans] = {}
    for batch in maps_in_batches(texts, model):
        copies |= {number: leans(maps, followed[number], measure) for number, maps in batch}
        if copies:
            yield Leaning(unshuffled, tuple(copies[number] for number in sorted(copies)))


def iter_idle_leaning(text: str, readings: Readings, model: str) -> Iterator[int | Leaning]:
    """Yield as `iter_leaning`, with one thread: short texts gain nothing from more, and others need the cores."""
    return each_inside(iter_leaning(text, readings, model), one_thread)


def iter_score_change(
    text: str, changed_version: str, second_texts: tuple[str, str], readings: Readings, limit: float, model: str
) -> Iterator[int | ScoreChange]:
    """Yield the scores of both versions and of two further ones ("" for none), then the share of every head.

    Shares are measured only of a change beyond the control ``limit``, infinite if it is not known.

    Raises:
        InputError: a reading does not fit a text.
        NotComparable, AttentionUnavailable: as `mha.patch`.
    """
    from mha.intervention.patching import iter_patch
    from mha.intervention.sweep import preference

    scores = []
    for version in (text, changed_version, *second_texts):
        scores.append(preference(version, readings, model=model) if version else float("nan"))
        yield 0
    result = ScoreChange((scores[0], scores[1]), (scores[2], scores[3]))
    yield result
    if not abs(result.change) > limit:
        return
    try:
        for patch in iter_patch(text, changed_version, readings, model=model, controls=False):
            yield replace(result, patch=patch)
    except InputError as error:  # versions of unequal length in tokens have scores, and no shares
        yield replace(result, no_shares=str(error))


def iter_closeness(text: str, readings: Readings, model: str) -> Iterator[int | Sweep]:
    """Yield the change of the closeness score with each head ablated, low layers first; 0 before the first head.

    Raises:
        InputError, AttentionUnavailable: as `mha.sweep`.
    """
    from mha.intervention.sweep import iter_sweep

    for sweep in iter_sweep(text, readings, model=model):
        yield sweep if sweep.n_measured else 0


HALF = 0.5  # of a pass, about: the cost of ablating or patching a head, for the layers below it run once
Sets = tuple[tuple[HeadId, ...], ...]


@dataclass(frozen=True)
class Score:
    """One readout: ``name`` is "link", "continuations", "fills" or "targets"; ``a`` and ``b`` the texts compared.

    ``score_layer`` is the block output at which the link margin is read, by default the last but one.
    """

    name: str = "link"
    a: str = ""
    b: str = ""
    score_layer: int | None = None

    def readout(self, text: str, readings: Sequence[Reading], model: str) -> TextScore:
        """Return the readout itself, asked of a text between two readings."""
        from mha.intervention.readout import TextScore, readout_named

        return TextScore.from_text(text, readings, readout_named(self.name, self.a, self.b), self.score_layer, model)


LINK_MARGIN = Score()


@in_steps(lambda _: 1 + N_SHUFFLES)
def leaning(text: str, readings: Readings, model: str = "minilm", measure: str = "default") -> Steps[Leaning]:
    """Find where every head leans, in this text and in 199 orders of its words; errors as `iter_leaning`."""
    result: Leaning | None = None
    for piece in iter_leaning(text, readings, model, measure):
        result = piece if isinstance(piece, Leaning) else result
        yield piece if isinstance(piece, int) else 1
    assert result is not None
    return result


@few_passes
def neutral_words(text: str, number: int, model: str = "minilm", but: str = "") -> Neutral:
    """Return neutral words of one token for one position of a text, nearest to the present word.

    They have its part of speech and form, and exclude ``but``. The result is empty if the model is not a transformer.

    Raises:
        InputError: the text has no such word.
    """
    from mha.intervention.comparing import neutral_words as nearest_words

    return nearest_words(text, number, model, but)


@in_steps(
    lambda arguments: HALF * (model_row(arguments["model"]).n_heads + 15) * model_row(arguments["model"]).n_layers
)
def patched(
    text: str, contrast: str, readings: Readings, model: str = "minilm", score_layer: int | None = None
) -> Steps[Patch]:
    """Patch every head between two versions; errors as `mha.intervention.patching`."""
    from mha.intervention.patching import iter_patch

    for result in iter_patch(text, contrast, readings, score_layer, model):  # noqa: B007
        yield 1
    return result


@in_steps(lambda arguments: HALF * len(arguments["sets"]))
def scores(
    text: str,
    readings: Readings,
    sets: Sets = ((),),
    kind: str = "mean",
    model: str = "minilm",
    score: Score = LINK_MARGIN,
) -> Steps[tuple[float, ...]]:
    """Find the score with each set of heads ablated; the empty set is the text as it is."""
    from mha.intervention.sweep import preference_steps

    values = yield from preference_steps(score.readout(text, readings, model), sets, kind)
    return tuple(float(value) for value in values)


@in_steps(lambda arguments: HALF * model_row(arguments["model"]).n_heads * model_row(arguments["model"]).n_layers)
def swept(
    text: str, readings: Readings, kind: str = "mean", model: str = "minilm", score: Score = LINK_MARGIN
) -> Steps[Sweep]:
    """Ablate every head in turn; errors as `mha.sweep`."""
    from mha.intervention.sweep import sweep_steps

    for result in sweep_steps(score.readout(text, readings, model), kind):  # noqa: B007
        yield 1
    return result


@few_passes
def ablated(text: str, heads: tuple[HeadId, ...], kind: str = "mean", model: str = "minilm") -> Recording:
    """Return the recording of a text with some heads ablated; errors as `mha.ablate`."""
    from mha.intervention.ablation import ablate

    return ablate(text, heads, kind, model)


def compared(
    text: str, changed_text: str, model: str = "minilm", without: tuple[HeadId, ...] = (), controls: Sequence[str] = ()
) -> Comparison:
    """Return `mha.compare` of two sentences ``without`` some heads, from recordings that are bundled or kept.

    Raises:
        NotComparable, InputError, AttentionUnavailable, ModelUnavailable: as `mha.compare`.
    """

    def record_version(text: str) -> Recording:
        return ablated(accept(text).text, without, "mean", model) if without else record(Request(text, model))

    def find_neutral(text: str, number: int, but: str) -> Neutral:
        return neutral_words(text, number, model, but)

    return comparing.compared(text, changed_text, record_version, find_neutral, without, controls)


@few_passes
def one_cell(text: str, model: str, pair: str | None, head: HeadId, query: int | str, key: int | str) -> Cell:
    """Return every number of one cell; errors as `mha.models.watch.any_cell.cell`."""
    from mha.models.watch.any_cell import cell

    return cell(text, head, query, key, model, pair)


def iter_idle_control(
    text: str, model: str, head: HeadId, query: int, key: int
) -> Iterator[tuple[int, int] | ShuffleControl]:
    """Yield how many copies are done, of how many at most, after each batch, and then the control of a connection.

    ``query`` and ``key`` are word numbers. A step computes with one thread: short texts gain nothing from more, and
    others need the cores.
    """
    from mha.intervention.shuffles import control_steps

    steps = control_steps(text, head, query, key, model, sequential=True, maps=_known_maps(text, model))
    n_done = 0
    while True:
        try:
            with one_thread():
                n_done += next(steps)
        except StopIteration as end:
            yield end.value
            return
        yield n_done, N_COPIES


def _known_maps(text: str, model: str) -> AttentionMaps | None:
    """Return the maps of the text if this process has recorded them."""
    recording = cached_recording(Request(text, model))
    return recording.maps if recording else None
