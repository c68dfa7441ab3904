"""A popover that was opened and closed again changes nothing afterwards."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser


def test_one_step_back_from_a_typed_sentence_is_the_sentence_before_it(page, server):
    """Nothing that the page writes into the address is a step of its own."""
    page.goto(f"{server}/")
    page.locator(".overview[data-ready]").wait_for(timeout=60_000)
    settled(page)
    field = page.get_by_label("Your text")
    before = field.input_value()
    field.fill("The clerk thanked the guest because he waited")
    field.press("Control+Enter")
    page.wait_for_url("**The+clerk+thanked**")
    settled(page)
    page.go_back()
    expect(field).to_have_value(before)
    page.go_forward()
    expect(field).to_have_value("The clerk thanked the guest because he waited")


@pytest.mark.slow
@pytest.mark.parametrize(
    "link",
    [
        "?v=1&text=Dogs+bark+loudly&readings_by=not+ambiguous",
        "readings?v=1&text=Dogs+bark+loudly&readings_pivot=1+bark&readings_cue=2+loudly&tab=Where+they+look",
        "steps?v=1&text=Dogs+bark+loudly&head=5&query=1&key=2",
    ],
)
def test_one_step_back_has_what_was_chosen_of_the_sentence_before(page, server, link):
    """A page lets go of what was chosen of another sentence, but not of what comes with that sentence again."""
    page.goto(f"{server}/{link}")
    page.locator("[data-ready]").first.wait_for(timeout=60_000)
    settled(page)
    before = page.url
    field = page.get_by_label("Your text")
    field.fill("The clerk thanked the guest because he waited")
    field.press("Control+Enter")
    page.wait_for_url("**The+clerk**")
    settled(page)
    page.go_back()
    expect(field).to_have_value("Dogs bark loudly")
    settled(page)
    assert parse_qs(urlsplit(page.url).query) == parse_qs(urlsplit(before).query) == parse_qs(link.partition("?")[2])
