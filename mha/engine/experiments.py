"""The experiments of the page of two readings: leans beside their controls, what carries, and what matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mha.analysis.leaning import Leaning
from mha.analysis.readings import Leans, leans
from mha.analysis.shuffles import moved, orders, reordered
from mha.engine import calibrating
from mha.engine.answers import Answers
from mha.engine.recordings import Request, record
from mha.engine.scores import Score
from mha.engine.scores import names as names_of_scores
from mha.intervention.calibrated import KindCalibration
from mha.maps import AttentionMaps, HeadId, Reading
from mha.models.files.catalog import model_row
from mha.words import words

if TYPE_CHECKING:
    from mha.intervention.patching import Patch
    from mha.intervention.sweep import Sweep

TWIN_SEED = 1
LINK_MARGIN = Score()
STRENGTHS = tuple(round(0.1 * step, 1) for step in range(31))  # of the head that is turned
FEW_STRENGTHS = tuple(0.5 * step for step in range(7))  # of those drawn thin beside it: a third of the work
Readings = tuple[Reading, Reading]
Sets = tuple[tuple[HeadId, ...], ...]


@dataclass(frozen=True)
class Question:
    """Two readings of one text for one model; ``what`` and ``more`` tell experiments apart."""

    what: str
    text: str
    model: str
    readings: Readings
    more: tuple[object, ...] = ()


_answers = Answers()


def has_twin(model: str) -> bool:
    """Return whether a model has a scrambled twin: those that were learned have."""
    return model_row(model).kind == "transformer"


def calibration_of_kind(kind: str, model: str = "minilm") -> KindCalibration | None:
    """Return what the forced pairs of a kind show, None where nothing is known of this model, or of this kind."""
    return calibrating.known(kind, model)


def leaning(text: str, readings: Readings, model: str = "minilm", measure: str = "default") -> Leaning:
    """Return where every head leans, in this text, in its 20 shuffles, and in the scrambled twin.

    Raises:
        InputError: a reading does not fit the text, or no such measure.
        MHAError: what recording raises.
    """
    here = leans(record(Request(text, model)).maps, readings, measure)
    question = Question("leaning", text, model, readings, (measure,))
    found: Leaning = _answers.answer(question, lambda: beside_controls(here, text, readings, model, measure))
    return found


def beside_controls(here: Leans, text: str, readings: Readings, model: str, measure: str) -> Leaning:
    """Return the leans of a text beside those of its 20 shuffles and of the scrambled twin, measured now."""
    ways = orders(len(words(text)))
    texts = [reordered(text, order) for order in ways]
    followed = [(moved(readings[0], text, order), moved(readings[1], text, order)) for order in ways]
    shuffled = _leans(texts, followed, model, measure, None)
    twin = _leans([text], [readings], model, measure, ("scrambled", TWIN_SEED))[0] if has_twin(model) else None
    return Leaning(here, tuple(shuffled), twin)


def token_counts(several: tuple[str, ...], model: str = "minilm") -> tuple[int, ...]:
    """Return how many tokens each word is to a model, inside a sentence."""

    def make() -> tuple[int, ...]:
        from mha.intervention.subject import subject

        experiment = subject(model)
        tokens = [experiment.encoded(f"a {word}").tokens for word in several]
        return tuple(sum(token.word == 1 for token in one) for one in tokens)

    counts: tuple[int, ...] = _answers.answer(("tokens of", model, several), make)
    return counts


def patched(text: str, contrast: str, readings: Readings, model: str = "minilm") -> Patch:
    """Return what each head carries of the difference between two versions; errors as `mha.intervention.patching`."""

    def make() -> Patch:
        from mha.intervention.patching import patch

        return patch(text, contrast, readings, model=model)

    return _answers.answer(Question("patch", text, model, readings, (contrast,)), make)


def carried_together(
    text: str, contrast: str, readings: Readings, heads: tuple[HeadId, ...], model: str = "minilm"
) -> float:
    """Return the part of the difference that several heads carry together, mean of both directions."""

    def make() -> float:
        from mha.intervention.patching import Versions
        from mha.intervention.subject import subject

        return float(Versions.of(subject(model), text, contrast, readings, None).carried([heads])[1][0])

    return _answers.answer(Question("together", text, model, readings, (contrast, heads)), make)


def scores(
    text: str,
    readings: Readings,
    sets: Sets = ((),),
    kind: str = "mean",
    model: str = "minilm",
    score: Score = LINK_MARGIN,
) -> tuple[float, ...]:
    """Return the score with each set of heads silenced; the empty set is the text as it is."""

    def make() -> tuple[float, ...]:
        from mha.intervention.sweep import preferences

        return tuple(float(one) for one in preferences(text, readings, sets, score.readout(), score.at, kind, model))

    return _answers.answer(Question("scores", text, model, readings, (sets, kind, score)), make)


def scores_of(model: str) -> tuple[str, ...]:
    """Return the names of the scores that a model can be asked for, the link margin first."""
    names: tuple[str, ...] = _answers.answer(("scores of", model), lambda: names_of_scores(model))
    return names


def _leans(
    texts: Sequence[str],
    readings: Sequence[Readings],
    model: str,
    measure: str,
    twin: tuple[str, int] | None,
) -> list[Leans]:
    """Return the leans of several texts, each with its own readings; runs in the worker."""
    return [leans(maps, each, measure) for maps, each in zip(_every_map(texts, model, twin), readings, strict=True)]


def _every_map(texts: Sequence[str], model: str, twin: tuple[str, int] | None) -> list[AttentionMaps]:
    from mha.models.watch.attending import loaded_model, record_text

    if model_row(model).kind != "transformer":
        return [record_text(text, model).maps for text in texts]
    from mha.intervention.batches import looked
    from mha.intervention.subject import subject

    by_number = {one.number: one.maps for one in looked(subject(loaded_model(model, twin)), texts)}
    return [by_number[number] for number in range(len(texts))]


def kept(
    text: str,
    contrast: str,
    readings: Readings,
    heads: tuple[HeadId, ...],
    kind: str = "mean",
    model: str = "minilm",
    score: Score = LINK_MARGIN,
) -> tuple[float, np.ndarray]:
    """Return what is left of the difference between two versions with heads silenced together, as a part of 1.

    Beside it the same for 15 draws of as many other heads of the same layers, float64 [draw]; NaN without a difference.
    """

    def make() -> tuple[float, np.ndarray]:
        from mha.intervention.forced import control_sets
        from mha.intervention.sweep import preferences

        sets = [[], list(heads), *control_sets(heads, model_row(model).n_heads)]
        a, b = (preferences(one, readings, sets, score.readout(), score.at, kind, model) for one in (text, contrast))
        whole = a[0] - b[0]
        left = (a - b) / whole if abs(whole) > 1e-6 else np.full(len(sets), np.nan)
        return float(left[1]), left[2:]

    return _answers.answer(Question("kept", text, model, readings, (contrast, heads, kind, score)), make)


def steered(
    text: str,
    readings: Readings,
    heads: tuple[HeadId, ...],
    model: str = "minilm",
    score: Score = LINK_MARGIN,
    strengths: tuple[float, ...] = STRENGTHS,
) -> np.ndarray:
    """Return the score with each head, one at a time, at each strength, as float64 [head, strength]."""

    def make() -> np.ndarray:
        from mha.intervention.sweep import steer

        return steer(text, readings, heads, strengths, score.readout(), score.at, model)

    return _answers.answer(Question("steer", text, model, readings, (heads, score, strengths)), make)


def foretold(text: str, readings: Readings, kind: str, model: str = "minilm", score: Score = LINK_MARGIN) -> Sweep:
    """Return the sweep as one backward pass foretells it: a preview, to be marked as one."""

    def make() -> Sweep:
        from mha.intervention.preview import preview

        return preview(text, readings, kind, score.readout(), score.at, model)

    return _answers.answer(Question("preview", text, model, readings, (kind, score)), make)
