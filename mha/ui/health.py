"""Whether the app is alive, and whether it can answer: two addresses for whoever looks after it."""

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from mha.engine import state


async def health(_request: Request) -> JSONResponse:
    """Answer 200 as long as the process runs."""
    return JSONResponse({"alive": True})


async def ready(_request: Request) -> JSONResponse:
    """Answer 200 when a new text would be answered at once, else 503 with the reason."""
    now = state()
    return JSONResponse({"ready": now.ready, "phase": now.phase, "message": now.message}, 200 if now.ready else 503)


ROUTES = [Route("/api/health", health), Route("/api/ready", ready)]
