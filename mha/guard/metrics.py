"""What is counted, in Prometheus' text form: for whoever holds the token of this server, and nobody else."""

from __future__ import annotations

import hmac
import os

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from mha.guard.refusals import REGISTRY

TOKEN = "PARALLAX_METRICS_TOKEN"  # without one there is no such address


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
