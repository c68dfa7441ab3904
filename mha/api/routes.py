"""The FastAPI app below ``/api``: each question asks the engine for the result of the function of `mha` by its name."""

import functools
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any, Literal

import numpy as np
from fastapi import Depends, FastAPI
from fastapi import Request as HTTPRequest
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

from mha.api import bodies
from mha.api.limits import BODY_BYTES, RATES, bound_body, hold_long_slot, hold_slot
from mha.engine import Request, experiments, record, recordings, start, writing
from mha.errors import AttentionUnavailable, InputError, MHAError, UnknownModel
from mha.maps import AttentionMaps, Reading, stack_head
from mha.models.files.catalog import offered
from mha.models.files.environment import configure_allocator, prepare_environment
from mha.server.middleware import Guard

log = logging.getLogger(__name__)
DOCUMENT = "/api/openapi.json"
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
UNUSABLE = (InputError, UnknownModel, AttentionUnavailable)  # 422: the same question never works


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None, kind: str = "") -> Response:
    """Return a problem; its type ends with the name of an error of the package."""
    body = {"type": f"{DOCUMENT}#{kind}" if kind else "about:blank", "title": TITLES[status], "status": status}
    return JSONResponse(body | {"detail": detail}, status, {"Cache-Control": "no-store", **(headers or {})}, MEDIA)


async def explain_refusal(_request: HTTPRequest, error: HTTPException) -> Response:
    """Return the problem of a refused request."""
    detail = error.detail
    if error.status_code == 404:
        detail = f"The addresses are in {DOCUMENT}."
    elif error.status_code == 405:
        detail = f"Ask with {(error.headers or {}).get('Allow', 'another method')}."
    return problem(error.status_code, detail, error.headers)


async def explain_body(_request: HTTPRequest, error: RequestValidationError) -> Response:
    """Return the problem of a body: its first mistake, and the field that has it."""
    mistake = error.errors()[0]
    if mistake["type"] == "json_invalid":
        return problem(400, f"{mistake['msg']}: {mistake['ctx']['error']}")
    return problem(422, ": ".join(filter(None, (".".join(map(str, mistake["loc"][1:])), mistake["msg"]))))


async def explain_error(_request: HTTPRequest, error: MHAError) -> Response:
    """Return the problem of an error whose message is written for users."""
    status = 422 if isinstance(error, UNUSABLE) else 503
    return problem(
        status, str(error), {"Retry-After": str(RETRY_SECONDS)} if status == 503 else None, type(error).__name__
    )


async def apologise(_request: HTTPRequest, error: Exception) -> Response:
    """Return the problem of a fault in the program, and log it."""
    log.error("a question over HTTP failed", exc_info=error)
    return problem(500, FAULT)


HANDLERS: dict[int | type[Exception], Callable[[HTTPRequest, Any], Coroutine[Any, Any, Response]]] = {
    HTTPException: explain_refusal,
    RequestValidationError: explain_body,
    MHAError: explain_error,
    Exception: apologise,
}


MOST_TOKENS = 64  # of the maps in an answer: 300,000 numbers of MiniLM
WEIGHT_DECIMALS = 6

PROBLEM = {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"description": TITLES[status], "content": PROBLEM, "headers": headers}
    for statuses, headers in (
        ((400, 406, 413, 415, 422, 500), {}),
        ((429, 503), {"Retry-After": {"schema": {"type": "string"}}}),
    )
    for status in statuses
}

ABOUT = (
    "The attention of every head of a transformer, over HTTP. A question is JSON of at most "
    f"{BODY_BYTES // 1024} KiB; a refusal is application/problem+json. A client may ask {RATES.per_minute} times a "
    "minute. Arrays are [layer][head] or [layer][head][query][key], counted from 0."
)
TAGS = [
    {"name": "texts", "description": "Questions about a text"},
    {"name": "service", "description": "The models on offer, and whether the service answers"},
]


class Api(FastAPI):
    """The API as an app of its own; it is mounted below ``/api``."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request with a bounded body; HEAD is answered as GET, and the server sends no body."""
        if scope.get("method") == "HEAD":
            scope = {**scope, "method": "GET"}
        await super().__call__(scope, bound_body(scope, receive), send)

    def openapi(self) -> dict[str, Any]:
        """Return the document of FastAPI with the schema of problems, which have a media type of their own."""
        document = super().openapi()
        document["components"]["schemas"]["Problem"] = bodies.Problem.model_json_schema()
        return document


app = Api(
    title="Parallax",
    version="1",
    description=ABOUT,
    openapi_tags=TAGS,
    docs_url=None,  # the pages of FastAPI load scripts from another host
    redoc_url=None,
    exception_handlers=HANDLERS,
)


def serve(slot: Callable[..., Any]) -> Callable[[Callable[..., BaseModel]], Callable[..., Response]]:
    """Return a decorator that serves a function at the address of its name, while it holds a slot.

    The answer is serialised in the function's thread: a million weights would hold up the event loop.
    """

    def decorate(answer: Callable[..., BaseModel]) -> Callable[..., Response]:
        @functools.wraps(answer)
        def respond(question: Any) -> Response:
            return Response(answer(question).model_dump_json(), media_type="application/json")

        return app.post(
            f"/{answer.__name__}",
            tags=["texts"],
            operation_id=answer.__name__,
            responses=REFUSALS,
            dependencies=[Depends(slot, scope="function")],
        )(respond)

    return decorate


def _attention_answer(maps: AttentionMaps, notes: tuple[str, ...]) -> bodies.AttentionAnswer:
    if (longest := max(len(maps.tokens), len(maps.key_tokens))) > MOST_TOKENS:
        raise InputError(
            f"An answer holds {MOST_TOKENS} {maps.units}; these maps have {longest}. Try mha.attend(text)."
        )
    return bodies.AttentionAnswer(
        text=maps.text,
        pair=maps.pair,
        model=maps.model,
        revision=maps.revision,
        units=maps.units,
        causal=maps.causal,
        tokens=maps.tokens,
        key_tokens=maps.key_tokens if maps.kind == "cross" else None,
        weights=np.round(maps.weights.astype(np.float64), WEIGHT_DECIMALS).tolist(),
        notes=notes,
    )


@serve(hold_slot)
def attend(question: bodies.AttentionQuestion) -> bodies.AttentionAnswer:
    """Return the attention of every head for a text."""
    if question.target is None:
        recording = record(Request(question.text, question.model, question.pair))
    elif question.pair is None:
        recording = writing.record_with_target(question.text, question.target, question.model)
    else:
        raise InputError("Give a pair or a target, not both.")
    maps = recording.attention(question.stack) if question.stack else recording.maps
    return _attention_answer(maps.merged() if question.units == "words" else maps, recording.notes)


@serve(hold_long_slot)
def readings(question: bodies.ReadingsQuestion) -> bodies.ReadingsAnswer:
    """Return two readings of a text: each head's lean, its share of a change, the effect of its ablation."""
    text = Request(question.text).text
    both = question.readings()
    recordings.check_words(question.model, text)
    results: dict[str, Callable[..., Any]] = {"lean": _lean, "patch": _patch, "sweep": _sweep}
    return bodies.ReadingsAnswer(
        text=text,
        model=question.model,
        suggested=question.a is None,
        readings=both,
        **{name: make(question, text, both) if name in question.want else None for name, make in results.items()},
    )


def _lean(question: bodies.ReadingsQuestion, text: str, both: tuple[Reading, Reading]) -> bodies.LeanAnswer:
    leaning = experiments.leaning(text, both, question.model, question.measure)
    answer = {
        "lean": leaning.sentence_leans.lean,
        "towards_a": leaning.sentence_leans.a,
        "towards_b": leaning.sentence_leans.b,
    }
    answer |= {"no_opinion": leaning.sentence_leans.is_below_even_share, "mean_of_shuffles": leaning.summary.mean}
    return bodies.LeanAnswer.model_validate(
        answer | {"n_shuffles": len(leaning.shuffles), "n_reaching": leaning.summary.n_reached}
    )


def _patch(question: bodies.ReadingsQuestion, text: str, both: tuple[Reading, Reading]) -> BaseModel:
    if question.changed_version is None:
        raise InputError("“patch” needs a changed_version: the same sentence with another deciding word.")
    changed_version = Request(question.changed_version).text
    recordings.check_words(question.model, changed_version)
    return bodies.PatchAnswer.model_validate(
        experiments.patched(text, changed_version, both, question.model, question.score_layer)
    )


def _sweep(question: bodies.ReadingsQuestion, text: str, both: tuple[Reading, Reading]) -> BaseModel:
    score = experiments.Score(question.score.name, question.score.a, question.score.b, question.score_layer)
    return bodies.SweepAnswer.model_validate(experiments.swept(text, both, question.ablation, question.model, score))


@serve(hold_long_slot)
def predict(question: bodies.PredictionQuestion) -> bodies.PredictionAnswer:  # type: ignore[valid-type]
    """Return the likeliest words, with all heads on and with heads ablated."""
    ablated, in_turn = (tuple(map(stack_head, names)) for names in (question.ablated, question.ablated_in_turn))
    return bodies.PredictionAnswer.model_validate(
        writing.predicted(
            question.text,
            question.model,
            ablated,
            in_turn,
            question.mask,
            question.count,
            question.ablation,
            question.target,
        )
    )


@serve(hold_long_slot)
def generate(question: bodies.GenerationQuestion) -> bodies.GenerationAnswer:  # type: ignore[valid-type]
    """Return the text that a model writes."""
    return bodies.GenerationAnswer.model_validate(
        writing.generate_text(question.text, question.model, question.n_tokens, question.seed, question.temperature)
    )


@serve(hold_long_slot)
def ablate(question: bodies.AblationQuestion) -> bodies.AttentionAnswer:
    """Return the attention of every head for a text while some heads are ablated."""
    recordings.check_words(question.model, Request(question.text).text)
    heads = tuple(map(stack_head, question.heads))
    recording = experiments.ablated(question.text, heads, question.ablation, question.model)
    return _attention_answer(recording.maps, recording.notes)


@app.get("/models", tags=["service"], operation_id="models")
def models() -> dict[Literal["models"], list[bodies.ModelAnswer]]:  # type: ignore[valid-type]
    """Return the models on offer."""
    return {"models": [bodies.ModelAnswer.model_validate(row) for row in offered()]}


@app.get("/health", tags=["service"], operation_id="health")
async def health() -> dict[Literal["alive"], bool]:
    """Return at once, as long as the process runs."""
    return {"alive": True}


NOT_READY: dict[int | str, dict[str, Any]] = {503: {"description": "Not yet", "model": bodies.ReadyAnswer}}


@app.get("/ready", tags=["service"], operation_id="ready", responses=NOT_READY)
def ready(response: Response) -> bodies.ReadyAnswer:
    """Return whether a new text is answered at once; 503 if not."""
    state = recordings.health()
    is_ready = state.phase == "ready"
    response.status_code = 200 if is_ready else 503
    return bodies.ReadyAnswer(ready=is_ready, phase=state.phase, message=state.message)


def routes_below(folder: str) -> list[BaseRoute]:
    """Return the routes of the API below a folder such as "/lens", which Streamlit adds to its own routes only."""
    return [
        Route(f"{folder}/api", lambda _request: RedirectResponse("./api/openapi.json")),  # a mount needs its slash
        Mount(f"{folder}/api", app=app),
    ]


ROUTES = routes_below("")


@asynccontextmanager
async def _lifespan(_app: Starlette) -> AsyncIterator[None]:
    configure_allocator()
    prepare_environment()
    start()
    yield


alone = Starlette(routes=ROUTES, middleware=[Middleware(Guard)], lifespan=_lifespan)  # the API without pages
