"""The FastAPI app below ``/api``: each question asks the engine for the result of the function of `mha` by its name."""

import functools
import json
import logging
import re
from collections.abc import Callable
from html import escape
from typing import Any, Literal

import numpy as np
from fastapi import Depends, FastAPI
from fastapi import Request as HTTPRequest
from pydantic import BaseModel
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

from mha.analysis.opening import opening
from mha.api import bodies
from mha.api.limits import BODY_BYTES, RATES, bound_body, hold_long_slot, hold_slot
from mha.api.problems import HANDLERS, KINDS, MEDIA, TITLES
from mha.engine import Request, experiments, record, recordings, writing
from mha.errors import InputError, MHAError
from mha.maps import AttentionMaps, Reading, stack_head
from mha.models.files.catalog import DEFAULT, offered
from mha.theme import THEMES, colours

COLOURS = "body{{background:{background};color:{text}}}pre{{background:{surface}}}a{{color:{text}}}"
STYLE = (
    "body{{font:17px/1.55 system-ui,sans-serif;max-width:46em;margin:2em auto;padding:0 1em}}"
    "pre{{padding:.8em;overflow-x:auto}}h2{{margin-top:2em}}{light}@media(prefers-color-scheme:dark){{{dark}}}"
).format(**{name: COLOURS.format(**colours(name)) for name in THEMES})
CURL = "<pre>curl -s -H 'Content-Type: application/json' -d '{body}' http://localhost:8501{path}</pre>"
PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width,initial-scale=1"><title>Parallax over HTTP</title>'
    "<style>{style}</style></head><body><h1>Parallax over HTTP</h1><p>{about}</p>"
    '<p><a href="{api}/openapi.json">The same as OpenAPI</a> · <a href="{folder}/">The app</a></p>{addresses}'
    "<h2>Problems</h2><p>The <code>type</code> of a problem ends in one of these names.</p><dl>{kinds}</dl>"
    "</body></html>"
)


def page(document: dict[str, Any], api: str) -> str:
    """Return the document as a page; ``api`` is the path of the API, with the folder of the app."""
    schemas = document["components"]["schemas"]
    addresses = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            summary = operation["description"].partition("\n")[0]
            addresses.append(f"<h2><code>{method.upper()} {escape(api + path)}</code></h2><p>{summary}</p>")
            if method == "post":
                (content,) = operation["requestBody"]["content"].values()
                schema = schemas[content["schema"]["$ref"].rpartition("/")[2]]
                addresses.append(f"<p>{_code(schema['description'])}</p>")
                addresses.append(CURL.format(body=escape(json.dumps(schema["examples"][0])), path=escape(api + path)))
            answers = (f"{status} {escape(answer['description'])}" for status, answer in operation["responses"].items())
            addresses.append(f"<p>Answers: {', '.join(answers)}.</p>")
    kinds = (f'<dt id="{kind.__name__}"><code>{kind.__name__}</code></dt><dd>{kind.__doc__}</dd>' for kind in KINDS)
    return PAGE.format(
        style=STYLE,
        about=escape(document["info"]["description"]),
        api=escape(api),
        folder=escape(api.removesuffix("/api")),
        addresses="".join(addresses),
        kinds="".join(kinds),
    )


def _code(text: str) -> str:
    return re.sub(r"(`+)([^`]+)\1", r"<code>\2</code>", escape(text))


log = logging.getLogger(__name__)
MOST_TOKENS = 64  # of the maps in an answer: 300,000 numbers of MiniLM
WEIGHT_DECIMALS = 6
NO_OPENING = "The opening sentence has no heads to show; the log has the reason."

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
        raise InputError(f"An answer holds {MOST_TOKENS} {maps.units}; this text has {longest}. Try mha.attend(text).")
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
    answer = {"lean": leaning.here.lean, "towards_a": leaning.here.a, "towards_b": leaning.here.b}
    answer |= {"no_opinion": leaning.here.no_opinion, "mean_of_shuffles": leaning.summary.mean}
    return bodies.LeanAnswer.model_validate(
        answer | {"n_shuffles": len(leaning.shuffles), "n_reaching": leaning.summary.reach}
    )


def _patch(question: bodies.ReadingsQuestion, text: str, both: tuple[Reading, Reading]) -> BaseModel:
    if question.changed_version is None:
        raise InputError("“patch” needs a changed_version: the same sentence with another deciding word.")
    changed_version = Request(question.changed_version).text
    recordings.check_words(question.model, changed_version)
    return bodies.PatchAnswer.model_validate(
        experiments.patched(text, changed_version, both, question.model, kind="", score_layer=question.score_layer)
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
    """Return whether a new text is answered at once; 503 if not, or if the heads of the opening sentence fail."""
    state = recordings.health()
    error = opening_error() if state.ready else ""
    is_ready = state.ready and not error
    response.status_code = 200 if is_ready else 503
    return bodies.ReadyAnswer(ready=is_ready, phase=state.phase, message=error or state.message)


@functools.cache
def _choose_opening() -> None:
    opening(record(Request(bodies.TELESCOPE["text"], DEFAULT)))


def opening_error() -> str:
    """Return the reason why no heads open the first sentence, or "" if some do; then they are not chosen again."""
    try:
        _choose_opening()
    except MHAError as error:
        return str(error)
    except Exception:
        log.exception("the opening sentence has no heads to show")
        return NO_OPENING
    return ""


@app.get("/", include_in_schema=False)
@app.get("/docs", include_in_schema=False)
async def docs(request: HTTPRequest) -> Response:
    """Return the document as a page."""
    return HTMLResponse(page(app.openapi(), request.scope.get("root_path", "")))


def routes_below(folder: str) -> list[BaseRoute]:
    """Return the routes of the API below a folder such as "/lens", which Streamlit adds to its own routes only."""
    return [
        Route(f"{folder}/api", lambda _request: RedirectResponse("./api/docs")),  # a mount needs its slash
        Mount(f"{folder}/api", app=app),
    ]


ROUTES = routes_below("")
