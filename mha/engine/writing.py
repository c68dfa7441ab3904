"""What models write and predict, for the pages: each question asked once, in the worker of the experiments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mha.engine.answers import answered, in_steps, of_passes
from mha.engine.recordings import check_words
from mha.intervention.outcomes import Prediction, WordSweep
from mha.maps import HeadId, Recording
from mha.models.watch.generating import Generation, iter_generate
from mha.stepwise import Steps
from mha.words import accept


@in_steps(lambda asked: asked["most"])
def written(text: str, model: str, most: int, seed: int | None, temperature: float = 1.0) -> Steps[Generation]:
    """Find what a model writes after a text, or for it: at most so many tokens.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.generate`; a word the model never met.
    """
    check_words(model, accept(text).text)
    for result in iter_generate(text, model, most, seed, temperature):  # noqa: B007
        yield 1
    assert isinstance(result, Generation)
    return result


@of_passes(lambda _: 1)
def beside(text: str, target: str, model: str) -> Recording:
    """Return the recording of an encoder–decoder with a typed target. Raises as `mha.attend`."""
    from mha.models.watch.attending import record_text

    check_words(model, accept(text).text, accept(target).text)
    return record_text(text, model, target=target)


@of_passes(lambda _: 1)
def masked(text: str, model: str) -> Recording:
    """Return the recording of a text with typed masks. Raises as `attending.record_masked`."""
    from mha.models.watch.attending import record_masked

    return record_masked(text, model)


@of_passes(lambda _: 1)
def predicted_step(text: str, model: str, most: int, seed: int | None, step: int) -> Prediction:
    """Return the ten likeliest words of a step of `written`, counted from 0."""
    from mha.intervention.predicting import predict_step

    return predict_step(written.here(text, model, most, seed), step, model)


@of_passes(lambda _: 1)
def next_words(text: str, model: str, typed: tuple[str, ...] = (), target: str = "") -> WordSweep:
    """Return the five likeliest next words and then the typed ones, with no head measured yet. Raises as `predicted`.

    A typed word that is one of the five is not repeated.
    """
    from mha.intervention.predicting import iter_word_sweep
    from mha.intervention.typed import ids_of_words
    from mha.models.watch.generating import writer

    check_words(model, accept(text).text, target)
    likeliest = next(iter_word_sweep(text, model, target=target))
    others, notes = ids_of_words(list(typed), writer(model), accept(text).text, target)
    ids = tuple(dict.fromkeys((*likeliest.ids, *others)))
    sweep = likeliest if ids == likeliest.ids else next(iter_word_sweep(text, model, ids, target=target))
    return replace(sweep, notes=sweep.notes + notes)


def sweep_words(text: str, model: str, ids: tuple[int, ...], target: str = "") -> Iterator[WordSweep]:
    """Yield the change of these words with more and more heads ablated in turn. Raises as `predicted`."""
    from mha.intervention.predicting import iter_word_sweep

    yield from iter_word_sweep(text, model, ids, target=target)


@answered
def predicted(
    text: str,
    model: str,
    silenced: tuple[HeadId, ...] = (),
    each: tuple[HeadId, ...] = (),
    mask: int = 0,
    count: int | tuple[int, ...] = 10,
    kind: str = "mean",
    target: str = "",
) -> Prediction:
    """Return the likeliest words behind a text, in a typed mask, or in a target begun, with heads silenced."""
    from mha.intervention.predicting import predict

    check_words(model, accept(text).text, target)
    return predict(text, model, count, silenced, each, kind, mask, target)
