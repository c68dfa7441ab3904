"""The OpenAPI document of the addresses, and the same as a page without scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import escape
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import CoreModeRef, CoreRef, DefsRef, GenerateJsonSchema, JsonSchemaMode, models_json_schema

from mha.api import bodies
from mha.api.entry import BODY_BYTES, JSON, TURNS
from mha.api.problems import MEDIA, TITLES
from mha.errors import AttentionUnavailable, Busy, InputError, ModelUnavailable, UnknownModel
from mha.theme import THEMES, colours

ABOUT = (
    "Where every attention head of a transformer looks, over HTTP. A question is JSON of at most "
    f"{BODY_BYTES // 1024} KiB; an answer JSON, or a file by Accept; a refusal application/problem+json. A client "
    f"may ask {TURNS.limits.api_per_minute} times a minute. Arrays are [layer][head] or "
    "[layer][head][query][key], counted from 0."
)


class _Schemas(GenerateJsonSchema):
    """Names schemas as their classes, without the "Body" that tells some from a class of ours with that name."""

    def get_defs_ref(self, core_mode_ref: CoreModeRef) -> DefsRef:
        ref, mode = core_mode_ref
        return super().get_defs_ref((CoreRef(ref.replace("Body:", ":")), mode))


def written(table: Sequence[Any]) -> dict[str, Any]:
    """Return the document of a table of rows (`mha.api.routes.Route`)."""
    every: list[tuple[type[BaseModel], JsonSchemaMode]] = [(bodies.Problem, "serialization")]
    every += [(row.asked, "validation") for row in table if row.asked]
    every += [(row.given, "serialization") for row in table]
    names, schemas = models_json_schema(every, ref_template="#/components/schemas/{model}", schema_generator=_Schemas)
    paths = {f"/api{row.path}": {row.method.lower(): _operation(row, names)} for row in table}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Parallax", "version": "1", "description": ABOUT},
        "servers": [{"url": "/", "description": "Where this document is from"}],
        "tags": [{"name": name, "description": about} for name, about in TAGS.items()],
        "paths": paths,
        "components": {"schemas": schemas["$defs"]},
    }


def _operation(row: Any, names: Any) -> dict[str, Any]:
    schema = names[row.given, "serialization"]
    content: dict[str, Any] = {JSON: {"schema": schema}}
    content |= {other: {"schema": {"type": "string", "format": "binary"}} for other in row.forms if other != JSON}
    refused = {MEDIA: {"schema": names[bodies.Problem, "serialization"]}}
    responses: dict[str, Any] = {"200": {"description": "The answer", "content": content}}
    for status in row.otherwise:
        responses[str(status)] = {"description": TITLES[status], "content": refused}
        if status in (429, 503):
            responses[str(status)]["headers"] = {"Retry-After": {"schema": {"type": "string"}}}
    if row.path == "/ready":
        responses["503"] = {"description": "Not yet", "content": content}
    said: dict[str, Any] = {
        "operationId": row.path.strip("/"),
        "tags": [row.tag],
        "summary": (row.answer.__doc__ or "").strip(),
        "responses": responses,
    }
    if row.asked:
        said["requestBody"] = {"required": True, "content": {JSON: {"schema": names[row.asked, "validation"]}}}
    return said


TAGS = {
    "texts": "Questions about a text",
    "service": "What is on offer here, and whether it answers",
}
TELESCOPE = {"text": "I saw the man with the telescope"}
DOG = {
    "text": "Tom fed the dog because it was hungry",
    "a": {"name": "dog", "pivot": "it", "partners": ["dog"]},
    "b": {"name": "Tom", "pivot": "it", "partners": ["Tom"]},
}
COPIED = {"text": "moon fish table star moon fish", "model": "copier"}
TOLD = (InputError, UnknownModel, AttentionUnavailable, ModelUnavailable, Busy)  # what the type of a refusal names
EXAMPLES: dict[str, dict[str, Any]] = {
    "/api/attend": TELESCOPE,
    "/api/figure": TELESCOPE | {"kind": "map", "heads": ["L3H1"]},
    "/api/readings": DOG | {"want": ["leans"]},
    "/api/sweep": DOG,
    "/api/preference": DOG | {"silenced": ["L2H8"]},
    "/api/patch": DOG | {"contrast": "Tom fed the dog because it was kind"},
    "/api/follow": DOG | {"contrast": "Tom fed the dog because it was kind", "senders": ["L1H0"], "receiver": "L3H1"},
    "/api/ablate": TELESCOPE | {"heads": ["L2H8"]},
    "/api/predict": COPIED,
    "/api/generate": COPIED,
    "/api/cell": TELESCOPE | {"head": "L3H1", "query": 5, "key": 4},
    "/api/brought": TELESCOPE,
}
PAGE = (
    "body{{font:17px/1.55 system-ui,sans-serif;max-width:46em;margin:2em auto;padding:0 1em}}"
    "pre{{padding:.8em;overflow-x:auto}}h2{{margin-top:2em}}{light}@media(prefers-color-scheme:dark){{{dark}}}"
)


def style() -> str:
    """Return the CSS of the page, in the product's colours."""
    return PAGE.format(**{name: _coloured(colours(name)) for name in THEMES})


def _coloured(theme: dict[str, Any]) -> str:
    return (
        f"body{{background:{theme['background']};color:{theme['text']}}}pre{{background:{theme['surface']}}}"
        f"a{{color:{theme['text']}}}"
    )


def _told(text: str) -> str:
    """Return a line with what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def page(document: dict[str, Any], folder: str = "") -> str:
    """Return the document as a page; `folder` is the path before ``/api``."""
    parts = [f"<h1>Parallax over HTTP</h1><p>{escape(document['info']['description'])}</p>"]
    below = escape(folder)
    parts.append(f'<p><a href="{below}/api/openapi.json">The same as OpenAPI</a> · <a href="{below}/">The app</a></p>')
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            parts.append(f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{_told(said['summary'])}</p>")
            if path in EXAMPLES:
                example = json.dumps(EXAMPLES[path])
                asking = (
                    f"curl -s -H 'Content-Type: application/json' -d '{example}' http://localhost:8501{folder}{path}"
                )
                parts.append(f"<pre>{escape(asking)}</pre>")
            answers = ", ".join(f"{status} {escape(one['description'])}" for status, one in said["responses"].items())
            parts.append(f"<p>Answers: {answers}.</p>")
    names = "".join(f'<dt id="{one.__name__}"><code>{one.__name__}</code></dt><dd>{one.__doc__}</dd>' for one in TOLD)
    parts.append(f"<h2>What a refusal says</h2><p>Its <code>type</code> ends in one of these.</p><dl>{names}</dl>")
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
    return (
        f'<!doctype html><html lang="en"><head>{head}<title>Parallax over HTTP</title><style>{style()}</style></head>'
        f"<body>{''.join(parts)}</body></html>"
    )
