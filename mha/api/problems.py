"""Refusals and faults as ``application/problem+json`` (RFC 9457)."""

import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from mha.errors import AttentionUnavailable, Busy, InputError, MHAError, ModelUnavailable, UnknownModel

log = logging.getLogger(__name__)
MEDIA = "application/problem+json"
RETRY_SECONDS = 5  # after a 503
FAULT = "Something went wrong on our side; it has been logged."
TITLES = {
    400: "This is not JSON",
    404: "There is no such address",
    405: "Not with this method",
    406: "Not in this form",
    413: "Too large",
    415: "Not in this form",
    422: "This cannot be used",
    429: "Too many questions",
    500: "A fault of ours",
    503: "Busy",
}
KINDS = (InputError, UnknownModel, AttentionUnavailable, ModelUnavailable, Busy)  # the last part of a problem's type
UNUSABLE = (InputError, UnknownModel, AttentionUnavailable)  # 422: the same question never works
_PACKAGE = "This address was removed in 0.3. Use mha.{} of the Python package."
_READINGS = "This address was removed in 0.3. POST /api/readings with “want”: [“{}”]."
REMOVED = {name: _PACKAGE.format(name) for name in ("figure", "preference", "direct", "cell")} | {
    "brought": _PACKAGE.format("contributions"),
    "patch": _READINGS.format("patch"),
    "follow": _READINGS.format("patch"),
    "sweep": _READINGS.format("sweep"),
    "page": _PACKAGE.format("show"),
}


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None, kind: str = "") -> Response:
    """Return a problem; its type is the name of an error that /api/docs explains."""
    body = {"type": f"/api/docs#{kind}" if kind else "about:blank", "title": TITLES[status], "status": status}
    return JSONResponse(body | {"detail": detail}, status, {"Cache-Control": "no-store", **(headers or {})}, MEDIA)


async def explain_refusal(request: Request, error: HTTPException) -> Response:
    """Return the problem of a refused request; a removed address names its replacement."""
    detail = error.detail
    if error.status_code == 404:
        name = request.url.path.rstrip("/").rpartition("/")[2]
        detail = REMOVED.get(name, "The addresses are in /api/openapi.json, and to read in /api/docs.")
    elif error.status_code == 405:
        detail = f"Ask with {(error.headers or {}).get('Allow', 'another method')}."
    return problem(error.status_code, detail, error.headers)


async def explain_body(_request: Request, error: RequestValidationError) -> Response:
    """Return the problem of a body: its first mistake, and the field that has it."""
    mistake = error.errors()[0]
    if mistake["type"] == "json_invalid":
        return problem(400, f"{mistake['msg']}: {mistake['ctx']['error']}")
    return problem(422, ": ".join(filter(None, (".".join(map(str, mistake["loc"][1:])), mistake["msg"]))))


async def explain_error(_request: Request, error: MHAError) -> Response:
    """Return the problem of an error whose message is written for users."""
    status = 422 if isinstance(error, UNUSABLE) else 503
    return problem(
        status, str(error), {"Retry-After": str(RETRY_SECONDS)} if status == 503 else None, type(error).__name__
    )


async def apologise(_request: Request, error: Exception) -> Response:
    """Return the problem of a fault in the program, and log it."""
    log.error("a question over HTTP failed", exc_info=error)
    return problem(500, FAULT)


HANDLERS: dict[int | type[Exception], Callable[[Request, Any], Coroutine[Any, Any, Response]]] = {
    HTTPException: explain_refusal,
    RequestValidationError: explain_body,
    MHAError: explain_error,
    Exception: apologise,
}
