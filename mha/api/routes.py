"""The addresses: each with its methods, its question and its answer; the document is written from the same table."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from anyio import to_thread
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.routing import Route as Address
from starlette.types import Receive, Scope, Send

from mha.api import answers, bodies, document, experiments, questions
from mha.api.entry import JSON, NPZ, answered, body, form, understood
from mha.api.problems import RefusedQuestion, problem
from mha.api.questions import Strict
from mha.archive import packed
from mha.engine import recordings

Answer = Callable[[Request], Awaitable[Response]]
FILES = {"image/svg+xml": "svg", "application/pdf": "pdf", "image/png": "png"}  # a figure's, by what Accept says


def attend(asked: questions.Attend, chosen: str) -> Response:
    """Where every head looks in a text: JSON, or NPZ as `mha.load_maps` reads it."""
    maps, notes = answers.attended(asked)
    return (
        Response(answers.as_npz(maps), media_type=NPZ) if chosen == NPZ else json_answer(answers.as_json(maps, notes))
    )


def readings(asked: questions.Readings, _chosen: str) -> Response:
    """Two readings of a text: each head's lean with its controls, what it carries of a difference, the sweep."""
    return json_answer(answers.read(asked))


def figure(asked: questions.WantedPrint, chosen: str) -> Response:
    """A figure for print of a text: JSON with its SVG, caption and citation, or SVG, PDF or PNG as a file."""
    drawn, notes = answers.figure(asked)
    if chosen != JSON:
        return Response(drawn.file(FILES[chosen], asked.dpi), media_type=chosen)
    wide, high = drawn.size_mm
    return json_answer(
        bodies.PrintedFigure(
            svg=drawn.svg(),
            caption=drawn.caption,
            bibtex=drawn.bibtex,
            width_mm=wide,
            height_mm=high,
            notes=list(notes),
        )
    )


def json_answer(answer: BaseModel) -> Response:
    """Return an answer as JSON."""
    return Response(answer.model_dump_json(), media_type=JSON)


async def models(_request: Request) -> Response:
    """The models on offer."""
    return json_answer(answers.models())


async def health(_request: Request) -> Response:
    """Whether the process runs: 200 as long as it does."""
    return JSONResponse({"alive": True})


async def ready(_request: Request) -> Response:
    """Whether a new text would be answered at once, and the opening one drawn: 200, else 503 with the reason."""
    now = recordings.health()
    undrawn = await to_thread.run_sync(answers.undrawn) if now.ready else ""
    ready = now.ready and not undrawn
    return JSONResponse({"ready": ready, "phase": now.phase, "message": undrawn or now.message}, 200 if ready else 503)


@dataclass(frozen=True)
class Route:
    """One address: its method, what answers it, its question (None for none), its answer, and other forms of that.

    ``tag`` is what it is about.
    """

    path: str
    method: str
    answer: Answer
    asked: type[BaseModel] | None
    given: type[BaseModel]
    forms: tuple[str, ...] = (JSON,)
    otherwise: tuple[int, ...] = ()
    tag: str = "texts"


def posted(
    make: Callable[[Any, str], Response],
    asked: type[Strict],
    given: type[BaseModel],
    forms: tuple[str, ...] = (JSON,),
    experiment: bool = False,
) -> Route:
    """Return the address of what ``make`` answers, by its name, given a question and the form that is wanted."""

    @functools.wraps(make)
    async def answer(request: Request) -> Response:
        chosen, content = form(request, forms), await body(request)
        return await answered(request, lambda: make(understood(asked, content), chosen), experiment=experiment)

    return Route(f"/{make.__name__}", "POST", answer, asked, given, forms, (400, 406, 413, 415, 422, 429, 500, 503))


def found(experiment: Callable[[Any], Any], asked: type[Strict], given: type[BaseModel]) -> Route:
    """Return the address of an experiment: its result as JSON or as NPZ."""

    @functools.wraps(experiment)
    def make(question: Any, chosen: str) -> Response:
        value = experiment(question)
        return Response(packed(value), media_type=NPZ) if chosen == NPZ else json_answer(answers.as_body(value, given))

    return posted(make, asked, given, (JSON,) if given is bodies.Preference else (JSON, NPZ), experiment=True)


TABLE = (
    posted(attend, questions.Attend, bodies.Attended, (JSON, NPZ)),
    posted(readings, questions.Readings, bodies.Read, experiment=True),
    posted(figure, questions.WantedPrint, bodies.PrintedFigure, (JSON, *FILES)),
    found(experiments.sweep, questions.WantedSweep, bodies.SweepBody),
    found(experiments.preference, questions.WantedPreference, bodies.Preference),
    found(experiments.patch, questions.WantedPatch, bodies.PatchBody),
    found(experiments.follow, questions.WantedPath, bodies.PathBody),
    found(experiments.ablate, questions.WantedAblation, bodies.Attended),
    found(experiments.predict, questions.WantedWords, bodies.PredictionBody),
    found(experiments.generate, questions.WantedWriting, bodies.GenerationBody),
    found(experiments.direct, questions.WantedDirect, bodies.DirectBody),
    found(experiments.cell, questions.WantedCell, bodies.CellBody),
    found(experiments.brought, questions.WantedBrought, bodies.BroughtBody),
    Route("/models", "GET", models, None, bodies.Models, tag="service"),
    Route("/health", "GET", health, None, bodies.Alive, tag="service"),
    Route("/ready", "GET", ready, None, bodies.Ready, tag="service"),
)


@functools.cache
def written() -> dict:
    """Return the OpenAPI document of the table."""
    return document.written(TABLE)


async def openapi(request: Request) -> Response:
    """Return the OpenAPI document; its server is the folder that the app is served below."""
    (server,) = written()["servers"]
    return JSONResponse(written() | {"servers": [server | {"url": _folder(request) or server["url"]}]})


async def to_read(request: Request) -> Response:
    """Return the document as a page to read."""
    return HTMLResponse(document.page(written(), _folder(request)))


def _folder(request: Request) -> str:
    """Return the path before ``/api``: "" or that of `server.baseUrlPath`."""
    return request.scope["path"].rpartition("/api")[0]


_ANSWERS = {row.path: (row.method, row.answer) for row in TABLE} | {
    "/openapi.json": ("GET", openapi),
    "/docs": ("GET", to_read),
    "": ("GET", to_read),
}


async def _closed(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer, and say no to other methods and other addresses, where Streamlit would answer with its page."""
    method, answers_it = _ANSWERS.get(scope["path"][len(scope.get("root_path", "")) :].rstrip("/"), ("", None))
    if answers_it is None:
        answer = problem(404, "The addresses are in /api/openapi.json, and to read in /api/docs.")
    elif scope["method"] not in (method, "HEAD" if method == "GET" else method):
        answer = problem(405, f"Ask with {method}.", {"Allow": method})
    else:
        try:
            answer = await answers_it(Request(scope, receive))
        except RefusedQuestion as refused:
            answer = problem(refused.status, refused.detail, refused.headers)
    await answer(scope, receive, send)


def routes_below(folder: str) -> list[BaseRoute]:
    """Return the routes of the API below a folder such as "/lens", which Streamlit adds to its own routes only."""
    return [Address(f"{folder}/api", to_read), Mount(f"{folder}/api", app=_closed)]  # a mount has only what is below it


ROUTES = routes_below("")
