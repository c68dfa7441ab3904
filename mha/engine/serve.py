"""An engine on Ray Serve, for pages elsewhere: ``python -m mha.engine.serve``, or ``make serve``.

Replicas hold the models; each puts up to eight waiting texts into one forward pass, keeps the three models that it was
asked for last, and takes a question only while few are under way. More replicas start when all have much to do.
"""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request as Asked
from starlette.responses import Response

from mha.engine import recordings
from mha.engine.cluster import join, ray, serve
from mha.engine.elsewhere import ADDRESS, TOKEN
from mha.engine.elsewhere.desk import Desk
from mha.engine.elsewhere.several import record_several
from mha.engine.recordings import Request
from mha.maps import Recording
from mha.models.files.environment import cores, give_memory_back, prepare_environment

PACKAGE = Path(__file__).resolve().parents[2]  # where `mha` is found
PORT = 8700
TOGETHER = 8  # texts of one forward pass
MODELS = 3  # of one replica
ONGOING = 16  # questions of one replica
QUEUED = 64  # that wait for a replica; more are told to come again


class Replica:
    """One process with models, as Ray Serve runs it."""

    def __init__(self, token: str) -> None:
        give_memory_back()
        prepare_environment()
        recordings.start()
        self._desk = Desk(token, self._record)

    async def __call__(self, asked: Asked) -> Response:
        """Answer one question over HTTP."""
        name = serve.get_multiplexed_model_id()
        if name:
            await self.model(name)
        return await self._desk.answer(asked)

    async def _record(self, request: Request) -> Recording:
        found = await self.together(request)
        if isinstance(found, Exception):
            raise found
        return found

    @serve.multiplexed(max_num_models_per_replica=MODELS)
    async def model(self, name: str) -> str:
        """Return the name of a model, which this replica is known to hold from now on: Ray sends what asks for it."""
        return name

    @serve.batch(max_batch_size=TOGETHER, batch_wait_timeout_s=0)
    async def together(self, requests: Sequence[Request]) -> list[Recording | Exception]:
        """Return what each of several texts shows, or what it is refused with."""
        return await run_in_threadpool(record_several, requests)

    def check_health(self) -> None:
        """Raise while the model cannot be loaded; Ray then starts another replica in this one's place."""
        if recordings.state().phase == "failed":
            raise RuntimeError(recordings.state().message)


def deployment(least: int, most: int) -> Any:
    """Return the deployment of between so many replicas, one core each."""
    # Replicas are no pages: they ask nobody else, and find the package where this process found it.
    environment = {"PYTHONPATH": str(PACKAGE), "OMP_NUM_THREADS": "1", ADDRESS: ""}
    return serve.deployment(
        Replica,
        name="heads",
        max_ongoing_requests=ONGOING,
        max_queued_requests=QUEUED,
        backpressure_config={"status_code": 429, "retry_after_s": 1},
        health_check_period_s=2,
        health_check_timeout_s=5,
        graceful_shutdown_timeout_s=5,
        logging_config={"enable_access_log": False},
        autoscaling_config={
            "min_replicas": least,
            "initial_replicas": least,
            "max_replicas": most,
            "target_ongoing_requests": ONGOING // 4,
            "upscale_delay_s": 5,
            "downscale_delay_s": 120,
        },
        ray_actor_options={"num_cpus": 1, "runtime_env": {"env_vars": environment}},
    )


def start(host: str, port: int, least: int, most: int, token: str) -> None:
    """Start the engine on Ray; return once it runs."""
    join(max(cores(), most))
    serve.start(http_options={"host": host, "port": port})
    serve.run(deployment(least, most).bind(token), name="parallax", route_prefix="/")


def main() -> None:
    """Start the engine, say how pages find it, and stay until this is stopped."""
    parser = argparse.ArgumentParser(prog="python -m mha.engine.serve", description=main.__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="where it listens; this machine alone unless said")
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--replicas", type=int, nargs=2, default=(1, max(1, cores())), metavar=("LEAST", "MOST"))
    said = parser.parse_args()
    token = os.environ.get(TOKEN) or secrets.token_urlsafe(24)
    least, most = said.replicas
    start(said.host, said.port, least, most, token)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):  # only now: Ray sets its own
        signal.signal(number, lambda *_: stopped.set())
    shown = "" if os.environ.get(TOKEN) else f"{TOKEN}={token} "
    print(
        f"The engine answers. Pages ask it with:  {ADDRESS}=http://{said.host}:{said.port} {shown}make run", flush=True
    )
    stopped.wait()
    serve.shutdown()
    ray.shutdown()


if __name__ == "__main__":
    main()
