"""Heads drawn of what looks bring: the same heads and word, other shares, and no sentence that calls them attention."""

import json

import numpy as np
import pytest

from mha.engine.experiments import weighed
from mha.formats import percent
from mha.link.view import View
from mha.maps import BROUGHT
from mha.models.watch.attending import record_text
from mha.models.watch.output import brought
from mha.screens.blocks import as_data
from mha.screens.heads import all_heads
from mha.screens.heads.findings import STRIP, later, look_template, nothing_template, overview_note, strip_nothing
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import measured, missing_usual, picture_of, weighed_picture
from mha.screens.heads.pinned import pinned_spec
from mha.screens.heads.side_by_side import pins_of

DOG = "A dog ate the food because it was hungry"
CLOCK = "The old man walks to the house"
VIEWS = [
    View(text=DOG),
    *(View(text=DOG, lock=3, look=look) for look in ("at", "from", "ask")),
    View(text=DOG, sinks=False, lock=-1),
    View(text=DOG, units="tokens", pins=()),
]
ABOUT_LOOKS = ("attention", "habit", "which heads look")


def both(view, text=DOG, model="minilm"):
    recording = record_text(text, model)
    picture = picture_of(view, recording, text)
    return picture, weighed_picture(picture, brought(text, model).as_maps())


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_on_the_page_calls_what_is_brought_attention(view):
    _, picture = both(view)
    shown = picture.shown
    assert shown.full.measure == shown.maps.measure == BROUGHT
    drawn = overview_of(shown, picture.scale).header
    said = [drawn["finding"], drawn["note"], [text for name, text in drawn["say"].items() if name != "asked"]]
    said += [
        all_heads.layer_caption(picture),
        all_heads.table_caption(shown, shown.full.heads, (True,)),
        missing_usual(picture),
    ]
    maps = all_heads.layer_drawing(picture).header
    said += [maps["say"], maps["label"], maps["caption"]]
    if shown.pins:
        header = pinned_spec(pins_of(shown, picture.view)).header
        said += [header["about"], header["of"], header["say"], header["heads"]]
    told = json.dumps(as_data(said), ensure_ascii=False)
    assert not [told[max(0, told.index(word) - 60) :][:90] for word in ABOUT_LOOKS if word in told]
    assert drawn["brought"]
    assert drawn["roles"] is None
    assert drawn["asked"] is None
    assert "Kobayashi" in json.dumps(as_data(measured(picture)), ensure_ascii=False)


def test_heads_and_word_stay_and_the_shares_are_those_of_the_norms():
    looks, picture = both(View(text=CLOCK), CLOCK)
    assert picture.shown.pins == looks.shown.pins
    assert (picture.shown.lock, picture.shown.look) == (looks.shown.lock, looks.shown.look)
    assert picture.shown.chosen_pins
    assert picture.shown.chosen_lock
    (finding,) = overview_of(picture.shown, "all").header["finding"]
    text = "".join(span[1] for span in finding)
    found, norms = picture.shown, brought(CLOCK).norms
    assert text.startswith(f"In {found.pins[0]}, ")
    assert f" of what {found.maps.tokens[found.lock].text} receives comes from " in text
    full = norms[found.pins[0]] / norms[found.pins[0]].sum(axis=-1, keepdims=True)  # one token a word here
    row = full[found.position(found.lock)][list(found.kept)]
    row[found.lock] = 0
    assert percent(row.max()) in text


def test_recordings_are_weighed_and_toys_too():
    recording = record_text("All is well", "toy")
    maps = weighed(recording, "toy").maps
    assert maps.measure == BROUGHT
    np.testing.assert_allclose(maps.weights.sum(axis=-1), 1, atol=1e-6)
    assert both(View(text="All is well", model="toy"), "All is well", "toy")[1].shown.full.measure == BROUGHT


@pytest.mark.parametrize("look", ["at", "from"])
def test_each_template_has_its_other_side(look):
    def text(spans):
        return "".join(span[1] for span in spans)

    assert "receives" in text(look_template(look, BROUGHT))
    assert "receives" in text(nothing_template("words", look, "dog", BROUGHT))
    assert text(later(STRIP[BROUGHT])) == "{key} supplies {query}: {percent}"
    assert text(strip_nothing("dog")) == "dog: no connection of 6\u00a0% or more"
    assert text(overview_note([], 2, True, BROUGHT)) == "{Click} a word to see what it receives."


def test_maps_of_what_is_brought_say_so_in_their_file_and_in_their_provenance(tmp_path):
    from mha.export.provenance import provenance_of
    from mha.saved import load_maps

    maps = brought("All is well", "toy").as_maps()
    maps.save(tmp_path / "maps.npz")
    assert load_maps(tmp_path / "maps.npz").measure == BROUGHT
    assert "W_O" in provenance_of(maps).scale
    assert provenance_of(brought("All is well", "toy").maps).scale == "weights as they are, nothing rescaled"
