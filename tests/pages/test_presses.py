"""Every button and every switch that stands on a page can be pressed by a visitor who has just come: none kills it."""

import pytest

from mha.navigation import ROWS
from tests.pages.conftest import Page

PAGES = tuple(row.path or "heads" for row in ROWS)
LONG = ("Measure", "Compute", "Train", "Show test pairs")  # what starts work that others' tests begin and wait for


def opened(page, **link):
    return Page(bare=not link, at=f"{page}.py", **link)


def alive(page):
    return "Something went wrong" not in page.run().said()


CLERK = {"text": "The clerk thanked the guest because he waited"}


@pytest.mark.sampled(18)
@pytest.mark.parametrize(
    ("page", "link"), [*((page, {}) for page in PAGES), *((page, CLERK) for page in ("heads", "readings", "compare"))]
)
def test_every_button_can_be_pressed_and_every_switch_turned(page, link):
    first = opened(page, **link)
    for number, button in enumerate(first.test.button):
        if not button.disabled and not button.label.startswith(LONG):
            visit = opened(page, **link)
            visit.test.button[number].click()
            assert alive(visit), button.label
    for key in [one.key for one in first.test.toggle]:
        visit = opened(page, **link)
        switch = visit.test.toggle(key)
        switch.set_value(not switch.value)
        assert alive(visit), key
