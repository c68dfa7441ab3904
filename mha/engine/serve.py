"""Start the engine on Ray, for pages in other processes: ``python -m mha.engine.serve``, or ``make serve``."""

import argparse
import os
import secrets
import signal
import threading

from mha.engine.remote import ADDRESS, APP, LOCAL, TOKEN, start
from mha.models.files.environment import cores

PORT = 8700


def main() -> None:
    """Start the engine, print its address for pages, and stay until this is stopped."""
    parser = argparse.ArgumentParser(prog="python -m mha.engine.serve", description=main.__doc__)
    parser.add_argument("--host", default=LOCAL[0], help="where it listens; this machine alone unless given")
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--replicas", type=int, nargs=2, default=(1, max(1, cores())), metavar=("LEAST", "MOST"))
    options = parser.parse_args()
    token = os.environ.get(TOKEN) or secrets.token_hex(32)
    min_replicas, max_replicas = options.replicas
    ray = start(max(cores(), max_replicas), token, options.host, options.port)
    from ray import serve

    from mha.engine.replica import deployment

    serve.start(proxy_location="Disabled")
    serve.run(deployment(min_replicas, max_replicas).bind(), name=APP, route_prefix=None)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):  # only now: Ray sets its own
        signal.signal(number, lambda *_: stopped.set())
    token_setting = "" if os.environ.get(TOKEN) else f"{TOKEN}={token} "
    print(
        f"The engine answers. Pages ask it with:  {ADDRESS}={options.host}:{options.port} {token_setting}make run",
        flush=True,
    )
    stopped.wait()
    serve.shutdown()
    ray.shutdown()


if __name__ == "__main__":
    main()
