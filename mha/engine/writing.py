"""What models write and predict, for the pages: each question asked once, in the worker of the experiments.

A generation holds all its maps, so that few are kept.
"""

from __future__ import annotations

from mha.engine.answers import Answers, answered
from mha.engine.elsewhere import WAYS
from mha.engine.question import Call
from mha.engine.recordings import check_words
from mha.engine.work import cost
from mha.intervention.outcomes import Prediction
from mha.maps import HeadId, Recording
from mha.models.watch.generating import Generation, generate
from mha.words import accept

KEPT = 12

_written = Answers(items=KEPT)
_predicted = Answers()


def written(text: str, model: str, most: int, seed: int | None, temperature: float = 1.0) -> Generation:
    """Return what a model writes behind a text, or beside it: at most so many tokens.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.generate`; a word the model never met.
        Busy: too much waits, or this took too long.
    """

    def here() -> Generation:
        check_words(model, accept(text).text)
        return generate(text, model, most, seed, temperature)

    asked = Call(written, (text, model, most, seed, temperature))
    return _written.answer(asked, lambda: WAYS.answer(asked, here), cost=lambda: cost(most, model, text))


def beside(text: str, target: str, model: str) -> Recording:
    """Return the recording of an encoder–decoder with a typed target. Raises as `mha.attend`, and Busy."""

    def here() -> Recording:
        from mha.models.watch.attending import record_text

        check_words(model, accept(text).text, accept(target).text)
        return record_text(text, model, target=target)

    asked = Call(beside, (text, target, model))
    return _written.answer(asked, lambda: WAYS.answer(asked, here), cost=lambda: cost(1, model, text, target))


def masked(text: str, model: str) -> Recording:
    """Return the recording of a text with typed masks. Raises as `attending.record_masked`, and Busy."""

    def here() -> Recording:
        from mha.models.watch.attending import record_masked

        return record_masked(text, model)

    asked = Call(masked, (text, model))
    return _written.answer(asked, lambda: WAYS.answer(asked, here), cost=lambda: cost(1, model, text))


def predicted_step(
    text: str,
    model: str,
    most: int,
    seed: int | None,
    step: int,
    silenced: tuple[HeadId, ...] = (),
    each: tuple[HeadId, ...] = (),
) -> Prediction:
    """Return the ten likeliest words of a step of `written`, with heads silenced together and one by one."""
    found = written(text, model, most, seed)  # asked for outside the worker, which has only one place

    def here() -> Prediction:
        from mha.intervention.predicting import predict_step

        return predict_step(found, step, model, silenced=silenced, each=each)

    asked = Call(predicted_step, (text, model, most, seed, step, silenced, each))
    passes = 1 + bool(silenced) + len(each)
    return _predicted.answer(asked, lambda: WAYS.answer(asked, here), cost=lambda: cost(passes, model, text))


@answered
def predicted(
    text: str,
    model: str,
    silenced: tuple[HeadId, ...] = (),
    each: tuple[HeadId, ...] = (),
    mask: int = 0,
    count: int = 10,
    kind: str = "mean",
    target: str = "",
) -> Prediction:
    """Return the likeliest words behind a text, in a typed mask, or in a target begun, with heads silenced."""
    from mha.intervention.predicting import predict

    check_words(model, accept(text).text)
    return predict(text, model, count, silenced, each, kind, mask, target)
