"""Every word of the legends is drawn, and every one that is drawn is there."""

import re

import pytest

from mha.analysis.floor import POINT
from mha.assets import ASSETS
from mha.screens.legends import LEGENDS

USED = re.compile(r"\blegend\.(\w+)")
BY_NAME = {"marks_key": {"back", "ahead", "itself"}}  # of its roles, one after the other
DRAWN_IN = {
    "bars": {"carried_bars"},
    "carried": {"carried_map", "carried_legend"},
    "look": {"mini_heatmap", "marks_key", "lean_legend"},
    "matter": {"scatter", "steer"},
    "maxima": {"maxima"},
    "pairs": {"calibration_strip", "forest", "pair_dots"},
    "score_line": {"score_line"},
    "second_words": {"second_words"},
}
FILES = {**{f"blocks/{name}.js": kinds for name, kinds in DRAWN_IN.items()}, "heads/roles.js": {"roles"}}


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


def test_the_band_says_what_the_floor_is():
    assert f"{POINT:.0%}".removesuffix("%") + " of 100" in LEGENDS["carried_bars"]["band"]
