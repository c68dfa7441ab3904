"""The hostile inputs of tests/data/hostile.json, and what each outcome looks like in sentences.

`text` items are typed or stand in a link's text; `url` items are whole queries, with {text} {layer} {head} in place of
our parameters. Long ones are written as Python expressions.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

FILE = Path(__file__).parent / "data" / "hostile.json"
PARAMETERS = {"{text}": "text", "{layer}": "layer", "{head}": "pins"}
NAMES = {"__builtins__": {}, "chr": chr, "str": str, "range": range}  # all that the expressions use

# What a notice says, by outcome; a notice that fits no outcome only informs.
SAYS = {
    "normalised": re.compile(r"cannot be shown were left out"),
    "truncated": re.compile(r"first 2,000\b.* are used|Shown instead: the first 2,000\."),
    "empty": re.compile(r"nothing to look at yet|only punctuation marks"),
    "fallback": re.compile(r"Shown instead:"),
}
INFORMS = re.compile(r"^The model does not know | fills no gaps: |^Only the first 512 tokens are used")


class Hostile(NamedTuple):
    """One input: ``text`` for the channel "text" (empty for "url"), the query of its link, outcomes that are right."""

    name: str
    channel: str
    kind: str
    text: str
    query: str
    expected: frozenset[str]


def hostile(channel: str) -> list[Hostile]:
    """Return the items of a channel, "text" or "url"."""
    items = json.loads(FILE.read_text(encoding="utf-8"))
    return [_item(item) for item in items if item["channel"] == channel]


def _item(item: dict) -> Hostile:
    text = eval(item["python"], NAMES) if "python" in item else item["input"]
    if item["channel"] == "text":
        query = "text=" + quote(text, safe="")
    else:
        query = eval(item["python_query"], NAMES) if "python_query" in item else item["raw_query"]
        for place, name in PARAMETERS.items():
            query = query.replace(place, name)
    return Hostile(item["id"], item["channel"], item["category"], text, query, frozenset(item["expected"]))


def outcomes(notices: list[str]) -> set[str]:
    """Return what the notices say happened: one or more outcomes, or "ok" where none needed a word."""
    found = {notice: {name for name, says in SAYS.items() if says.search(notice)} for notice in notices}
    strange = [notice for notice in notices if not found[notice] and not INFORMS.search(notice)]
    assert strange == [], "a notice with no known meaning"
    return set().union(*found.values()) or {"ok"}
