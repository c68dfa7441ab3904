"""The hostile inputs of tests/data/hostile.json, and what each outcome looks like in sentences.

`text` items are typed or stand in a link's text; `url` items are whole queries, with {text} {layer} {head} in place of
our parameters. Long ones are written as Python expressions.
"""

import json
import os
import pickle
import re
import shutil
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

FILE = Path(__file__).parent / "data" / "hostile.json"
PARAMETERS = {"{text}": "text", "{stop}": "stop", "{head}": "pins"}
NAMES = {"__builtins__": {}, "chr": chr, "str": str, "range": range}  # all that the expressions use

# What a notice says, by outcome; a notice that fits no outcome only informs.
SAYS = {
    "normalised": re.compile(r"Unreadable characters were removed"),
    "truncated": re.compile(r"first 2,000\b"),
    "empty": re.compile(r"Type a sentence or choose|has no words"),
    "fallback": re.compile(r"^Problem in this link: .*( Showing | has no )"),
}
INFORMS = re.compile(
    r"^The model does not know | was trained on English|^Only the first 512 tokens are used"
    r"|^Suggestions work for English| as typed letters, never as special tokens\.$"
    r"|^Heads reads “\[MASK\]” as ordinary text|^The model reads this word as \d+ tokens"
)


class Hostile(NamedTuple):
    """One input: ``text`` for the channel "text" (empty for "url"), the query of its link, outcomes that are right."""

    name: str
    channel: str
    kind: str
    text: str
    query: str
    expected: frozenset[str]


def raw(channel: str) -> list[dict]:
    """Return the items of a channel as the list has them."""
    items = json.loads(FILE.read_text(encoding="utf-8"))
    return [item for item in items if item["channel"] == channel]


def hostile(channel: str) -> list[Hostile]:
    """Return the items of a channel, "text" or "url"."""
    return [_item(item) for item in raw(channel)]


def asked_model(item: dict, folder: Path) -> str:
    """Return the name that an item of the channel "model" asks for; what it needs on the disk is put into a folder.

    Its folders are whole models but for one thing each: weights that run code when they are read, a config that names
    code beside it. Either would leave a file behind, as `PWNED` begins.
    """
    name = item.get("fixture") or item.get("fixture_cwd")
    if name is None:
        return eval(item["python"], NAMES) if "python" in item else item["input"]
    from mha.models.files.loading import minilm_folder

    model = shutil.copytree(minilm_folder(), folder / name, copy_function=os.symlink)
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    if name == "picklebin":
        (model / "model.safetensors").unlink()
        (model / "pytorch_model.bin").write_bytes(pickle.dumps(_Opens(str(folder / "PWNED_pickle"))))
    if name == "automap":
        (model / "evil.py").write_text(f"open({str(folder / 'PWNED_automap')!r}, 'w')\nclass Model: ...\n")
        (model / "config.json").unlink()
        (model / "config.json").write_text(json.dumps(config | {"auto_map": {"AutoModel": "evil.Model"}}))
    return item["input"] if "input" in item else str(model)


class _Opens:
    """What makes a file when it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


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
