"""Choices: each function writes the bound keys that the link is made of, and no others."""

from types import SimpleNamespace

import pytest

from mha.examples import EXAMPLES
from mha.link.acts import Pin
from mha.link.kinds import NONE, Shape
from mha.link.link import Link
from mha.link.view import MAX_PINS, View
from mha.maps import HeadId
from mha.ui import bound, choices

FIVE = [HeadId(0, head) for head in range(5)]


@pytest.fixture
def state(monkeypatch):
    """The session's state and the toasts that were shown."""
    values: dict = {"pins": [], "off": [], "on": [], "layer": None, "lock": 3, "link_notes": ("an old note",)}
    toasts: list[str] = []
    for module in (choices, bound):
        monkeypatch.setattr(module, "st", SimpleNamespace(session_state=values, toast=toasts.append))
    values["toasts"] = toasts
    return values


def toggled(pins, head):
    """Return the pins, as the link has them, once a head is pinned or released."""
    return [str(pin) for pin in Pin(head, tuple(pins)).after(Link()).view.pins] or [NONE]


def test_a_click_pins_a_second_one_releases_and_the_last_leaves_none():
    assert toggled([], FIVE[3]) == ["L0H3"]
    assert toggled(FIVE[:2], FIVE[3]) == ["L0H0", "L0H1", "L0H3"]
    assert toggled(FIVE[:2], FIVE[0]) == ["L0H1"]
    assert toggled(FIVE[:1], FIVE[0]) == [NONE]


def test_the_oldest_pin_makes_room_for_a_fifth():
    assert toggled(FIVE[:MAX_PINS], FIVE[4]) == ["L0H1", "L0H2", "L0H3", "L0H4"]


def test_picking_starts_from_the_pins_on_the_screen(state):
    choices.pick((HeadId(0, 1), HeadId(0, 9)), HeadId(5, 3))  # the first two were the app's choice
    assert state["pins"] == ["L0H1", "L0H9", "L5H3"]
    assert state["toasts"] == []
    choices.pick(FIVE[:MAX_PINS], FIVE[4])
    assert state["toasts"] == ["4 heads can be pinned; L0H0 was released."]


def test_pins_of_attention_that_is_not_drawn_stay(state):
    state["pins"] = ["L0H1", "L9H9", "L8H8"]  # the last two are heads of a deeper stack
    choices.pick((HeadId(0, 1),), HeadId(1, 2))
    assert state["pins"] == ["L0H1", "L1H2", "L9H9", "L8H8"]
    choices.pick((HeadId(0, 1), HeadId(1, 2)), HeadId(1, 3))
    assert state["pins"] == ["L0H1", "L1H2", "L1H3", "L9H9"], "a link has four at most"
    for head in (HeadId(0, 1), HeadId(1, 2), HeadId(1, 3)):
        choices.pick([HeadId.parse(name) for name in state["pins"] if name != "L9H9"], head)
    assert state["pins"] == ["L9H9"]
    choices.pick((HeadId(9, 9),), HeadId(9, 9))
    assert state["pins"] == [NONE]


def test_only_one_head_is_shown_and_pinned_alone_and_all_back_brings_the_pins_back(state):
    state["pins"] = ["L0H0", "L0H1"]
    choices.only(FIVE, FIVE[2])
    assert (state["on"], state["off"], state["pins"]) == (["L0H2"], [], ["L0H2"])
    choices.all_back()
    assert (state["on"], state["off"], state["pins"]) == ([], [], ["L0H0", "L0H1"])


def test_pins_that_were_changed_since_stay_as_they_are(state):
    choices.only(FIVE, FIVE[2])
    state["pins"] = ["L0H2", "L0H4"]
    choices.all_back()
    assert state["pins"] == ["L0H2", "L0H4"]
    choices.all_back()
    assert state["pins"] == ["L0H2", "L0H4"]


@pytest.mark.parametrize(
    ("off", "stored"),
    [
        ([], ([], [])),
        (["L0H4"], (["L0H4"], [])),
        (["L0H1", "L0H2"], (["L0H1", "L0H2"], [])),
        (["L0H0", "L0H1", "L0H3"], ([], ["L0H2", "L0H4"])),
        (["L0H0", "L0H1", "L0H2", "L0H3", "L0H4"], ([], ["none"])),
    ],
)
def test_the_link_stores_the_fewer_of_those_off_and_those_on(state, off, stored):
    choices.switch_off(FIVE, off)
    assert (state["off"], state["on"]) == stored
    view, complaints = View.read({"off": stored[0], "on": stored[1]}, Shape("Five", 1, 5))
    assert {str(head) for head in view.switched_off(FIVE)} == set(off)
    assert complaints == ()


def test_a_lock_is_written_as_the_place_on_the_full_axis(state):
    shown = SimpleNamespace(position=(1, 2, 5).__getitem__)
    choices.lock(shown, "from", 2)
    assert (state["lock"], state["look"]) == (5, "from")
    choices.lock(shown, "from", None)
    assert (state["lock"], state["look"]) == (-1, "at")


def test_asking_a_word_locks_it_and_the_same_word_again_closes_the_answers(state):
    shown = SimpleNamespace(position=(1, 2, 5).__getitem__, lock=None, look="at")
    choices.ask(shown, 2)
    assert (state["lock"], state["look"]) == (5, "ask")
    for again in (2, None):
        choices.ask(SimpleNamespace(position=(1, 2, 5).__getitem__, lock=2, look="ask"), again)
        assert (state["lock"], state["look"]) == (5, "from")
    choices.ask(SimpleNamespace(position=(1, 2, 5).__getitem__, lock=2, look="ask"), 0)
    assert (state["lock"], state["look"]) == (1, "ask")
    choices.unlock()
    assert (state["lock"], state["look"]) == (None, "at")


def layers(layer, n_layers, n_heads, *off):
    """What is shown of a model of some size, one of its layers drawn."""
    heads = [HeadId(at, head) for at in range(n_layers) for head in range(n_heads)]
    full = SimpleNamespace(heads=heads, n_heads=n_heads)
    return SimpleNamespace(full=full, layer=layer, off=frozenset(map(HeadId.parse, off)))


def test_the_pills_of_a_layer_leave_other_layers_alone(state):
    shown = layers(0, 3, 3, "L1H0", "L0H2")
    choices.keep_on(shown, ["H0", "H2"])
    assert state["off"] == ["L0H1", "L1H0"]
    choices.switch_layer(shown, on=False)
    assert state["off"] == ["L0H0", "L0H1", "L0H2", "L1H0"]
    choices.switch_layer(shown, on=True)
    assert state["off"] == ["L1H0"]


def test_switching_layer_1_does_not_touch_layer_11(state):
    choices.switch_layer(layers(1, 12, 2, "L11H0", "L1H0"), on=True)
    assert state["off"] == ["L11H0"]


def test_the_layer_button_is_only_a_mirror(state):
    chosen = {}
    bound.mirror(lambda *_, on_change, **more: chosen.update(more, choose=on_change), "Layer", ["3", "4"],
                 "layer_shown", "3", bound.into("layer"))  # fmt: skip
    assert (chosen["key"], state["layer_shown"]) == ("layer_shown", "3")
    for value in ("4", None):  # None: a second click gives the choice back
        state["layer_shown"] = value
        chosen["choose"]()
        assert state["layer"] == value


@pytest.mark.parametrize(
    ("selection", "pins"),
    [
        ({"rows": [0, 2]}, ["L0H0", "L0H2"]),  # ticked
        ({"rows": [0], "cells": [(1, "Head")]}, ["L0H0", "L0H1"]),  # a cell of its row
        ({"rows": [0], "cells": [(0, "Focus")]}, ["none"]),  # pinned already: the same click again releases it
        ({"rows": []}, ["none"]),  # the tick taken away
        ({"rows": [0, 99]}, []),  # a table that is out of date
        ({"rows": [0], "cells": [(99, "Head")]}, []),
        ({"rows": [0]}, []),
    ],
)
def test_a_row_of_the_table_pins_the_head_that_was_clicked(state, selection, pins):
    choices.mirror_pins(FIVE[:1], FIVE)
    assert state["statistics"]["selection"]["rows"] == [0]
    state["statistics"] = {"selection": selection}
    choices.pin_rows(FIVE[:1], FIVE)
    assert state["pins"] == pins


def test_a_pinned_head_that_is_not_in_the_table_is_left_alone_by_its_ticks(state):
    choices.mirror_pins(FIVE[:2], FIVE[1:])
    assert state["statistics"]["selection"]["rows"] == [0]
    choices.pin_rows(FIVE[:2], FIVE[1:])
    assert state["pins"] == []


def test_another_text_frees_the_lock_and_forgets_what_the_link_got_wrong(state):
    state["pins"] = ["L5H3"]
    choices.unlock()
    assert state["lock"] is None
    assert state["link_notes"] == ()
    assert state["pins"] == ["L5H3"]


def test_another_model_gives_every_choice_of_heads_back(state):
    state.update(pins=["L5H3"], off=["L0H0"], layer="5")
    choices.take_model("toy")
    assert (state["model"], state["pins"], state["off"], state["layer"], state["lock"]) == ("toy", [], [], None, None)


def test_an_example_brings_its_text_and_nothing_chosen_changes_nothing(state):
    choices.take_example(EXAMPLES[1].label)
    assert state["text"] == EXAMPLES[1].text
    choices.take_example(None)
    assert state["text"] == EXAMPLES[1].text


def test_how_the_pinned_heads_are_drawn_is_kept(state):
    choices.pinned_view("lines")
    assert state["heads_pinned"] == "lines"
