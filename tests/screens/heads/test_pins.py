"""What the pinned maps are drawn of: what looks bring, and of two texts who looks at whom."""

from __future__ import annotations

import numpy as np
import pytest

import mha
from mha.formats import percent
from mha.link.heads import BETWEEN
from mha.link.view import View
from mha.maps import HeadId
from mha.models.watch.output import brought
from mha.screens.heads.pinned import pinned_spec
from mha.screens.heads.side_by_side import NOT_THERE, pins_of
from mha.screens.shown import shown_for

DOG = "A dog ate the food because it was hungry."
SECOND = "It had not eaten for two days."
HEAD = HeadId(2, 8)


def shown_of(maps, **view):
    chosen = View(text=maps.text, pins=(HEAD,), **view)
    return chosen, shown_for(chosen, maps)


def header(found):
    return pinned_spec(found).header


def text(spans) -> str:
    return "".join(span[1] for span in spans)


def test_attention_of_one_text_is_drawn_as_ever() -> None:
    view, shown = shown_of(mha.attend(DOG))
    found = pins_of(shown, view)
    assert found.maps is shown.maps
    assert found.note == ""
    assert found.columns == tuple(range(shown.maps.n_keys))


def test_what_it_brings_is_a_share_of_a_rows_lengths() -> None:
    maps = mha.attend(DOG)
    view, shown = shown_of(maps, sinks=False, units="tokens")
    weighed = brought(DOG)
    found = pins_of(shown, view, weighed.as_maps())
    norms = weighed.norms[HEAD]
    np.testing.assert_allclose(found.maps[HEAD], norms / norms.sum(axis=-1, keepdims=True), atol=1e-6)
    assert found.maps[HEAD][7, 0] < maps[HEAD][7, 0] / 5, "[CLS] takes attention and brings next to nothing"
    said = header(found)
    assert "of what it receives" in text(said["say"]["cell"])
    caption = text(said["heads"][0]["caption"])
    assert caption.startswith("Largest contribution: ")
    assert "attention" not in caption
    aside_view, aside = shown_of(maps)
    both = header(pins_of(aside, aside_view, weighed.as_maps()))
    assert text(both["say"]["cell"]) == (
        "{key} supplies {share} of what {query} receives from words; that is {all} of all it receives. {aside} of the "
        "row is excluded."
    )
    assert text(both["say"]["itself"]).startswith("{query} itself supplies {share} of what it receives from words; ")
    assert "Kobayashi" in found.note


@pytest.mark.parametrize("between", list(BETWEEN)[1:])
@pytest.mark.parametrize("units", ["words", "tokens"])
def test_of_two_texts_only_the_chosen_looks_are_drawn(between: str, units: str) -> None:
    maps = mha.attend(DOG, pair=SECOND)
    view, shown = shown_of(maps, units=units)
    found = pins_of(shown, view, between=between)
    first, second = BETWEEN[between]
    assert {token.segment for token in found.maps.tokens} == {first}
    assert {token.segment for token in found.maps.key_tokens} == {second}
    part = shown.raw[HEAD][np.ix_(found.rows, found.columns)]
    np.testing.assert_array_equal(found.maps[HEAD], part)
    assert f"attention from the {('first', 'second')[first]} text to the {('first', 'second')[second]}" in found.note
    said = header(found)
    assert "adds up to 100" not in text(said["about"])
    assert "of its attention" in text(said["say"]["cell"])
    column = int(part.argmax()) % part.shape[1]
    if found.lock is None and percent(float(part.max())) in text(said["heads"][0]["caption"]):
        assert found.maps.key_tokens[column].text in text(said["heads"][0]["caption"])


def test_where_there_is_no_second_text_all_is_drawn() -> None:
    view, shown = shown_of(mha.attend(DOG))
    found = pins_of(shown, view, between="First at second")
    assert found.note == NOT_THERE
    assert found.maps is shown.maps
