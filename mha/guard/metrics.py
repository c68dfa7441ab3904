"""What is counted, in Prometheus' text form for whoever holds the token of this server; refusals, logged as well.

A refusal is one structured line in the log, without a word of the visitor's text.
"""

from __future__ import annotations

import hmac
import json
import logging
import os
from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, generate_latest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from mha.engine.elsewhere import WAYS
from mha.engine.following import FOLLOWERS
from mha.engine.recordings import health, usage
from mha.guard.uploads import UPLOADS

TOKEN = "PARALLAX_METRICS_TOKEN"  # without one there is no such address

log = logging.getLogger("parallax.guard")

REGISTRY = CollectorRegistry()
REFUSED = Counter("parallax_refused", "Requests, sockets and messages that were refused", ["reason"], registry=REGISTRY)
SOCKETS = Gauge("parallax_sockets", "Open sockets", registry=REGISTRY)
IN_LINE = Gauge("parallax_in_line", "Pages that wait for their turn to open", registry=REGISTRY)
RERUNS = Counter("parallax_reruns", "Script runs that visitors asked for", registry=REGISTRY)
MEASURED: dict[str, tuple[str, Callable[[], float]]] = {  # what is read as it is asked for
    "parallax_ready": ("Whether a new text is answered at once", lambda: health().ready),
    "parallax_waiting": ("Requests that wait for a forward pass or are in one", lambda: usage()["waiting"]),
    "parallax_passes": ("Forward passes begun for recordings", lambda: usage()["passes"]),
    "parallax_kept_bytes": ("Bytes of the recordings in the cache", lambda: usage()["bytes"]),
    "parallax_upload_bytes": ("Bytes of visitors' files, kept or on their way in", lambda: UPLOADS.bytes),
    "parallax_engine_away": ("Whether the engine elsewhere did not answer when last asked", lambda: WAYS.away),
    "parallax_jobs": ("Long jobs that somebody follows", FOLLOWERS.running),
}
for name, (about, value) in MEASURED.items():
    Gauge(name, about, registry=REGISTRY).set_function(value)


def refuse(reason: str, count: int = 1, /, **about: str | int) -> None:
    """Count a refusal, or so many at once, and log it: ``about`` is what is known of it, never what was typed."""
    REFUSED.labels(reason).inc(count)
    log.warning(json.dumps({"event": "refused", "reason": reason, **about}))


async def answer(request: Request) -> Response:
    """Answer a request with ``Authorization: Bearer TOKEN`` with all counts."""
    token = os.environ.get(TOKEN, "")
    if not token:
        return PlainTextResponse("Not found.", 404)
    said = request.headers.get("authorization", "")
    if not hmac.compare_digest(said.encode(), f"Bearer {token}".encode()):
        return PlainTextResponse("This needs the token.", 401, {"WWW-Authenticate": "Bearer"})
    return Response(generate_latest(REGISTRY), media_type=CONTENT_TYPE_LATEST, headers={"Cache-Control": "no-store"})


ROUTES = [Route("/metrics", answer, methods=["GET"])]
