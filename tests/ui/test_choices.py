"""Choices: each function writes the bound keys that the link is made of, and no others."""

from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from mha.app import visitors
from mha.engine.following import FOLLOWERS
from mha.examples import EXAMPLES
from mha.link.acts import Begin, Stop
from mha.maps import HeadId
from mha.screens.inputs import Press
from mha.ui import acting, bound, choosing, controls
from mha.ui.page_run import PageRun

FIVE = [HeadId(0, head) for head in range(5)]


@pytest.fixture
def state(monkeypatch):
    """The session's state and the toasts that were shown."""
    values: dict = {"pins": [], "layer": None, "lock": 3, "link_notes": ("an old note",)}
    toasts: list[str] = []
    for module in (controls, choosing, bound):
        monkeypatch.setattr(module, "st", SimpleNamespace(session_state=values, toast=toasts.append))
    values["toasts"] = toasts
    return values


OF_ANOTHER_TEXT = "chosen for you: telescope (7th)"


@pytest.mark.parametrize(
    ("options", "came"),
    [(["3", "4"], OF_ANOTHER_TEXT), (["3", "4"], [OF_ANOTHER_TEXT]), (["3", "4"], ["3", OF_ANOTHER_TEXT]), ([], "3")],
)
def test_a_mirror_drops_a_choice_of_options_that_are_gone(state, options, came):
    chosen = {}
    bound.mirror(lambda *_, on_change, **more: chosen.update(choose=on_change), "Layer", options,
                 "layer_shown", "3", bound.into("layer"))  # fmt: skip
    state["layer"] = "4"
    state["layer_shown"] = came
    chosen["choose"]()
    assert state["layer"] == "4"


@pytest.mark.parametrize(
    ("selection", "head"),
    [
        ({"rows": [0, 2]}, 2),  # ticked
        ({"rows": [0], "cells": [(1, "Head")]}, 1),  # a cell of its row
        ({"rows": [0], "cells": [(0, "Focus")]}, 0),  # pinned already: the same click again releases it
        ({"rows": []}, 0),  # the tick taken away
        ({"rows": [0, 99]}, None),  # a table that is out of date
        ({"rows": [0], "cells": [(99, "Head")]}, None),
        ({"rows": [0]}, None),
    ],
)
def test_a_row_of_the_table_pins_the_head_that_was_clicked(state, selection, head):
    choosing.mirror_pins(FIVE[:1], FIVE)
    assert state["statistics"]["selection"]["rows"] == [0]
    state["statistics"] = {"selection": selection}
    assert choosing.row_clicked(FIVE[:1], FIVE) == (None if head is None else FIVE[head])


def test_a_pinned_head_that_is_not_in_the_table_is_left_alone_by_its_ticks(state):
    choosing.mirror_pins(FIVE[:2], FIVE[1:])
    assert state["statistics"]["selection"]["rows"] == [0]
    assert choosing.row_clicked(FIVE[:2], FIVE[1:]) is None


def test_another_text_frees_the_lock_and_forgets_what_the_link_got_wrong(state):
    state["pins"] = ["L5H3"]
    controls.unlock()
    assert state["lock"] is None
    assert state["link_notes"] == ()
    assert state["pins"] == ["L5H3"]


def test_another_model_gives_every_choice_of_heads_back(state):
    state.update(pins=["L5H3"])
    controls.take_model("toy")
    assert (state["model"], state["pins"], state["lock"]) == ("toy", [], None)


def test_an_example_brings_its_text_and_nothing_chosen_changes_nothing(state):
    controls.take_example(EXAMPLES[1].label)
    assert state["text"] == EXAMPLES[1].text
    controls.take_example(None)
    assert state["text"] == EXAMPLES[1].text


def test_what_begins_and_what_stops_in_the_same_place_are_two_buttons(monkeypatch):
    """The second of two clicks on the one would be of the other, which has come meanwhile."""
    keys = []
    monkeypatch.setattr(choosing, "st", SimpleNamespace(button=lambda _text, key, **_more: keys.append(key)))
    for act in (Begin, Stop, Begin):
        drawing = PageRun(SimpleNamespace(page="atlas"), {})
        choosing.press(drawing, Press(act.__name__, (act(None),)), "measured")
    assert keys[0] == keys[2] != keys[1]


@pytest.mark.parametrize(("others", "stopped"), [((), 1), (("bert",), 0)])
def test_a_stop_ends_no_run_that_others_have_come_to_wait_for(monkeypatch, others, stopped):
    run = Mock(running=True, left=False, followers={})
    monkeypatch.setattr(acting, "RUNS", {"asked": run})
    for who in (visitors.name(), *others):
        FOLLOWERS.follow(who, run)
    acting.done("readings", (Stop("asked"),))
    assert run.stop.call_count == stopped
    for who in (visitors.name(), *others):
        FOLLOWERS.leave(who, run)
