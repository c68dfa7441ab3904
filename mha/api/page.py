"""The OpenAPI document as a page for reading, without scripts and without other hosts."""

import json
import re
from html import escape
from typing import Any

from mha.api.problems import KINDS
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
