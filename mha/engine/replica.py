"""One process of the engine on Ray Serve: it answers every question that a page's process would answer itself.

It batches waiting texts into one forward pass and alternates among long tasks, as that does (`mha.engine.recordings`,
`mha.engine.queue`). More replicas start when all have much to do.
"""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ray import serve

from mha.engine import experiments, recordings, writing  # noqa: F401 – what questions name
from mha.engine.followers import FOLLOWERS, Client
from mha.engine.jobs import Job
from mha.engine.remote import ADDRESS, ANSWER, BEAT_SECONDS, FAULT, PIECE, REFUSAL, InPieces, Question, write
from mha.engine.waiting import LOOK, VISITOR_LEFT
from mha.errors import Busy, MHAError
from mha.models.files.environment import configure_allocator, prepare_environment

PACKAGE = Path(__file__).resolve().parents[2]  # where `mha` is found
MODELS = 3  # of one replica
ONGOING = 64  # questions of one replica, most of which wait for their turn
BUSY = 4  # questions of one replica that are enough for another one to start
QUEUED = 64  # that wait for a replica; further ones are refused

log = logging.getLogger(__name__)
Send = Callable[[str, Any], object]


class StreamedJob(Job):
    """A question in pieces, each of which is sent, in its turn among the others of this replica."""

    def __init__(self, pieces: InPieces, send: Send) -> None:
        self._send = send
        super().__init__(pieces)

    def take(self, piece: Any) -> None:
        """Send a piece."""
        self._send(PIECE, piece)


class Stream:
    """One question under way in a thread; ``send`` gets its messages."""

    def __init__(self, question: Question[Any], send: Send) -> None:
        self._question, self._send = question, send
        self._has_left = threading.Event()
        self._client: Client | None = None

    def run(self) -> None:
        """Answer it in the name of a client of its own, for the pages that ask do so for many."""
        try:
            with FOLLOWERS.client() as client:
                self._client = client
                client.was_left = self._has_left.is_set()
                self._send(ANSWER, self._answer(client))
        except MHAError as error:
            self._send(REFUSAL, error)
        except Exception as error:
            log.exception("a question could not be answered")
            self._send(FAULT, type(error).__name__)

    def leave(self) -> None:
        """Note that the listener has left: it ends after the step that is under way."""
        self._has_left.set()
        if self._client is not None:
            self._client.was_left = True

    def _answer(self, client: Client) -> Any:
        if not isinstance(self._question, InPieces):
            return self._question.answer()
        job = StreamedJob(self._question, self._send)
        FOLLOWERS.follow(client.name, job)
        try:
            while not job.wait(LOOK):
                if client.was_left:
                    raise Busy(VISITOR_LEFT)
        finally:
            FOLLOWERS.leave(client.name, job)
        if job.error is not None:
            raise job.error
        return None


class Replica:
    """One process with models, as Ray Serve runs it."""

    def __init__(self) -> None:
        configure_allocator()
        prepare_environment()
        recordings.start()
        self._threads = ThreadPoolExecutor(ONGOING, thread_name_prefix="asked")

    async def answer(self, question: Question[Any]) -> AsyncIterator[bytes]:
        """Yield the messages of a question, a sign of life after each silent second, and its answer at the end."""
        name = serve.get_multiplexed_model_id()
        if name:
            await self.model(name)
        news: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        stream = Stream(question, lambda *message: loop.call_soon_threadsafe(news.put_nowait, message))
        self._threads.submit(stream.run)
        kind = PIECE
        try:
            while kind == PIECE:
                try:
                    kind, content = await asyncio.wait_for(news.get(), BEAT_SECONDS)
                except TimeoutError:
                    content = 0
                yield write(kind, content)
        finally:
            stream.leave()

    async def state(self) -> recordings.ModelState:
        """Return how the default model is."""
        return recordings.state()

    @serve.multiplexed(max_num_models_per_replica=MODELS)
    async def model(self, name: str) -> str:
        """Return the name of a model, which this replica is known to hold from now on: Ray sends what asks for it."""
        return name

    def check_health(self) -> None:
        """Raise while the model cannot be loaded; Ray then replaces this replica."""
        if recordings.state().phase == "failed":
            raise RuntimeError(recordings.state().message)


def deployment(min_replicas: int, max_replicas: int) -> Any:
    """Return the deployment of between so many replicas, one core each."""
    # Replicas answer themselves, without a cluster, and find the package where this process found it.
    environment = {"PYTHONPATH": str(PACKAGE), "OMP_NUM_THREADS": "1", ADDRESS: ""}
    return serve.deployment(
        Replica,
        name="heads",
        max_ongoing_requests=ONGOING,
        max_queued_requests=QUEUED,
        health_check_period_s=2,
        health_check_timeout_s=5,
        graceful_shutdown_timeout_s=5,
        logging_config={"enable_access_log": False},
        autoscaling_config={
            "min_replicas": min_replicas,
            "initial_replicas": min_replicas,
            "max_replicas": max_replicas,
            "target_ongoing_requests": BUSY,
            "upscale_delay_s": 5,
            "downscale_delay_s": 120,
        },
        ray_actor_options={"num_cpus": 1, "runtime_env": {"env_vars": environment}},
    )
