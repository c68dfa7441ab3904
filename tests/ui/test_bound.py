"""What the frame's words are when the reader goes on to another page."""

import pytest

from mha.ui.bound import left_behind

HELD = {"text": ["They are hunting dogs"], "pins": ["L2H3", "L0H1"], "lock": ["3"]}


@pytest.mark.parametrize(
    ("here", "back"),
    [
        ({"text": HELD["text"], "v": ["1"]}, {"pins": HELD["pins"], "lock": HELD["lock"]}),
        ({}, HELD),
        (HELD, {}),
        ({"text": ["Old men left"]}, {}),  # a link to the page with a sentence of its own: its heads are not ours
        ({"text": HELD["text"], "pins": ["none"]}, {}),
        ({"toy_step": ["7"]}, HELD),  # a word of the page is nothing of the frame
    ],
)
def test_words_whose_widgets_stand_in_a_closed_popover_come_along(here, back):
    assert left_behind(HELD, here) == back


def test_a_first_page_gets_nothing():
    assert left_behind({}, {"text": ["Old men left"]}) == {}
