"""A popover that was opened and closed again changes nothing afterwards."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled
from tests.browser.held import Held
from tests.browser.test_heads import open_page, thumbnail

pytestmark = pytest.mark.browser


def opened(page, name):
    page.get_by_role("button", name=name).first.click()
    entered(page)


def entered(page):
    """Wait until the focus is in what opens: before that it hears no Escape."""
    page.locator("[data-testid=stPopoverBody] :focus").wait_for(state="attached")


def closed(page):
    page.keyboard.press("Escape")
    page.locator("[data-testid=stPopoverBody]").wait_for(state="hidden")
    settled(page)


@pytest.mark.slow
@pytest.mark.parametrize("link", ["/", "/?large=true"])
def test_examples_may_follow_the_view_menu(page, server, link):
    open_page(page, server, link)
    opened(page, "Options")
    closed(page)
    for example in ("the hungry dog", "the telescope", "the hungry dog"):
        page.locator(".st-key-examples").get_by_text(example, exact=True).click()
        settled(page)
        assert page.get_by_test_id("stException").count() == 0
        page.locator(".overview[data-ready]").wait_for()


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


@pytest.mark.slow
def test_a_step_back_that_a_click_before_it_answers_late_leaves_the_address_of_what_is_shown(new_tab, server):
    """What the server says of the click comes when the browser has gone back, and is written over that address."""
    page, held = new_tab, Held(new_tab)
    page.goto(f"{server}/?v=1&pins=L1H8")
    page.locator(".overview[data-ready]").wait_for(timeout=60_000)
    settled(page)
    thumbnail(page, "L2H3").click()
    page.wait_for_url("**pins=L2H3")
    settled(page)
    held.hold()
    thumbnail(page, "L3H5").click()
    page.wait_for_timeout(1_000)  # the server has answered the click
    page.go_back(wait_until="commit")
    held.go()
    settled(page, 400)
    assert parse_qs(urlsplit(page.url).query)["pins"] == ["L1H8"]
    expect(page.locator(".overview [data-head][aria-selected=true]")).to_have_count(1)


@pytest.mark.slow
def test_the_view_menu_shows_what_the_words_say_and_a_choice_in_it_changes_nothing_else(page, server):
    page.goto(f"{server}/")
    page.locator(".overview[data-ready]").wait_for(timeout=60_000)
    settled(page)
    opened(page, "Options")
    body = page.locator("[data-testid=stPopoverBody]")
    assert body.get_by_role("switch").first.is_checked()  # special tokens are excluded
    body.get_by_text("tokens", exact=True).first.click()
    page.wait_for_url("**units=tokens**")
    settled(page)
    assert "sinks" not in page.url
