"""Where the focus goes and what a step back brings, in a real browser."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled
from tests.browser.test_heads import open_page, ready
from tests.browser.test_readings import PICTURE, drawn
from tests.browser.test_readings import open_page as open_readings

pytestmark = pytest.mark.browser
POPOVER = "[data-testid=stPopoverBody]"
FOCUSED = """() => {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node.getAttribute("aria-label") || node.innerText.trim() || node.tagName;
}"""


def words_of(link):
    """Return the words of a link, in whatever order they stand."""
    return parse_qs(urlsplit(link).query)


def focused(page):
    """Return the name of what has the focus, in whatever component it is."""
    return page.evaluate(FOCUSED)


@pytest.mark.slow
def test_a_step_back_brings_the_page_with_its_state(new_tab, server):
    page = new_tab  # a browser counts fifty steps of a tab
    open_page(page, server, "?text=They+are+hunting+dogs&pins=L2H3&lock=3")
    before = page.evaluate("history.length")
    link = page.url
    page.get_by_role("link", name="Two readings", exact=True).first.click()
    page.locator(PICTURE).first.wait_for(timeout=60_000)
    drawn(page)
    assert page.title() == "Two readings · Parallax"
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    ready(page)
    assert words_of(page.url) == words_of(link)
    expect(page.locator(".overview .piece.locked").first).to_have_text("hunting")
    expect(page.get_by_role("gridcell", name=re.compile("^layer 2 head 3,.*pinned"))).to_be_visible()


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


CHOSEN = """() => {
  const names = ["color", "background-color", "border-bottom-color"];
  const inks = (node) => names.map((name) => getComputedStyle(node)[name]);
  const differs = (one, other) => Boolean(one && other) && inks(one).join() !== inks(other).join();
  const all = [...document.querySelectorAll("[data-testid=stButtonGroup] button")];
  const tabs = [...document.querySelectorAll("[data-testid=stTab]")];
  const on = (node) => node.matches("[data-selected], [aria-selected=true], [aria-checked=true], [aria-pressed=true]");
  return [all, tabs].map((group) => differs(group.find(on), group.find((node) => !on(node))));
}"""


@pytest.mark.slow
def test_what_is_chosen_is_seen_in_the_colours_of_the_readers_system(page, server):
    page.emulate_media(forced_colors="active")
    open_readings(page, server)
    assert page.evaluate(CHOSEN) == [True, True]


@pytest.mark.slow
def test_two_sentences_of_a_finding_are_heard_apart(page, server):
    open_page(page, server, "?text=I+saw+the+man+with+the+telescope")
    expect(page.locator(".overview .unseen[aria-live]")).to_contain_text("to telescope. In head")


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
