"""Forward passes in this process: one worker, several texts at once, a bounded cache, a circuit breaker.

The default model is loaded and warmed in the background, so that the first page is drawn before torch is imported; any
other one on offer loads when it is first asked for. Limits are those of docs/architecture.md, "Limits".
"""

import dataclasses
import gc
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from mha.engine.bundled import bundled
from mha.engine.cache import CACHE, PAGES_KEEP, Cache, per_process, size
from mha.engine.followers import FOLLOWERS
from mha.engine.jobs import QUEUE
from mha.engine.queue import Call, Queue
from mha.engine.remote import LOST, WAYS, Question
from mha.engine.waiting import LEFT, LONGEST, SENTENCES_FIRST, TOGETHER, Flight, Room, Waiting, await_result
from mha.errors import Busy, MHAError, ModelUnavailable, NowhereToWrite
from mha.maps import Recording
from mha.models.files.catalog import DEFAULT, model_row
from mha.models.files.environment import prepare_environment, trim
from mha.words import Accepted, accept

LETTERS = 6.0  # of a token with its space, about
SMALL = 8 * 2**20  # bytes that need not wait for room: a text of a hundred words
ANSWER_SECONDS = 10.0
LOADING_SECONDS = 300.0  # a model that has to be converted first, on a busy machine
WAKING_SECONDS = 30.0  # the first answer has to wait for the model to load
SECONDS = (5.0, 10.0, 20.0)  # after a failing load, how long the next try waits
FAILED = "The model could not be loaded. Choose another, or try again shortly."
# Bytes recorded until garbage is collected: pages leave arrays in cycles, and Streamlit's own collection is off.
COLLECT_AFTER = 64 * 2**20

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Request(Question[Recording]):
    """One text for one model; the same forward pass answers equal requests.

    The text is accepted here, once (`mha.words.accept`): ``text`` is the accepted text, ``notes`` are its changes.
    ``keep`` may name "query", "key", "value" and "hidden": further arrays of the recording.

    Raises:
        InputError: the accepted text is empty.
    """

    text: str
    model: str = DEFAULT
    pair: str | None = None
    keep: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=(), init=False, compare=False)

    def __post_init__(self) -> None:
        accepted = accept(self.text)
        second = Accepted("") if self.pair is None else accept(self.pair)
        object.__setattr__(self, "text", accepted.text)
        object.__setattr__(self, "pair", second.text or None)
        object.__setattr__(self, "notes", accepted.notes + second.notes)

    def answer(self) -> Recording:
        """Return the recording; see `record`."""
        return record(self)

    @property
    def kind(self) -> Hashable:
        """Batch key: requests with equal keys may share a forward pass; None if this one must run alone.

        Two texts read together, models other than transformers, and models of a few words, which may lack a word, run
        alone.
        """
        row = model_row(self.model)
        runs_alone = self.pair is not None or row.kind != "transformer" or row.example
        return None if runs_alone else (self.model, self.keep)

    @property
    def length(self) -> int:
        """The size by which requests are batched: characters, for tokens are counted later."""
        return len(self.text)


@dataclass(frozen=True)
class ModelState:
    """How the default model is: ``phase`` is "asleep", "waking", "ready" or "failed"; ``message`` is the reason."""

    phase: str
    message: str = ""

    @property
    def ready(self) -> bool:
        """Whether a new text is answered at once."""
        return self.phase == "ready"


@dataclass
class Breaker:
    """The reason, how often the load failed, and when it may be tried again."""

    message: str = ""
    failures: int = 0
    retry_at: float = 0.0
    free: bool = False  # the next try costs nothing, so that it need not wait
    last_error: str = ""  # the last failure, as it was logged

    @property
    def wait(self) -> float:
        """Seconds until the next try; 0 where it may be now."""
        return max(0.0, self.retry_at - time.monotonic())

    @property
    def open(self) -> bool:
        """Whether the next try has to wait."""
        return self.wait > 0 and not self.free

    def failed(self, error: Exception) -> bool:
        """Note a failing load, each of which makes the next wait longer; return whether it failed in a new way.

        Without a directory to write to nothing was tried: the next request may look for it again.
        """
        self.message = str(error) if isinstance(error, MHAError) else FAILED
        self.free = isinstance(error, NowhereToWrite)
        self.retry_at = time.monotonic() + SECONDS[min(self.failures, len(SECONDS) - 1)]
        self.failures += 1
        previous, self.last_error = self.last_error, repr(error)
        return self.last_error != previous


Run = Callable[[Request], Recording]
RunMany = Callable[[Sequence[Request]], Sequence[Recording | MHAError]]


class LocalEngine:
    """The engine of one process; pages use the module's functions, tests make their own.

    ``run`` answers one request, ``run_many`` several of one kind; if that raises, each is run by itself, so that one
    bad request fails alone. Forward passes run in ``queue``, for up to ``batch_size`` texts. A caller waits for
    ``seconds`` at least.
    """

    def __init__(
        self,
        run: Run | None = None,
        load: Callable[[], None] | None = None,
        run_many: RunMany | None = None,
        queue: Queue | None = None,
        batch_size: int = TOGETHER,
        seconds: float = 0.0,
        cache: Cache | None = None,
    ) -> None:
        self._loads = run is None  # else something else answers, which loads its own models
        self._run = run or _record_text
        self._run_many = run_many or (None if run else _record_texts)
        self._load = load or _load_and_warm
        self._seconds = seconds
        self._cache = Cache() if cache is None else cache
        self._live: WeakValueDictionary[Request, Recording] = WeakValueDictionary()  # those still referenced
        self._room = Room(self._cache.drop_oldest)
        self._waiting = Waiting(batch_size)
        self._lock = threading.RLock()
        self._queue = queue or Queue()
        self._state = ModelState("asleep")
        self._breakers: dict[str, Breaker] = defaultdict(Breaker)  # by model; a loaded one has none
        self._again: threading.Timer | None = None
        self._uncollected = 0  # bytes recorded since garbage was collected
        self.passes = 0  # forward passes begun, for measurements

    def state(self) -> ModelState:
        """Return whether the default model is awake."""
        return self._state

    def start(self) -> None:
        """Load and warm the default model in the background, unless that is under way, done, or failed a moment ago."""
        with self._lock:
            if self._state.phase in ("waking", "ready") or self._breakers[DEFAULT].open:
                return
            self._state = ModelState("waking")
        self._queue.put(Call(self._wake))

    def _wake(self) -> None:
        try:
            self._load()
        except Exception as error:
            if not threading.main_thread().is_alive():  # the process ends: not a failure of the model
                return
            with self._lock:
                breaker = self._breakers[DEFAULT]
                if breaker.failed(error):  # each way that it fails is logged once, not at every try
                    ours = isinstance(error, MHAError)  # written for the reader, so that it needs no traceback
                    log.error("the model could not be loaded: %s", error if ours else "", exc_info=not ours)
                self._state = ModelState("failed", breaker.message)
                self._try_again(breaker.wait + 0.01)
            return
        with self._lock:
            self._breakers.pop(DEFAULT, None)
            self._state = ModelState("ready")

    def _try_again(self, seconds: float) -> None:
        """Load the default model after so many seconds, without a request."""
        if self._again is not None:
            self._again.cancel()
        self._again = threading.Timer(seconds, self.start)
        self._again.daemon = True
        self._again.start()

    def record(self, request: Request) -> Recording:
        """Return the recording of a request: bundled, cached, shared with an equal one under way, or run now.

        Raises:
            UnknownModel: no such model is on offer; nothing is looked up elsewhere.
            Busy: too many requests wait, or this one waited too long.
            ModelUnavailable: the model could not be loaded.
            MHAError: what recording itself raises.
        """
        if self.cached_recording(request) is None:
            self.await_load(request.model)
        recording = self._recording_or_flight(request)
        if isinstance(recording, Flight):
            flight = recording
            recording = await_result(
                flight.future,
                self._patience(),
                lambda: SENTENCES_FIRST if self._state.ready and not flight.begun else "",
                "This took too long and was stopped. Try again in a few seconds.",
            )
        return dataclasses.replace(recording, notes=request.notes + recording.notes) if request.notes else recording

    def cached_recording(self, request: Request) -> Recording | None:
        """Return the recording of a request where that costs nothing: bundled or cached; else None."""
        plain = request.pair is None and not request.keep
        ready_made = bundled(request.text, request.model) if plain else None
        if ready_made is not None:
            return ready_made
        cached: Recording | None = self._cache.get(request)
        return self._live.get(request) if cached is None else cached

    def _patience(self) -> float:
        return max(self._seconds, ANSWER_SECONDS if self._state.ready else WAKING_SECONDS)

    def _recording_or_flight(self, request: Request) -> Recording | Flight:
        """Return the recording if it is available, else the flight that will have it."""
        cached = self.cached_recording(request)
        if cached is not None:
            return cached
        self._check_load(request.model)
        expected = _expected(request)
        n_bytes = expected if expected > SMALL and request not in self._waiting.flights else 0
        visitor = FOLLOWERS.caller()
        owner = visitor or threading.get_ident()
        self._room.take(n_bytes, owner)
        try:
            flight, new = self._waiting.join(request, visitor, self._patience())
        except Busy:
            self._room.give(n_bytes, owner)
            raise
        flight.future.add_done_callback(lambda _: self._room.give(n_bytes, owner))  # what landed has its own by then
        if new:
            FOLLOWERS.note_request(visitor)
            flight.first = owner
            self._queue.put(Call(self._serve))
        return flight

    def _load_of(self, model: str) -> Future[Any] | None:
        """Return the load of a model that is not in memory, begun now; None if the worker can run it at once.

        The worker loads the default model itself. Any other could keep it from all other texts for half a minute.
        """
        self._check_load(model)
        if not self._loads or model == DEFAULT or model_row(model).kind != "transformer":
            return None
        from mha.models.files.loading import load_in_background

        return load_in_background(model)

    def await_load(self, model: str) -> None:
        """Return as soon as a model is in memory; meanwhile the visitor sees its progress.

        Raises:
            Busy: it takes too long, or the visitor has left.
            ModelUnavailable: it cannot be loaded.
        """
        load = self._load_of(model)
        if load is None:
            return
        from mha.models.files.loading import load_progress

        late = f"{model_row(model).short} is still loading. Try again in a minute."
        try:
            await_result(load, LOADING_SECONDS, lambda: load_progress(model), late)
        except ModelUnavailable as error:
            with self._lock:
                self._breakers[model].failed(error)
            raise

    def _check_load(self, model: str) -> None:
        """Wake the default model if it is requested; raise if the model is unknown, or its load failed a moment ago."""
        if model_row(model).name == DEFAULT:
            self.start()
        barred = self._barred(model)
        if barred is not None:
            advice = "Choose another model, or try again in a moment."
            examples = "The example sentences still work; try again in a moment."
            raise ModelUnavailable(f"{barred} {examples if model == DEFAULT else advice}")

    def _serve(self) -> None:
        """Answer the oldest flight and the flights that fit it; flights without a waiting caller are not run."""
        batch = self._waiting.take()
        try:
            self._fly(batch)
        except Exception as error:  # a flight that never lands would keep its text from everybody, for good
            log.exception("texts could not be recorded")
            for flight in batch:
                if not flight.future.done():
                    self._waiting.land(flight, error)

    def _fly(self, batch: Sequence[Flight]) -> None:
        awaited = []
        for flight in batch:
            if time.monotonic() > flight.deadline or not any(map(FOLLOWERS.waits, tuple(flight.visitors))):
                self._waiting.land(flight, Busy(LEFT))
            elif (cached := self.cached_recording(flight.request)) is not None:  # it landed meanwhile
                self._waiting.land(flight, cached)
            else:
                awaited.append(flight)
        if len(awaited) > 1 and self._run_many is not None and self._state.phase != "failed":
            try:
                outcomes = self._run_many([flight.request for flight in awaited])
            except Exception:
                log.exception("several texts could not be recorded together; each is recorded by itself")
            else:
                self.passes += 1
                for flight, landed in zip(awaited, outcomes, strict=True):
                    self._land(flight, landed)
                return
        for flight in awaited:
            outcome: Recording | Exception | None = self._barred(flight.request.model)
            if outcome is None:
                self.passes += 1
                try:
                    outcome = self._run(flight.request)
                except Exception as error:
                    outcome = error
            self._land(flight, outcome)

    def _barred(self, model: str) -> ModelUnavailable | None:
        """Return the error of a model that cannot run now, or None if it can."""
        failed = self._breakers.get(model)
        if model == DEFAULT:
            return ModelUnavailable(self._state.message) if self._state.phase == "failed" else None
        return None if failed is None or not failed.open else ModelUnavailable(failed.message)

    def _land(self, flight: Flight, outcome: Recording | Exception) -> None:
        model = flight.request.model
        n_bytes = 0 if isinstance(outcome, Exception) else size(outcome)
        with self._lock:
            if isinstance(outcome, ModelUnavailable) and self._barred(model) is None:
                self._breakers[model].failed(outcome)
            elif not isinstance(outcome, Exception):
                if model != DEFAULT:
                    self._breakers.pop(model, None)
                self._room.hold(outcome, n_bytes, flight.first)
                self._live[flight.request] = outcome
                self._cache.put(flight.request, outcome, n_bytes)
                self._uncollected += n_bytes
        self._waiting.land(flight, outcome)
        if self._uncollected > COLLECT_AFTER:
            self._uncollected = 0
            gc.collect()
            trim()


def _expected(request: Request) -> int:
    """Return how many bytes a recording of a text will take, about, with the arrays that pages derive and keep."""
    row = model_row(request.model)
    tokens = min((len(request.text) + len(request.pair or "")) / LETTERS + 2, row.max_tokens)
    return min(LONGEST, int(row.n_layers * row.n_heads * tokens**2 * 4 * (1 + PAGES_KEEP)))


def _record_text(request: Request) -> Recording:
    from mha.models.watch.attending import record_text

    check_words(request.model, request.text, request.pair)
    second = None if request.pair is None else Accepted(request.pair)
    return record_text(Accepted(request.text), model=request.model, pair=second, keep=request.keep)


def _record_texts(requests: Sequence[Request]) -> list[Recording | MHAError]:
    from mha.models.watch.attending import loaded_model
    from mha.models.watch.batching import record_together

    return record_together([request.text for request in requests], loaded_model(requests[0].model), requests[0].keep)


def check_words(model: str, *texts: str | None) -> None:
    """Raise InputError where a text has a word that a transformer trained on a few has never seen; load it for that."""
    row = model_row(model)
    if row.kind == "transformer" and row.example:
        from mha.models.watch.attending import check_known, loaded_model

        check_known(loaded_model(model), *texts)


def _load_and_warm() -> None:
    prepare_environment()
    _record_text(Request("Good morning"))
    # Streamlit collects garbage after every run; with torch's million objects frozen that costs 30 ms, not 280.
    gc.collect()
    gc.freeze()


_engine = per_process(LocalEngine, queue=QUEUE, cache=CACHE, **WAYS.engine(_record_text, _load_and_warm))
record = _engine.record
cached_recording = _engine.cached_recording
await_load = _engine.await_load
state = _engine.state
start = _engine.start


def health() -> ModelState:
    """Return how the engine is, of this process or on the cluster that it asks, at once."""
    return ModelState("waking", LOST) if state().ready and not WAYS.able else state()
