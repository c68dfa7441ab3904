"""Forward passes in this process: one worker, several texts at once, a bounded cache, a circuit breaker.

The default model is loaded and warmed in the background, so that the first page is drawn before torch is imported; any
other one on offer loads when it is first asked for. Limits are those of docs/architecture.md, "Limits".
"""

import dataclasses
import functools
import gc
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from mha.engine.bundled import bundled
from mha.engine.cache import CACHE, PAGES_KEEP, Cache, per_process, size
from mha.engine.followers import FOLLOWERS
from mha.engine.jobs import QUEUE
from mha.engine.queue import FunctionTask, Queue
from mha.engine.remote import CLUSTER_LOST, DISPATCHER, Question
from mha.engine.waiting import (
    BATCH_SIZE,
    MAX_RECORDING_BYTES,
    SENTENCES_FIRST,
    VISITOR_LEFT,
    MemoryLimit,
    PendingRequest,
    PendingRequests,
    await_result,
)
from mha.errors import Busy, MHAError, ModelUnavailable, NowhereToWrite
from mha.maps import Recording
from mha.models.files.catalog import DEFAULT, model_row
from mha.models.files.environment import prepare_environment, trim
from mha.words import Accepted, accept

LETTERS_PER_TOKEN = 6.0  # with the space, estimated
SMALL_BYTES = 8 * 2**20  # bytes that need not wait for memory: a text of a hundred words
ANSWER_SECONDS = 10.0
LOADING_SECONDS = 300.0  # a model that has to be converted first, on a busy machine
WAKING_SECONDS = 30.0  # the first answer has to wait for the model to load
RETRY_SECONDS = (5.0, 10.0, 20.0)  # from a failed load to the next try
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
    def batch_key(self) -> Hashable:
        """The key of requests that may share a forward pass; None if this one must run alone.

        Two texts read together, toys, and models with a small vocabulary run alone.
        """
        row = model_row(self.model)
        runs_alone = self.pair is not None or row.kind != "transformer" or row.example
        return None if runs_alone else (self.model, self.keep)


@dataclass(frozen=True)
class ModelState:
    """The state of the default model.

    ``phase`` is "asleep", "waking", "ready" (a new text is answered at once) or "failed"; ``message`` is the reason.
    """

    phase: str
    message: str = ""


@dataclass
class Breaker:
    """The failures of a model's load: reason, count, and time of the next try."""

    message: str = ""
    failures: int = 0
    retry_at: float = 0.0
    can_retry_now: bool = False  # the load did not begin
    last_error: str = ""  # the last failure, as it was logged

    @property
    def wait(self) -> float:
        """Seconds until the next try; 0 if it may be now."""
        return max(0.0, self.retry_at - time.monotonic())

    @property
    def open(self) -> bool:
        """Whether the next try has to wait."""
        return self.wait > 0 and not self.can_retry_now

    def failed(self, error: Exception) -> bool:
        """Note a failed load, each of which makes the next wait longer; return whether it failed in a new way.

        If no directory is writable, the load did not begin, so the next request may try at once.
        """
        self.message = str(error) if isinstance(error, MHAError) else FAILED
        self.can_retry_now = isinstance(error, NowhereToWrite)
        self.retry_at = time.monotonic() + RETRY_SECONDS[min(self.failures, len(RETRY_SECONDS) - 1)]
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
        batch_size: int = BATCH_SIZE,
        seconds: float = 0.0,
        cache: Cache | None = None,
    ) -> None:
        self._loads_models = run is None  # False if ``run`` is another engine, which loads its models
        self._run = run or _record_text
        self._run_many = run_many or (None if run else _record_texts)
        self._load = load or _load_and_warm
        self._seconds = seconds
        self._cache = Cache() if cache is None else cache
        self._live: WeakValueDictionary[Request, Recording] = WeakValueDictionary()  # those still referenced
        self._memory = MemoryLimit(self._cache.drop_oldest)
        self._pending = PendingRequests(batch_size)
        self._lock = threading.RLock()
        self._queue = queue or Queue()
        self._state = ModelState("asleep")
        self._breakers: dict[str, Breaker] = defaultdict(Breaker)  # by model; a loaded one has none
        self._retry_timer: threading.Timer | None = None
        self._uncollected = 0  # bytes recorded since garbage was collected

    def state(self) -> ModelState:
        """Return whether the default model is awake."""
        return self._state

    def start(self) -> None:
        """Load and warm the default model in the background, unless that is under way, done, or failed a moment ago."""
        with self._lock:
            if self._state.phase in ("waking", "ready") or self._breakers[DEFAULT].open:
                return
            self._state = ModelState("waking")
        self._queue.put(FunctionTask(self._wake))

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
                self._schedule_load(breaker.wait + 0.01)
            return
        with self._lock:
            self._breakers.pop(DEFAULT, None)
            self._state = ModelState("ready")

    def _schedule_load(self, seconds: float) -> None:
        """Begin the load of the default model after so many seconds, without a request."""
        if self._retry_timer is not None:
            self._retry_timer.cancel()
        self._retry_timer = threading.Timer(seconds, self.start)
        self._retry_timer.daemon = True
        self._retry_timer.start()

    def record(self, request: Request) -> Recording:
        """Return the recording of a request: bundled, cached, shared with an equal one under way, or run now.

        Raises:
            UnknownModel: no such model is on offer; nothing is looked up elsewhere.
            Busy: too many requests wait, or this one waited too long.
            ModelUnavailable: the model could not be loaded.
            MHAError: what recording itself raises.
        """
        recording = self.cached_recording(request)
        if recording is None:
            self.await_load(request.model)
            seconds = max(self._seconds, ANSWER_SECONDS if self._state.phase == "ready" else WAKING_SECONDS)
            pending = self._put(request, seconds)
            recording = await_result(
                pending.future,
                seconds,
                lambda: SENTENCES_FIRST if self._state.phase == "ready" and not pending.begun else "",
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

    def _put(self, request: Request, seconds: float) -> PendingRequest:
        """Let a request wait for a forward pass, at most so long; an equal one that waits or runs is shared.

        Raises:
            Busy: too many wait.
        """
        row = model_row(request.model)
        n_tokens = min((len(request.text) + len(request.pair or "")) / LETTERS_PER_TOKEN + 2, row.max_tokens)
        n_bytes = int(row.n_layers * row.n_heads * n_tokens**2 * 4 * (1 + PAGES_KEEP))  # with the arrays of pages
        n_bytes = min(MAX_RECORDING_BYTES, n_bytes)
        visitor = FOLLOWERS.caller()
        owner = visitor or threading.get_ident()
        takes_memory = n_bytes > SMALL_BYTES and request not in self._pending.requests
        if takes_memory:
            self._memory.take(n_bytes, owner)
        try:
            pending, new = self._pending.join(request, visitor, seconds)
        except Busy:
            if takes_memory:
                self._memory.add(-n_bytes, owner)
            raise
        if takes_memory:  # until the recording itself counts
            pending.future.add_done_callback(lambda _: self._memory.add(-n_bytes, owner))
        if new:
            FOLLOWERS.note_request(visitor)
            pending.first_owner = owner
            lane = "recording" if request.model == DEFAULT else "pass"
            self._queue.put(FunctionTask(functools.partial(self._answer_batch, pending), lane))
        return pending

    def await_load(self, model: str) -> None:
        """Return as soon as a model is in memory; meanwhile the visitor sees its progress.

        The worker loads only the default model, which is woken here, because a load may take half a minute.

        Raises:
            UnknownModel: no such model is on offer.
            Busy: it takes too long, or the visitor has left.
            ModelUnavailable: it cannot be loaded, or its load failed a moment ago.
        """
        row = model_row(model)
        if model == DEFAULT and self._state.phase != "ready":
            self.start()
        load_error = self._load_error(model)
        if load_error is not None:
            choice = "The example sentences still work;" if model == DEFAULT else "Choose another model, or"
            raise ModelUnavailable(f"{load_error} {choice} try again in a moment.")
        if not self._loads_models or model == DEFAULT or row.kind != "transformer":
            return
        from mha.models.files.loading import load_in_background, load_progress

        load = load_in_background(model)
        if load is None:
            return
        late = f"{row.short} is still loading. Try again in a minute."
        try:
            await_result(load, LOADING_SECONDS, lambda: load_progress(model), late)
        except ModelUnavailable as error:
            with self._lock:
                self._breakers[model].failed(error)
            raise

    def _answer_batch(self, first: PendingRequest) -> None:
        """Answer a pending request and those that fit it; a request without a waiting caller is not run."""
        awaited: list[PendingRequest] = []
        outcome: Recording | Exception | None
        for pending in self._pending.take(first):
            try:
                is_awaited = any(map(FOLLOWERS.waits, tuple(pending.visitors))) and time.monotonic() <= pending.deadline
                # An equal request may have ended meanwhile.
                outcome = self.cached_recording(pending.request) if is_awaited else Busy(VISITOR_LEFT)
            except Exception as error:  # a request that never ends would keep its text from everybody
                outcome = error
            if outcome is None:
                awaited.append(pending)
            else:
                self._pending.finish(pending, outcome)
        outcomes = self._record_together(awaited) if len(awaited) > 1 else {}
        for pending in awaited:
            outcome = outcomes.get(pending) or self._load_error(pending.request.model)
            if outcome is None:
                try:
                    outcome = self._run(pending.request)
                except Exception as error:
                    outcome = error
            self._finish(pending, outcome)

    def _record_together(self, batch: Sequence[PendingRequest]) -> dict[PendingRequest, Recording | MHAError]:
        """Return the outcomes of one pass over several texts, or none if that fails or is not possible."""
        if self._run_many is None or self._state.phase == "failed":
            return {}
        try:
            return dict(zip(batch, self._run_many([pending.request for pending in batch]), strict=True))
        except Exception:
            log.exception("several texts could not be recorded together; each is recorded by itself")
            return {}

    def _load_error(self, model: str) -> ModelUnavailable | None:
        """Return the error of a model that cannot run now, or None if it can."""
        failed = self._breakers.get(model)
        if model == DEFAULT:
            return ModelUnavailable(self._state.message) if self._state.phase == "failed" else None
        return None if failed is None or not failed.open else ModelUnavailable(failed.message)

    def _finish(self, pending: PendingRequest, outcome: Recording | Exception) -> None:
        model = pending.request.model
        n_bytes = 0 if isinstance(outcome, Exception) else size(outcome)
        with self._lock:
            if isinstance(outcome, ModelUnavailable) and self._load_error(model) is None:
                self._breakers[model].failed(outcome)
            elif not isinstance(outcome, Exception):
                if model != DEFAULT:
                    self._breakers.pop(model, None)
                self._memory.maps[outcome.maps] = n_bytes, pending.first_owner
                self._live[pending.request] = outcome
                self._cache.put(pending.request, outcome, n_bytes)
                self._uncollected += n_bytes
        self._pending.finish(pending, outcome)
        if self._uncollected > COLLECT_AFTER:
            self._uncollected = 0
            gc.collect()
            trim()


def _record_text(request: Request) -> Recording:
    from mha.models.watch.attending import record_text

    check_words(request.model, request.text, request.pair)
    second = None if request.pair is None else Accepted(request.pair)
    return record_text(Accepted(request.text), model=request.model, pair=second, keep=request.keep)


def _record_texts(requests: Sequence[Request]) -> list[Recording | MHAError]:
    from mha.models.files.loading import load
    from mha.models.watch.batching import record_together

    return record_together([request.text for request in requests], load(requests[0].model), requests[0].keep)


def check_words(model: str, *texts: str | None) -> None:
    """Raise InputError if a text has a word outside the vocabulary of a tiny model, which is loaded for this check."""
    row = model_row(model)
    if row.kind == "transformer" and row.example:
        from mha.models.files.loading import load
        from mha.models.watch.attending import check_known

        check_known(load(model), *texts)


def _load_and_warm() -> None:
    prepare_environment()
    _record_text(Request("Good morning"))
    # Streamlit collects garbage after every run; with torch's million objects frozen that costs 30 ms, not 280.
    gc.collect()
    gc.freeze()


_engine = per_process(LocalEngine, queue=QUEUE, cache=CACHE, **DISPATCHER.engine(_record_text, _load_and_warm))
record = _engine.record
cached_recording = _engine.cached_recording
await_load = _engine.await_load
state = _engine.state
start = _engine.start


def health() -> ModelState:
    """Return the state of the engine, in this process or on the cluster, without waiting."""
    is_lost = state().phase == "ready" and not DISPATCHER.able
    return ModelState("waking", CLUSTER_LOST) if is_lost else state()
