"""Every kind of block has a drawer; every word of the legends is drawn, and every one that is drawn is there."""

import importlib
import json
import pkgutil
import re
import shutil
import subprocess

import pytest

import mha.screens
from mha.analysis.floor import POINT
from mha.assets import ASSETS
from mha.screens.blocks import Block
from mha.screens.legends import LEGENDS
from mha.ui.reader import DRAWN

USED = re.compile(r"\blegend\.(\w+)")
BY_NAME = {  # one after the other, or by a state
    "marks_key": {"back", "ahead", "itself"},
}
DRAWN_IN = {
    "carried": {"carried_map", "carried_legend", "carried_bars"},
    "look": {"marks_key", "lean_legend"},
    "matter": {"effect_map"},
    "maxima": {"maxima"},
    "second_words": {"second_words"},
}
FILES = {f"blocks/{name}.js": kinds for name, kinds in DRAWN_IN.items()}


WITHOUT_DRAWER = """
import { roomsOf } from "./assets/js/blocks/blocks.js";
import { PICTURES as pictures } from "./assets/js/blocks/pictures.js";
const rooms = { pictures };
const lacks = (kind) => roomsOf([{ kind, columns: [] }]).some((room) => !(kind in rooms[room]));
console.log(JSON.stringify(JSON.parse(process.argv[1]).filter(lacks)));
"""


def kinds_below(of: type[Block]) -> set[str]:
    """Return the kinds of our blocks that a browser draws; other tests have some of their own."""
    ours = [below for below in of.__subclasses__() if below.__module__.startswith("mha.") and below not in DRAWN]
    return {below.kind for below in ours if hasattr(below, "kind")}.union(*map(kinds_below, of.__subclasses__()))


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_every_kind_that_python_does_not_draw_has_a_drawer():
    for module in pkgutil.walk_packages(mha.screens.__path__, "mha.screens."):
        importlib.import_module(module.name)
    command = ["node", "--input-type=module", "--eval", WITHOUT_DRAWER, json.dumps([*kinds_below(Block), "nobody_s"])]
    said = subprocess.run(command, cwd=ASSETS.parent, capture_output=True, text=True, timeout=60, check=True).stdout
    assert set(json.loads(said)) == {"nobody_s"}


@pytest.mark.parametrize("file", FILES)
def test_what_a_module_draws_is_in_its_legends_and_the_other_way_round(file):
    drawn = set(USED.findall((ASSETS / "js" / file).read_text(encoding="utf-8")))
    assert drawn == {word for kind in FILES[file] for word in LEGENDS[kind]} - {
        word for kind in FILES[file] for word in BY_NAME.get(kind, ())
    }


def test_every_legend_is_drawn_somewhere():
    assert {kind for kinds in FILES.values() for kind in kinds} == set(LEGENDS)
    others = [path for path in (ASSETS / "js").rglob("*.js") if path.relative_to(ASSETS / "js").as_posix() not in FILES]
    assert not [path for path in others if USED.search(path.read_text(encoding="utf-8"))]


def test_bands_and_marks_say_what_the_floors_are():
    assert f"{POINT:.0%}".removesuffix("%") + " of 100" in LEGENDS["carried_bars"]["band"]
