"""Refusals and faults as ``application/problem+json`` (RFC 9457), each with the status that says whose turn it is."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from mha.errors import AttentionUnavailable, Busy, InputError, MHAError, ModelError, UnknownModel

MEDIA = "application/problem+json"
RETRY_SECONDS = 5  # after too much is asked of all

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
STATUSES: tuple[tuple[type[MHAError], int], ...] = (
    (InputError, 422),
    (UnknownModel, 422),
    (AttentionUnavailable, 422),
    (Busy, 503),
    (ModelError, 503),
)


class RefusedQuestion(Exception):
    """An answer that is a refusal."""

    def __init__(self, status: int, detail: str, **headers: str) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, headers


def problem(
    status: int, detail: str, headers: dict[str, str] | None = None, kind: type[MHAError] | None = None
) -> Response:
    """Return the answer that says why there is none, typed by the name of the error that it was."""
    body = {
        "type": f"/api/docs#{kind.__name__}" if kind else "about:blank",
        "title": TITLES[status],
        "status": status,
        "detail": detail,
    }
    return JSONResponse(body, status, {"Cache-Control": "no-store", **(headers or {})}, MEDIA)


def error_answer(error: MHAError) -> Response:
    """Return the answer for an error that was written for the reader."""
    status = next((status for kind, status in STATUSES if isinstance(error, kind)), 503)
    return problem(status, str(error), {"Retry-After": str(RETRY_SECONDS)} if status == 503 else None, type(error))
