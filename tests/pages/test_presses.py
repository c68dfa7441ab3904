"""Every button and every switch that stands on a page can be pressed by a visitor who has just come: none kills it."""

import pytest

from mha.link.pages import ROWS
from tests.pages.conftest import FRAME, AppTest, Page

PAGES = tuple(row.path or "heads" for row in ROWS)
LONG = ("Measure", "Compute", "Train", "Show test pairs")  # what starts work that others' tests begin and wait for


class Visit(Page):
    """One visitor who comes to a page by its name."""

    def __init__(self, page, **link):
        self.test = AppTest.from_file(FRAME, default_timeout=60)
        for name, value in link.items():
            self.test.query_params[name] = value
        self.test.switch_page(f"{page}.py")
        self.run()

    def alive(self):
        return "Something went wrong" not in self.said()


CLERK = {"text": "The clerk thanked the guest because he waited"}


@pytest.mark.sampled(18)
@pytest.mark.parametrize(
    ("page", "link"),
    [
        *((page, {}) for page in PAGES),
        *((page, CLERK) for page in ("heads", "readings", "compare")),
    ],
)
def test_every_button_can_be_pressed_and_every_switch_turned(page, link):
    first = Visit(page, **link)
    for number, button in enumerate(first.test.button):
        if not button.disabled and not button.label.startswith(LONG):
            visit = Visit(page, **link)
            visit.test.button[number].click()
            assert visit.run().alive(), button.label
    for key in [one.key for one in first.test.toggle]:
        visit = Visit(page, **link)
        switch = visit.test.toggle(key)
        switch.set_value(not switch.value)
        assert visit.run().alive(), key
