"""Every kind of block has a drawer."""

import importlib
import json
import pkgutil
import shutil
import subprocess

import pytest

import mha.screens
from mha.assets import ASSETS
from mha.screens.blocks import Block
from mha.ui.reader import DRAWN

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
