"""While another text is on its way: what is of the one before is marked at once, and the bar has room for what runs."""

import re
from itertools import combinations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled
from tests.browser.held import Held
from tests.browser.test_heads import thumbnail

pytestmark = pytest.mark.browser
OTHER = "The old man fed the birds"
MARKED = ".stElementContainer[data-before]"
PAGES = {  # path: what on it is of the sentence
    "": ".st-key-overview",
    "readings": "[class*='st-key-page_'] .stElementContainer",
    "compare": "[class*='st-key-page_'] .stElementContainer",
    "steps": "[class*='st-key-page_'] .stElementContainer",
}
OTHERS = ("readings", "compare", "steps", "training", "questions")
END = ".st-key-take_away, [data-testid=stLinkButton]"  # what stands last on a page
LOOKS = """([marked, page]) => ({
  dimmed: [...document.querySelectorAll(marked)].map((part) => Number(getComputedStyle(part).opacity)),
  busy: [...document.querySelectorAll(marked)].every((part) => part.ariaBusy === "true"),
  elsewhere: [...document.querySelectorAll(marked)].filter((part) => !part.closest(page)).length,
})"""
BOXES = """() =>
  [...document.querySelectorAll("[class*='st-key-page_'] .stElementContainer, .st-key-text, .st-key-examples")]
  .map((part) => { const { x, y, width, height } = part.getBoundingClientRect(); return [x, y, width, height]; })"""


@pytest.fixture
def held(new_tab):
    """Return the messages of a page's server, which can be held back."""
    return Held(new_tab)


def stands(page, address):
    """Open a page and wait until it stands."""
    page.goto(address)
    page.locator(END).last.wait_for(timeout=60_000)
    settled(page, 400)
    expect(page.locator(MARKED)).to_have_count(0)


def take(page, text):
    """Take a text without waiting for what comes of it."""
    box = page.locator(".st-key-text textarea")
    box.fill(text)
    box.press("Enter")


def begun(page, held, to="running"):
    """Let through what says that a run has begun, and no more."""
    app = page.get_by_test_id("stApp")
    for _ in range(50):
        if app.get_attribute("data-test-script-state") == to:
            return
        page.wait_for_timeout(50)
        held.let(1)
    raise AssertionError(f"no run is {to}")


def let_go(page, held):
    """Let everything through, and check that nothing stays marked."""
    held.go()
    settled(page)
    expect(page.locator(MARKED)).to_have_count(0)


def shown(page):
    """Return the sentence that the overview shows, and whether it is marked."""
    return page.locator(".st-key-overview").evaluate(
        """(part) => [part.hasAttribute("data-before"),
          part.querySelector("[data-testid=stBidiComponentIsolated]").shadowRoot.querySelector(".overview").innerText]"""
    )


@pytest.mark.parametrize("path", [pytest.param(path, marks=[] if path == "" else pytest.mark.slow) for path in PAGES])
def test_what_is_of_the_text_before_is_marked_before_the_server_speaks(new_tab, held, server, path):
    stands(new_tab, f"{server}/{path}")
    boxes = new_tab.evaluate(BOXES)
    held.hold()
    take(new_tab, OTHER)
    expect(new_tab.locator(f"{PAGES[path]}[data-before]")).not_to_have_count(0)
    looks = new_tab.evaluate(LOOKS, [MARKED, "[class*='st-key-page_']"])
    assert set(looks["dimmed"]) == {0.4}
    assert looks["busy"]
    assert looks["elsewhere"] == 0
    assert new_tab.evaluate(BOXES) == boxes
    controls = new_tab.locator(".st-key-text, .st-key-model, :is(.st-key-examples, .st-key-toy), .stAppHeader")
    assert controls.evaluate_all("(all) => all.map((one) => getComputedStyle(one).opacity)") == ["1"] * 4
    let_go(new_tab, held)
    expect(new_tab.locator("[aria-busy]")).to_have_count(0)


@pytest.mark.slow
def test_a_part_is_unmarked_when_it_is_of_the_new_text_and_not_before(new_tab, held, server):
    stands(new_tab, server)
    held.hold()
    take(new_tab, OTHER)
    begun(new_tab, held)
    seen = set()
    for _ in range(400):
        marked, text = shown(new_tab)
        new = "birds" in text
        assert marked or new, "an old finding stands unmarked"
        seen.add((marked, new))
        if not len(held) and not marked:
            break
        held.let(1)
        new_tab.wait_for_timeout(30)
    assert (True, False) in seen
    assert (False, True) in seen
    let_go(new_tab, held)


@pytest.mark.slow
def test_what_is_marked_answers_neither_click_nor_key_and_then_does(new_tab, held, server):
    stands(new_tab, server)
    pins = new_tab.locator(".pinned-heads .head-name, .pinned-heads h3").all_inner_texts()
    head = thumbnail(new_tab, "L2H2")
    head.focus()
    held.hold()
    take(new_tab, OTHER)
    expect(new_tab.locator(".st-key-overview[data-before]")).to_be_visible()
    sent = new_tab.evaluate("told.sent")
    box = head.bounding_box()
    new_tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    head.focus()
    for key in ("Enter", " "):
        new_tab.keyboard.press(key)
    new_tab.wait_for_timeout(200)
    assert new_tab.evaluate("told.sent") == sent
    assert new_tab.locator(".pinned-heads .head-name, .pinned-heads h3").all_inner_texts() == pins
    held.go()
    settled(new_tab)
    thumbnail(new_tab, "L2H2").click()
    settled(new_tab)
    assert "pins=L2H2" in new_tab.url


@pytest.mark.slow
def test_who_goes_to_another_page_meanwhile_finds_nothing_marked_there(new_tab, held, server):
    stands(new_tab, server)
    held.hold()
    take(new_tab, OTHER)
    expect(new_tab.locator(".st-key-overview[data-before]")).to_be_visible()
    new_tab.get_by_test_id("stTopNavSection").click()
    new_tab.get_by_text("Change a word", exact=True).click()
    held.go()
    expect(new_tab).to_have_title(re.compile("Change a word"))
    settled(new_tab)
    expect(new_tab.locator(MARKED)).to_have_count(0)
    assert new_tab.get_by_label("Your text").input_value() == OTHER


@pytest.mark.slow
def test_what_is_of_no_sentence_is_left_as_it_is(new_tab, held, server):
    new_tab.goto(f"{server}/questions")
    new_tab.get_by_role("button", name="Show answer").last.click()
    settled(new_tab)
    held.hold()
    take(new_tab, "They are hunting dogs")
    expect(new_tab.locator(".st-key-of_the_sentence [data-before]")).not_to_have_count(0)
    assert new_tab.locator(MARKED).count() == new_tab.locator(f".st-key-of_the_sentence {MARKED}").count()
    let_go(new_tab, held)


# ---- the bar

IN_THE_BAR = [
    ("Share", lambda page: page.locator(".st-key-bar_buttons").get_by_role("button", name="Share", exact=True)),
    ("Download", lambda page: page.locator(".st-key-bar_buttons").get_by_role("button", name="Download", exact=True)),
    ("Stop", lambda page: page.get_by_role("button", name="Stop", exact=True)),
    ("the running man", lambda page: page.get_by_test_id("stStatusWidgetRunningIcon")),
    ("the menu", lambda page: page.get_by_test_id("stMainMenu")),
    ("the name of the page", lambda page: page.locator(".parallax-brand .here")),
    ("the mark", lambda page: page.locator(".parallax-brand svg")),
    ("the way to the pages", lambda page: page.get_by_test_id("stExpandSidebarButton")),
]


def apart(a, b):
    """Return whether two boxes share nothing."""
    return (
        a["x"] + a["width"] <= b["x"]
        or b["x"] + b["width"] <= a["x"]
        or a["y"] + a["height"] <= b["y"]
        or b["y"] + b["height"] <= a["y"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("path", ["", *OTHERS])
def test_nothing_in_the_bar_lies_over_another_thing_while_a_run_is_under_way(new_tab, held, server, path, width):
    new_tab.set_viewport_size({"width": width, "height": 800})
    stands(new_tab, f"{server}/{path}")
    held.hold()
    new_tab.keyboard.press("r")  # Streamlit's own key: run again
    expect(new_tab.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    new_tab.wait_for_timeout(600)  # on a phone what runs takes the place of Share and Download, a little later
    found = {name: places(new_tab).bounding_box() for name, places in IN_THE_BAR if places(new_tab).is_visible()}
    links = new_tab.get_by_test_id("stTopNavLink").all()
    found |= {link.inner_text(): link.bounding_box() for link in links if link.is_visible()}
    assert {"Stop", "the running man", "the mark"} <= set(found)
    assert ("Share" in found) == (width > 640)
    over = [pair for pair in combinations(found, 2) if not apart(found[pair[0]], found[pair[1]])]
    assert over == []
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in found.values())
    held.go()
    settled(new_tab)
