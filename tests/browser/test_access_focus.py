"""Where the focus goes and what a step back brings, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled
from tests.browser.test_heads import open_page
from tests.browser.test_readings import drawn
from tests.browser.test_readings import open_page as open_readings

pytestmark = pytest.mark.browser
POPOVER = "[data-testid=stPopoverBody]"
FOCUSED = """() => {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node.getAttribute("aria-label") || node.innerText.trim() || node.tagName;
}"""


def focused(page):
    """Return the name of what has the focus, in whatever component it is."""
    return page.evaluate(FOCUSED)


@pytest.mark.slow
def test_the_focus_goes_into_what_opens_and_back_to_what_opened_it(page, server):
    open_readings(page, server, "/readings?tab=What+carries+it")
    view = page.get_by_role("button", name="Change words")
    view.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => document.activeElement.closest('{POPOVER}')")
    page.keyboard.press("Shift+Tab")
    expect(view).to_be_focused()
    page.locator(f"{POPOVER} button").first.focus()
    page.keyboard.press("Escape")
    expect(view).to_be_focused()
    expect(page.locator(POPOVER)).to_have_count(0)


@pytest.mark.slow
def test_a_closed_answer_gives_the_focus_to_its_own_word(page, server):
    open_page(page, server, "?text=A+dog+ate+the+food+because+it+was+hungry&lock=3&look=ask")
    page.locator(".overview").get_by_role("button", name=re.compile("^ate")).first.focus()
    page.keyboard.press("Escape")
    settled(page)
    expect(page.locator(".overview .ask")).to_be_hidden()
    assert focused(page).startswith("ate, ")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Two readings", "Step by step"])
def test_a_link_that_has_the_focus_by_keyboard_has_a_ring(page, server, name):
    open_page(page, server)
    link = page.get_by_role("link", name=name, exact=True).first
    for _ in range(30):
        page.keyboard.press("Tab")
        if link.evaluate("node => node === document.activeElement"):
            break
    expect(link).to_be_focused()
    expect(link).to_have_css("outline-style", "solid")
    expect(link).to_have_css("outline-width", "2px")


@pytest.mark.slow
def test_showing_the_findings_passes_the_focus_on(page, server):
    page.goto(server + "/readings?reveal=0")
    show = page.get_by_role("button", name="Show results")
    show.focus()
    page.keyboard.press("Enter")
    show.wait_for(state="detached")
    drawn(page)
    assert focused(page) != "BODY"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top < 400")


@pytest.mark.slow
def test_what_a_key_opens_from_a_picture_is_read_from_its_heading(page, server):
    sentence, after = "?text=I+saw+the+man+with+the+telescope&pins=L2H3", ".matrices[data-ready]"
    open_page(page, server, sentence)
    picture = page.locator(".pinned-heads canvas").first
    picture.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator(after).first.wait_for(timeout=60_000)
    settled(page)
    heading = page.locator("h1:visible")
    assert focused(page) == heading.inner_text()
    page.keyboard.press("Tab")
    expect(heading).not_to_have_attribute("tabindex", re.compile(""))
    open_page(page, server, sentence)
    picture.click(position={"x": 20, "y": 20})
    page.locator(after).first.wait_for(timeout=60_000)
    settled(page)
    assert focused(page) != heading.inner_text(), "a mouse needs no focus, and gets no ring"
