"""The long work of Two readings, in pieces: leans in shuffled copies, a score change and its shares, heads ablated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mha.analysis.leaning import MANY, Leaning, move_reading, orders, reordered
from mha.analysis.readings import Leans, leans
from mha.engine.recordings import Request, record
from mha.errors import InputError
from mha.intervention.outcomes import ScoreChange, Sweep
from mha.maps import Reading
from mha.words import split, words

Readings = tuple[Reading, Reading]
ORDERS_AT_ONCE = 50  # of the words of a text, in one step: they take longer than the passes where it is long
N_LEADING = 8  # heads with the largest estimates, measured first


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
    for number, order in enumerate(orders(len(words(text)), MANY, fixed=int(maps.causal))):
        texts.append(start + reordered(text, order))
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
    from mha.models.files.environment import one_thread

    pieces = iter_leaning(text, readings, model)
    while True:
        with one_thread():
            piece = next(pieces, None)
        if piece is None:
            return
        yield piece


def iter_score_change(
    text: str, changed_version: str, second_texts: tuple[str, str], readings: Readings, limit: float, model: str
) -> Iterator[int | ScoreChange]:
    """Yield the scores of both versions and of two further ones ("" for none), then the share of every head.

    Shares are measured only of a change beyond the control ``limit``; NaN is beyond nothing.

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
    """Yield the change of the closeness score with each head ablated; heads with the largest estimates come first.

    The estimate is one gradient of the score times (mean − output); it sets the order and is not yielded.

    Raises:
        InputError, AttentionUnavailable: as `mha.sweep`.
    """
    from mha.intervention.bank import gathering_means
    from mha.intervention.readout import AskedReadout
    from mha.intervention.sweep import preview, sweeping

    question = AskedReadout.from_text(text, readings, model=model)
    for _ in gathering_means(question.experiment):
        yield 0
    sizes = np.abs(preview(question).effect)
    ranked = sorted(question.acting, key=lambda head: -sizes[head])
    effect = np.full(sizes.shape, np.nan)
    for part in (ranked[:N_LEADING], sorted(ranked[N_LEADING:])):
        for sweep in sweeping(question, heads=part) if part else ():
            if sweep.n_measured:
                effect = np.where(np.isfinite(sweep.effect), sweep.effect, effect)
                yield replace(sweep, effect=effect)
