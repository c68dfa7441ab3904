"""Forward passes in this process: one worker, one run for equal requests, a bounded cache, a circuit breaker.

The default model is loaded and warmed in the background, so that the first page is drawn before torch is imported; any
other one on offer loads when it is first asked for. Limits are those of docs/architecture.md, "Limits".
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import gc
import logging
import threading
import time
from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field

from cachetools import LRUCache

from mha.engine.bundled import bundled
from mha.errors import Busy, MHAError, ModelUnavailable
from mha.maps import Recording
from mha.models.files.catalog import DEFAULT, model_row
from mha.models.files.environment import prepare_environment
from mha.words import Accepted, accept

CACHE_BYTES = 256 * 2**20
CACHE_ITEMS = 256
EVERYTHING = ("query", "key", "value", "hidden")
# Characters up to which the default model's recordings keep everything: 0.4 MB for nine words beside 0.03 MB of weights
# and a millisecond, where a second forward pass takes fifteen.
KEPT_UP_TO = 200
WAITING_LIMIT = 64
ANSWER_SECONDS = 30.0  # the first answer may have to wait for the model to load
MOMENT = 0.2  # seconds that need no spinner
BREAKER_SECONDS = (5.0, 10.0, 20.0)  # after a failing load, how long the next try waits

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Request:
    """One text for one model; what equals it is answered by the same forward pass.

    The text is accepted here, once (`mha.words.accept`): ``text`` is what is left of it, ``notes`` says what was
    changed. ``keep`` may name "query", "key", "value" and "hidden": what the recording holds beside the weights.

    Raises:
        InputError: nothing is left of the text that could be looked at.
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

    @property
    def full(self) -> Request:
        """The same text with all that can be kept of it."""
        other = copy.copy(self)  # not made anew: its text is accepted
        object.__setattr__(other, "keep", EVERYTHING)
        return other

    @property
    def run(self) -> Request:
        """What the model is asked for: of a short text all of it, for Step by step may be the reader's next page."""
        short = len(self.text) <= KEPT_UP_TO and self.model == DEFAULT and self.pair is None
        return self.full if short else self


@dataclass(frozen=True)
class State:
    """How the default model is: ``phase`` is "asleep", "waking", "ready" or "failed"; ``message`` says why."""

    phase: str
    message: str = ""

    @property
    def ready(self) -> bool:
        """Whether a new text is answered at once."""
        return self.phase == "ready"


@dataclass
class _Breaker:
    """What is known of a model whose load failed: the reason, how often it failed, and when it may be tried again."""

    message: str = ""
    failures: int = 0
    retry_at: float = 0.0

    @property
    def open(self) -> bool:
        """Whether the next try has to wait."""
        return time.monotonic() < self.retry_at

    def failed(self, error: Exception) -> None:
        """Note a failing load; each one makes the next wait longer."""
        self.message = str(error) if isinstance(error, MHAError) else "The model could not be loaded."
        self.retry_at = time.monotonic() + BREAKER_SECONDS[min(self.failures, len(BREAKER_SECONDS) - 1)]
        self.failures += 1


class _Sized(LRUCache):
    """A cache bounded by bytes and by items."""

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        while len(self) > CACHE_ITEMS:
            self.popitem()


def _size(recording: Recording) -> int:
    weights = sum(stack.nbytes for stack in recording.stacks.values()) or recording.maps.weights.nbytes
    kept = (recording.query, recording.key, recording.value, recording.hidden)
    return weights + sum(array.nbytes for array in kept if array is not None)


class LocalEngine:
    """The engine of one process; pages use the module's functions, tests make their own."""

    def __init__(self, run=None, load=None):
        self._run = run or _record_text
        self._load = load or _load_and_warm
        self._cache: _Sized = _Sized(maxsize=CACHE_BYTES, getsizeof=_size)
        self._pending: dict[Request, Future[Recording]] = {}
        self._lock = threading.RLock()  # a finished future calls back in the thread that asked
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="forward")
        self._state = State("asleep")
        self._breakers: dict[str, _Breaker] = defaultdict(_Breaker)  # by model; a loaded one has none

    def state(self) -> State:
        """Return whether the default model is awake."""
        return self._state

    def start(self) -> None:
        """Load and warm the default model in the background, unless that is under way, done, or failed a moment ago."""
        with self._lock:
            if self._state.phase in ("waking", "ready") or self._breakers[DEFAULT].open:
                return
            self._state = State("waking")
        self._worker.submit(self._wake)

    def _wake(self) -> None:
        try:
            self._load()
        except Exception as error:
            log.exception("the model could not be loaded")
            with self._lock:
                self._breakers[DEFAULT].failed(error)
                self._state = State("failed", self._breakers[DEFAULT].message)
                wait = self._breakers[DEFAULT].retry_at - time.monotonic()
            again = threading.Timer(max(wait, 0) + 0.01, self.start)  # nobody has to come by for it
            again.daemon = True
            again.start()
            return
        with self._lock:
            self._breakers.pop(DEFAULT, None)
            self._state = State("ready")

    def record(self, request: Request) -> Recording:
        """Return the recording of a request: bundled, cached, shared with an equal one under way, or run now.

        Raises:
            UnknownModel: no such model is on offer; nothing is looked up elsewhere.
            Busy: too many requests wait, or this one waited too long.
            ModelUnavailable: the model could not be loaded.
            MHAError: what recording itself raises.
        """
        found = self._found(request)
        try:
            recording = found.result(ANSWER_SECONDS) if isinstance(found, Future) else found
        except FutureTimeout as error:
            raise Busy("This took too long and was given up. Try again in a few seconds.") from error
        return dataclasses.replace(recording, notes=request.notes + recording.notes) if request.notes else recording

    def soon(self, request: Request) -> bool:
        """Return whether `record` answers in a moment, by its recording or by raising; it is begun if it was not."""
        found = self._found(request)
        return not isinstance(found, Future) or bool(wait([found], MOMENT).done)

    def _found(self, request: Request) -> Recording | Future[Recording]:
        """Return the recording where it is known, else the run that will give it."""
        plain = request.pair is None and not request.keep
        ready_made = bundled(request.text, request.model) if plain else None
        if ready_made is not None:
            return ready_made
        self._check_load(request.model)
        with self._lock:
            for known in (request, request.full):
                if known in self._cache:
                    return self._cache[known]
            request = request.run
            future = self._pending.get(request)
            if future is None:
                if len(self._pending) >= WAITING_LIMIT:
                    raise Busy("Many sentences are waiting right now. Try again in a few seconds.")
                future = self._worker.submit(self._answer, request)
                self._pending[request] = future
                future.add_done_callback(lambda _done: self._forget(request))
            return future

    def _check_load(self, model: str) -> None:
        """Wake the default model if it is asked; raise if there is no such model, or its load failed a moment ago."""
        if model_row(model).name == DEFAULT:
            self.start()
            if self._state.phase == "failed":
                message = f"{self._state.message} The example sentences still work; try again in a moment."
                raise ModelUnavailable(message)
        elif model in self._breakers and self._breakers[model].open:
            raise ModelUnavailable(f"{self._breakers[model].message} Choose another model, or try again in a moment.")

    def _answer(self, request: Request) -> Recording:
        if request.model == DEFAULT and self._state.phase == "failed":
            raise ModelUnavailable(self._state.message)
        try:
            recording: Recording = self._run(request)
        except ModelUnavailable as error:
            with self._lock:
                self._breakers[request.model].failed(error)
            raise
        if request.model != DEFAULT:
            self._breakers.pop(request.model, None)
        with self._lock, contextlib.suppress(ValueError):  # larger than the whole cache: answered, not kept
            self._cache[request] = recording
        return recording

    def _forget(self, request: Request) -> None:
        with self._lock:
            self._pending.pop(request, None)


def _record_text(request: Request) -> Recording:
    from mha.models.watch.attending import record_text

    second = None if request.pair is None else Accepted(request.pair)
    return record_text(Accepted(request.text), model=request.model, pair=second, keep=request.keep)


def _load_and_warm() -> None:
    prepare_environment()
    _record_text(Request("Good morning"))
    # Streamlit collects garbage after every run; with torch's million objects frozen that costs 30 ms, not 280.
    gc.collect()
    gc.freeze()


_engine = LocalEngine()
record = _engine.record
soon = _engine.soon
state = _engine.state
start = _engine.start
