"""No button, no switch, no choice of another text and no link kills a page."""

import pytest

from mha.app.params import PAGES as PARAMS
from mha.app.params import URL_NAMES
from mha.navigation import ROWS
from tests.hostile_values import HOSTILE
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


@pytest.mark.sampled(5)
@pytest.mark.parametrize("page", PAGES)
def test_a_choice_of_another_text_ends_no_page(page):
    """A browser sends a choice by its label, beside a text that may be another by then."""
    visit = opened(page)
    boxes = {box.id for box in (*visit.test.selectbox, *visit.test.multiselect)}
    fields = {area.id for area in visit.test.text_area}
    states = visit.test._tree.get_widget_states()
    for state in states.widgets:
        if state.id in boxes:
            state.string_value = "99 zebra"
        elif state.id in fields:
            state.string_value = CLERK["text"]
    visit.test._run(states)
    assert not visit.test.exception
    assert alive(visit)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("page", PAGES)
def test_a_link_that_is_wrong_in_every_word_still_opens_the_page(page):
    path = "" if page == "heads" else page
    fields = [name for name in PARAMS[path].model_fields if name not in ("text", "second")]
    wrong = {
        URL_NAMES.get(name, name): [HOSTILE[-1 - number % 12], "", HOSTILE[number % 14]]
        for number, name in enumerate(fields)
    }
    visit = opened(page, **wrong)
    assert any(warning.value.startswith("Problem in this link: ") for warning in visit.test.warning)
    assert alive(visit)
    assert visit.test.title or visit.test.get("html") or len(visit.test.get("bidi_component")) > 1, "the page stands"
