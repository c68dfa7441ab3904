"""Contributions drawn as maps: no sentence calls them attention."""

import json

import numpy as np
import pytest

from mha.link.view import View
from mha.maps import BROUGHT, Recording
from mha.models.watch.output import brought
from mha.screens.blocks import as_data
from mha.screens.heads import all_heads
from mha.screens.heads.findings import look_template, nothing_template, overview_note
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import measured, missing_usual, picture_of
from mha.screens.heads.pinned import pinned_spec
from mha.screens.heads.side_by_side import pins_of

DOG = "A dog ate the food because it was hungry"
VIEWS = [
    View(text=DOG),
    *(View(text=DOG, lock=3, look=look) for look in ("at", "from", "ask")),
    View(text=DOG, sinks=False, lock=-1),
    View(text=DOG, units="tokens", pins=()),
]
ABOUT_LOOKS = ("attention", "habit", "which heads look")


def drawn_of(view, text=DOG, model="minilm"):
    return picture_of(view, Recording(brought(text, model).as_maps()), text)


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_on_the_page_calls_what_is_brought_attention(view):
    picture = drawn_of(view)
    shown = picture.shown
    assert shown.full.measure == shown.maps.measure == BROUGHT
    drawn = overview_of(shown, picture.scale).header
    said = [drawn["finding"], drawn["note"], [text for name, text in drawn["say"].items() if name != "asked"]]
    said += [
        all_heads.table_caption(shown, (True,)),
        missing_usual(picture),
    ]
    if shown.pins:
        header = pinned_spec(pins_of(shown, picture.view)).header
        said += [header["about"], header["say"], header["heads"]]
    told = json.dumps(as_data(said), ensure_ascii=False)
    assert not [told[max(0, told.index(word) - 60) :][:90] for word in ABOUT_LOOKS if word in told]
    assert drawn["brought"]
    assert drawn["asked"] is None
    assert "Kobayashi" in json.dumps(as_data(measured(picture)), ensure_ascii=False)


def test_toys_are_weighed_too():
    maps = drawn_of(View(text="All is well", model="toy"), "All is well", "toy").shown.full
    assert maps.measure == BROUGHT
    np.testing.assert_allclose(maps.weights.sum(axis=-1), 1, atol=1e-6)


@pytest.mark.parametrize("look", ["at", "from"])
def test_each_template_has_its_other_side(look):
    def text(spans):
        return "".join(span[1] for span in spans)

    assert "receives" in text(look_template(look, BROUGHT))
    assert "receives" in text(nothing_template("words", look, "dog", BROUGHT))
    assert text(overview_note([], 2, True, BROUGHT)) == "{Click} a word to see what it receives."


def test_maps_of_what_is_brought_say_so_in_their_file_and_in_their_provenance(tmp_path):
    from mha.export.provenance import provenance_of
    from mha.saved import load_maps

    maps = brought("All is well", "toy").as_maps()
    maps.save(tmp_path / "maps.npz")
    assert load_maps(tmp_path / "maps.npz").measure == BROUGHT
    assert "W_O" in provenance_of(maps).scale
    assert provenance_of(brought("All is well", "toy").maps).scale == "weights as they are, nothing rescaled"
