"""Answers of experiments: one run for equal questions, in steps that take turns, and a bounded cache.

Its threads are not those of `mha.engine.recordings`, so that a long experiment never keeps a visitor from a picture. If
no caller waits for a question, it rests after the current step, and goes on when a caller comes back.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Collection, Hashable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar

from mha.engine.cache import CACHE, Cache, per_process
from mha.engine.followers import FOLLOWERS
from mha.engine.jobs import QUEUE, Job
from mha.engine.queue import Queue, cost
from mha.engine.recordings import await_load
from mha.engine.remote import DISPATCHER, Question
from mha.engine.waiting import EXPERIMENTS_FIRST, FULL, await_result
from mha.errors import Busy
from mha.models.files.catalog import DEFAULT
from mha.stepwise import Steps, finished, in_turns

WAITING_LIMIT = 32
SECONDS = 90.0
FEW = 4  # default number of passes of an experiment
TEXTS = ("text", "contrast", "pair", "target")  # arguments of experiments that a model reads

P = ParamSpec("P")
T = TypeVar("T")


class AnswerJob(Job):
    """A question whose answer is awaited as a whole: ``make`` returns it, or steps that find it.

    It ends once no caller waits for it, after the step that is under way. ``keep`` is called with the answer before
    ``future`` has it.
    """

    watched = False
    goes_on: tuple[str, ...] = ("stopped",)  # a caller that asks while it fails gets the error

    def __init__(
        self,
        queue: Queue,
        make: Callable[[], Any],
        cost: float,
        keep: Callable[[Any], None],
        waiting: dict[object, str | None],
        lane: str = Job.lane,
        yields_to_texts: bool = False,
    ) -> None:
        self.cost, self.lane, self.yields_to_texts = cost, lane, yields_to_texts
        self.waiting = waiting  # the waiting visitors; a caller without a visitor is None
        self.future: Future[Any] = Future()
        self._make, self._keep = make, keep
        super().__init__(queue=queue)

    def owners(self) -> Collection[Hashable]:
        """Return the owners of all waiting callers."""
        visitors = [visitor for visitor in list(self.waiting.values()) if visitor is not None]
        return [FOLLOWERS.owner(visitor) for visitor in visitors] or super().owners()

    def steps(self) -> Steps[None]:
        """Yield after each step of the work that finds the answer."""
        self.result = yield from in_turns(self._make)
        self._keep(self.result)

    def _end(self, state: str) -> None:
        super()._end(state)
        if state == "done":
            self.future.set_result(self.result)
        elif state == "failed":
            self.future.set_exception(self.error)


class Answers:
    """Answers by question, made once; equal questions that are under way share one run."""

    def __init__(self, queue: Queue = QUEUE, cache: Cache | None = None) -> None:
        self._queue, self.cache = queue, Cache() if cache is None else cache
        self._pending: dict[Hashable, AnswerJob] = {}
        self._lock = threading.RLock()

    def answer(
        self,
        question: Hashable,
        make: Callable[[], Any],
        seconds: float = SECONDS,
        cost: Callable[[], float] = lambda: 0.0,
        lane: str = Job.lane,
        yields_to_texts: bool = False,
    ) -> Any:
        """Return the answer to a question, made now by ``make`` when it is its turn, unless it is known or under way.

        ``make`` returns the answer, or steps that find it; ``cost`` is its work (`mha.engine.queue.cost`), ``lane`` the
        lane of its steps; ``yields_to_texts`` as of `mha.engine.queue.Task`.

        Raises:
            Busy: too many questions wait, this one took too long, or the caller has left.
            MHAError: an error of ``make``.
        """
        caller, visitor = object(), FOLLOWERS.caller()
        with self._lock:
            self._pending = {key: job for key, job in self._pending.items() if job.state == "running"}
            cached = self.cache.get(question)
            if cached is not None:
                return cached
            pending = self._pending.get(question)
            if pending is None:
                if len(self._pending) >= WAITING_LIMIT:
                    raise Busy(FULL)
                FOLLOWERS.note_request(visitor)
                keep = functools.partial(self.cache.put, question)
                pending = AnswerJob(self._queue, make, cost(), keep, {caller: visitor}, lane, yields_to_texts)
                self._pending[question] = pending
            else:
                pending.waiting[caller] = visitor
                pending.go_on()
        try:
            late = "This took too long and was stopped. Try a shorter sentence."
            return await_result(pending.future, seconds, lambda: "" if pending.begun else EXPERIMENTS_FIRST, late)
        finally:
            with self._lock:
                del pending.waiting[caller]
                if not pending.waiting:
                    pending.stop(was_left=True)


_answers = per_process(Answers, cache=CACHE)


@dataclass(frozen=True)
class Experiment(Question[T]):
    """An experiment and all of its arguments by name."""

    experiment: SharedExperiment[Any, T]
    arguments: tuple[tuple[str, Any], ...]

    @property
    def model(self) -> str:
        """The model that is asked, "" for none."""
        return str(dict(self.arguments).get("model", ""))

    def answer(self) -> T:
        return self.experiment(**dict(self.arguments))


class SharedExperiment(Generic[P, T]):
    """An experiment that runs in its turn, once for equal calls; ``passes`` are computed from its arguments.

    It travels by its name, as a function does.
    """

    def __init__(
        self,
        experiment: Callable[P, T] | Callable[P, Steps[T]],
        passes: Callable[[Mapping[str, Any]], float],
        yields_to_texts: bool = False,
    ) -> None:
        functools.update_wrapper(self, experiment)
        self._experiment, self._passes, self._yields_to_texts = experiment, passes, yields_to_texts
        self._signature = inspect.signature(experiment)

    def __reduce__(self) -> str:
        return self._experiment.__qualname__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the answer.

        Raises:
            Busy: too many questions wait, or this took too long.
            MHAError: an error of the experiment.
        """
        question = self.question(*args, **kwargs)
        arguments = dict(question.arguments)
        passes = self._passes(arguments)
        if arguments.get("model", DEFAULT) not in ("", DEFAULT) and _answers.cache.get(question) is None:
            await_load(arguments["model"])  # a load or a conversion in a lane would keep all others waiting
        answer: T = _answers.answer(
            question,
            lambda: DISPATCHER.answer(question, functools.partial(self._experiment, *args, **kwargs)),
            cost=lambda: cost(passes, arguments.get("model", DEFAULT), *(arguments.get(name) for name in TEXTS)),
            lane="pass" if passes <= 1 else Job.lane,  # a single pass waits for no step
            yields_to_texts=self._yields_to_texts,
        )
        return answer

    def run_here(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the stored answer, else run the experiment now in this thread: for use within another experiment.

        Raises:
            MHAError: an error of the experiment.
        """
        cached: T | None = _answers.cache.get(self.question(*args, **kwargs))
        if cached is not None:
            return cached
        answer: T = finished(in_turns(functools.partial(self._experiment, *args, **kwargs)))
        return answer

    def question(self, *args: P.args, **kwargs: P.kwargs) -> Experiment[T]:
        """Return the question that a call with these arguments answers."""
        call = self._signature.bind(*args, **kwargs)
        call.apply_defaults()
        return Experiment(self, tuple(call.arguments.items()))


def few_passes(experiment: Callable[P, T]) -> SharedExperiment[P, T]:
    """Return an experiment of a few passes that runs in its turn, once for equal calls."""
    return SharedExperiment(experiment, lambda _: FEW)


def of_passes(
    passes: Callable[[Mapping[str, Any]], float], yields_to_texts: bool = False
) -> Callable[[Callable[P, T]], SharedExperiment[P, T]]:
    """Return a decorator like `few_passes`: ``passes`` are how many an experiment takes, by its arguments."""
    return lambda experiment: SharedExperiment(experiment, passes, yields_to_texts)


def in_steps(passes: Callable[[Mapping[str, Any]], float]) -> Callable[[Callable[P, Steps[T]]], SharedExperiment[P, T]]:
    """Return `of_passes` for an experiment in steps, which has a type of its own."""
    return lambda experiment: SharedExperiment(experiment, passes)
