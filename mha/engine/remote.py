"""Which process answers a question: the Ray cluster that PARALLAX_ENGINE names, or this one."""

import asyncio
import contextlib
import logging
import math
import os
import pickle
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from mha.engine.waiting import FULL
from mha.errors import Busy, InputError, MHAError, ModelUnavailable
from mha.stepwise import Steps, finished, in_turns

A = TypeVar("A", covariant=True)


class Question(Generic[A]):
    """Something that can be asked: frozen, and equal to what asks the same."""

    def answer(self) -> A:
        """Return the answer, found in this process; errors are those of the work."""
        raise NotImplementedError


@dataclass(frozen=True)
class InPieces(Question[Iterator[Any]]):
    """A question whose answer comes in pieces: a module's function yields one each half second, a number for no news.

    ``cost`` is its whole work (`mha.engine.queue.cost`); unknown is long. ``model`` is the loaded model that it runs,
    or "": on a cluster the question goes to a replica with this model. An ``idle`` one is answered only while nothing
    else waits or runs.
    """

    pieces: Callable[..., Iterator[Any]]
    arguments: tuple[Any, ...]
    cost: float = math.inf
    model: str = ""
    idle: bool = False

    def answer(self) -> Iterator[Any]:
        return self.pieces(*self.arguments)


CLUSTER = "RAY_ADDRESS"  # Ray's own: a cluster that was started with `ray start`, on one machine or several
OBJECTS = 100 * 2**20  # bytes of the object store
APP = "parallax"
LOCAL = ("127.0.0.1", "localhost")
PIECE, ANSWER, REFUSAL, FAULT = "piece", "answer", "refusal", "fault"  # messages; a piece of 0 is a sign of life
BEAT_SECONDS = 1.0  # between two signs of life
SILENT_SECONDS = 2.5  # without any: two are missing
CONNECT_SECONDS, STATE_SECONDS = 1.0, 10.0
POLL, AGAIN = 0.25, 2.0  # seconds between looks at a model that loads, and between tries to join


class Away(Exception):
    """The cluster cannot be reached, stopped answering, or failed. No `MHAError`: the caller asks again, or here."""


def with_ray(token: str = "", local: bool = True) -> Any:
    """Return Ray, imported so that it asks for a token (new unless given); if ``local``, it listens on this machine."""
    if CLUSTER not in os.environ:
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ["RAY_AUTH_TOKEN"] = token or os.environ.get("RAY_AUTH_TOKEN", "") or secrets.token_hex(32)
        if local:
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    os.environ.setdefault("RAY_raylet_start_wait_time_s", "120")
    os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")  # or leftovers of Serve start a cluster here, unasked
    # Ray ends a process that has missed its cluster for a minute: a page's goes on by itself.
    os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", "1000000")
    hook = sys.excepthook
    import ray

    sys.excepthook = hook  # Ray's hook reports an exit to the cluster, even to a lost one, and waits
    return ray


def write(kind: str, content: Any) -> bytes:
    """Return a message as bytes; arrays as Ray gives them would lie in the memory of the cluster."""
    return pickle.dumps((kind, content), pickle.HIGHEST_PROTOCOL)


def read(content: bytes) -> tuple[str, Any]:
    """Return the kind and content that `write` packed; only for messages of a replica, for this may run code."""
    message: tuple[str, Any] = pickle.loads(content)
    return message


def start(processes: int, token: str = "", host: str = LOCAL[0], port: int = 0) -> Any:
    """Start Ray on this machine for so many processes, or join the cluster that is named; return Ray."""
    ray = with_ray(token, host in LOCAL)
    if CLUSTER in os.environ:
        ray.init(logging_level=logging.WARNING)
        return ray
    if port:
        os.environ["RAY_GCS_SERVER_PORT"] = str(port)
    options: dict[str, Any] = {"num_cpus": processes, "object_store_memory": OBJECTS, "include_dashboard": False}
    if host not in LOCAL:
        options["_node_ip_address"] = host
    ray.init(logging_level=logging.WARNING, **options)
    return ray


class Cluster:
    """The engine on the Ray cluster at ``address`` (host:port), joined with its ``token`` through Serve's own handle.

    A thread joins it, and joins it again if it stops answering: Ray takes seconds for either. Until then every question
    is `Away`.

    Raises:
        InputError: this is not an address.
    """

    def __init__(self, address: str, token: str = "") -> None:
        parts = urlsplit(f"//{address}")
        if "/" in address or not parts.hostname or not parts.port:
            raise InputError(f"PARALLAX_ENGINE takes an address such as 127.0.0.1:8700, not {address[:80]!r}.")
        self.place, self._token = (parts.hostname, parts.port), token
        self.tried = threading.Event()  # it was joined, or could not be
        self.joined = threading.Event()
        self._handle: Any = None
        self._lock = threading.Lock()
        self._joining = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def join(self) -> None:
        """Join in the background, unless that is under way or done."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="cluster", daemon=True).start()
            if self._handle is None and not self._joining:
                self._joining = True
                threading.Thread(target=self._join, name="joining", daemon=True).start()

    def ask(self, question: Question[Any]) -> Steps[Any]:
        """Yield each piece of a question at once, 0 after each second without a piece, and return its answer.

        Raises:
            Away: the cluster does not answer.
            Busy: too many questions wait there.
            MHAError: the question is refused.
        """
        handle, model = self._handle, getattr(question, "model", "")  # Ray finds a replica that holds it
        if handle is None:
            raise Away("it is not joined")
        stream = handle.options(stream=True, multiplexed_model_id=model).answer.remote(question)
        try:
            while True:
                kind, content = self._next(stream)
                if kind == ANSWER:
                    return content
                if kind == REFUSAL:
                    raise content
                if kind == FAULT:
                    raise Away(f"it failed with {content}")
                yield content
        except (Away, MHAError):
            raise
        except Exception as error:
            name = type(error).__name__
            if name == "BackPressureError":
                raise Busy(FULL) from error
            if isinstance(error, TimeoutError) or name == "DeploymentUnavailableError":
                self._lost(handle)
            raise Away(f"{name}: {str(error)[:200]}") from error
        finally:
            with contextlib.suppress(Exception):  # it raises the error of the stream again
                stream.cancel()

    def _next(self, stream: Any) -> tuple[str, Any]:
        """Return the next message, unpickled in this thread: a class may import torch, and the loop serves all."""
        assert self._loop is not None
        message = asyncio.wait_for(stream.__anext__(), SILENT_SECONDS)
        return read(asyncio.run_coroutine_threadsafe(message, self._loop).result())

    def _lost(self, handle: Any) -> None:
        with self._lock:
            if self._handle is not handle:
                return  # another question has noticed it
            self._handle = None
            self.joined.clear()
        log.warning("the cluster stopped answering")
        self.join()

    def _join(self) -> None:
        problem = ""
        while True:
            try:
                handle = self._reached()
            except Exception as error:
                if problem != (problem := f"{type(error).__name__}: {str(error)[:200]}"):
                    log.warning("the cluster is away: %s", problem)
                self.tried.set()
                time.sleep(AGAIN)
                continue
            with self._lock:
                self._handle, self._joining = handle, False
                self.joined.set()
                self.tried.set()
            return

    def _reached(self) -> Any:
        """Return the handle of an engine that answers and whose model is loaded."""
        socket.create_connection(self.place, CONNECT_SECONDS).close()  # Ray itself would wait for half a minute
        ray = with_ray(self._token, self.place[0] in LOCAL)
        from ray import serve

        ray.shutdown()  # of the cluster that stopped answering
        ray.init(address="{}:{}".format(*self.place), logging_level=logging.ERROR, log_to_driver=False)
        logging.getLogger("ray.serve").setLevel(logging.CRITICAL)  # it logs every replica that it misses
        handle = serve.get_app_handle(APP)
        while True:
            state = handle.state.remote().result(timeout_s=STATE_SECONDS)
            if state.phase == "ready":
                return handle
            if state.phase == "failed":
                raise ModelUnavailable(state.message)
            time.sleep(POLL)


ADDRESS, TOKEN = "PARALLAX_ENGINE", "PARALLAX_ENGINE_TOKEN"
FALLBACK = "PARALLAX_ENGINE_FALLBACK"  # "off": no model is ever loaded here
AT_ONCE = 16  # questions under way at the cluster
PATIENCE = 60.0  # seconds in which neither the cluster nor this process answers, before a visitor reads so
PAUSE = 0.25  # seconds until a question is asked again
CLUSTER_LOST = "The machine that runs the model does not answer. Try again in a few seconds."

log = logging.getLogger(__name__)


class Dispatcher:
    """Sends questions to the cluster of the environment, or runs them here; ``cluster`` is None without one."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        address = environment.get(ADDRESS, "")
        self.cluster = Cluster(address, environment.get(TOKEN, "")) if address else None
        self.alone = environment.get(FALLBACK, "on") == "off"
        self._load: Callable[[], None] = lambda: None
        self._loading: threading.Thread | None = None
        self._loaded, self._lock = threading.Event(), threading.Lock()
        # Here one forward pass runs at a time, and one step of an experiment, which may itself ask for passes.
        self._recording, self._experimenting = threading.Lock(), threading.Lock()

    @property
    def threads(self) -> int:
        """How many questions are under way: one if this process computes the answers."""
        return AT_ONCE if self.cluster else 1

    @property
    def able(self) -> bool:
        """Whether a new text is answered at once, as far as it depends on the cluster."""
        return self.cluster is None or self.cluster.joined.is_set() or self._loaded.is_set()

    def engine(self, run: Callable[[Any], Any], load: Callable[[], None]) -> dict[str, Any]:
        """Return the arguments with which a `LocalEngine` asks the cluster; ``run`` and ``load`` work here."""
        if self.cluster is None:
            return {}
        self._load = load
        return {
            "run": lambda request: finished(self._answer(lambda: request, lambda: run(request), self._recording)),
            "load": self.wake,
            "batch_size": 1,
            "seconds": PATIENCE + 30.0,
        }

    def answer(self, question: Question[Any], compute: Callable[[], Any]) -> Any:
        """Return the answer of a question or the steps that find it; ``compute`` finds it in this process."""
        if self.cluster is None:
            return compute()
        return self._answer(lambda: question, compute, self._experimenting)

    def pieces(self, missing: Callable[[], InPieces]) -> Iterator[Any]:
        """Yield the pieces of the rest of a job; ``missing`` is called again if they break off."""
        if self.cluster is None:
            return missing().answer()
        return self._answer(missing, lambda: missing().answer(), self._experimenting)

    def _answer(
        self, question: Callable[[], Question[Any]], compute: Callable[[], Any], turn: threading.Lock
    ) -> Steps[Any]:
        """Take the steps of a question at the cluster or, one at a time, ``compute``; return its answer.

        Raises:
            Busy: neither has answered for `PATIENCE` seconds.
            MHAError: the question is refused.
        """
        assert self.cluster is not None
        heard = time.monotonic()
        while True:
            try:
                with closing(self.cluster.ask(question())) as pieces:
                    while True:
                        piece = next(pieces)
                        heard = time.monotonic()
                        yield piece
            except StopIteration as end:
                return end.value
            except Away as away:
                log.info("not answered by the cluster: %s", away)
            if not self.alone:
                self._load_in_background()
            if self._loaded.wait(PAUSE):
                return (yield from in_turns(compute, turn))
            if time.monotonic() - heard > PATIENCE:
                raise Busy(CLUSTER_LOST)

    def _load_in_background(self) -> None:
        with self._lock:
            if not self._loaded.is_set() and (self._loading is None or not self._loading.is_alive()):
                self._loading = threading.Thread(target=self._load_here, name="fallback", daemon=True)
                self._loading.start()

    def _load_here(self) -> None:
        try:
            self._load()
        except Exception:
            log.exception("the model could not be loaded here either")
        else:
            self._loaded.set()

    def wake(self) -> None:
        """Return once the cluster or this process answers new texts.

        Raises:
            ModelUnavailable: neither does.
        """
        assert self.cluster is not None
        self.cluster.join()
        if self.cluster.tried.wait(PATIENCE) and self.cluster.joined.is_set():
            return
        if self.alone:
            raise ModelUnavailable(CLUSTER_LOST)
        self._load()
        self._loaded.set()


DISPATCHER = Dispatcher()
