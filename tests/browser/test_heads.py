"""Heads in a browser: type a sentence, see every head; pin, select, ablate; the link restores it."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import mha
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser
SENTENCE = "The cat sat on the mat"
TROPHY = "?text=The+trophy+would+not+fit+in+the+suitcase+because+it+was+too+big"
PHONE = {"width": 390, "height": 844}
FINDING = ".overview .finding"


def open_page(page, url, path="?v=1"):
    page.goto(f"{url}/{path}")
    ready(page)


def ready(page):
    page.locator(".pinned-heads[data-ready]").wait_for(timeout=60_000)
    settled(page)


def type_text(page, text):
    box = page.get_by_label("Your text")
    box.fill(text)
    box.press("Control+Enter")
    settled(page)


def thumbnail(page, name):
    layer, head = name.removeprefix("L").split("H")
    return page.get_by_role("gridcell", name=re.compile(f"^layer {layer} head {head},"))


def read_by_keys(page, n):
    """Return the shares of the first row of the first pinned map, read cell by cell with arrow keys, per cent."""
    page.locator(".pinned-heads canvas").first.focus()
    shares = []
    for _ in range(n):
        page.keyboard.press("ArrowRight")
        shares.append(int(re.search(r"(\d+)\u00a0%", page.locator(".pinned-heads .read.told").inner_text())[1]))
    return shares


def test_a_typed_sentence_shows_its_words_and_the_weights_that_the_package_gives(page, server):
    open_page(page, server, "?text=Dogs+bark&pins=L5H3&sinks=false")
    type_text(page, SENTENCE)
    expected = mha.attend(SENTENCE).merged()
    words = page.locator(".pinned-heads .axis-word.query").all_inner_texts()
    assert words == ["[CLS]", "The", "cat", "sat", "on", "the", "mat", "[SEP]"]
    shares = read_by_keys(page, expected.n_keys)
    assert np.allclose(shares, 100 * expected[5, 3][0], atol=0.51)
    assert np.std(shares) > 5


@pytest.mark.slow
def test_pins_by_click_and_keyboard_open_in_a_second_browser(page, server, elsewhere):
    open_page(page, server)
    type_text(page, SENTENCE)
    thumbnail(page, "L4H2").click()
    settled(page)
    expect(thumbnail(page, "L4H2")).to_have_attribute("aria-label", re.compile("pinned"))
    thumbnail(page, "L4H2").press("ArrowRight")
    page.keyboard.press("Enter")
    settled(page)
    expect(page).to_have_url(re.compile("pins=L4H2&pins=L4H3"))
    pinned = page.locator(".pinned-heads").inner_text()
    elsewhere.goto(page.url)
    ready(elsewhere)
    assert elsewhere.locator(".pinned-heads").inner_text() == pinned


def test_pointing_previews_without_the_server_and_a_click_runs_once(page, server):
    frames = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda data: frames.append(data)))
    open_page(page, server)
    before, finding = len(frames), page.locator(FINDING).text_content()
    thumbnail(page, "L3H1").hover()
    expect(page.locator(FINDING)).to_contain_text("L3H1")
    assert len(frames) == before
    page.mouse.move(5, 5)
    expect(page.locator(FINDING)).not_to_contain_text("L3H1")
    assert page.locator(FINDING).text_content() == finding
    thumbnail(page, "L3H1").click()
    settled(page)
    assert len(frames) == before + 1


def test_a_selected_word_leads_with_its_list_and_closes(page, server):
    open_page(page, server, f"{TROPHY}&pins=L1H1")
    page.locator(".overview").get_by_role("button", name=re.compile("^it")).first.click()
    settled(page)
    expect(page).to_have_url(re.compile("lock=10&look=ask|look=ask.*lock=10"))
    name = page.locator(".ask-row .say-head").first.inner_text()
    expect(page.locator(FINDING)).to_contain_text(f"In head {name}")
    expect(page.locator(".overview .ask")).to_contain_text("Which heads look at it")
    row = page.locator("[data-ask]").nth(1)
    row.hover()
    expect(page.locator(FINDING)).to_contain_text(row.locator(".say-head").inner_text())
    page.mouse.move(5, 5)
    page.locator(".overview").get_by_role("button", name=re.compile("^it")).first.focus()
    page.keyboard.press("Escape")
    settled(page)
    expect(page.locator(".overview .ask")).to_be_hidden()


def test_a_head_is_ablated_by_one_switch_and_restored(page, server):
    open_page(page, server, f"{TROPHY}&pins=L0H6")
    page.get_by_role("button", name="Ablate: L0H6").click()
    settled(page)
    expect(page).to_have_url(re.compile("ablate=L0H6"))
    expect(thumbnail(page, "L0H6")).to_have_class(re.compile("ablated"))
    expect(page.locator(".hero .chip").first).to_contain_text("ablated")
    expect(page.locator(".overview .note")).to_contain_text("Without L0H6")
    page.get_by_role("button", name="Restore: L0H6").click()
    settled(page)
    expect(page.locator(".overview .note")).not_to_contain_text("Without")


def test_thirty_layers_fit_one_screen(page, server):
    page.set_viewport_size({"width": 1280, "height": 900})
    open_page(page, server, "?text=The+capital+of+France+is&model=smollm2")
    heads = page.locator("[data-head]")
    expect(heads).to_have_count(270)
    first, last = heads.first.bounding_box(), heads.last.bounding_box()
    assert last["y"] + last["height"] - first["y"] < 420
    assert last["x"] + last["width"] <= 1280


@pytest.mark.parametrize("path", [pytest.param("", marks=pytest.mark.slow), TROPHY])
def test_the_finding_is_high_on_the_screen(page, server, path):
    page.set_viewport_size({"width": 1280, "height": 900})
    open_page(page, server, path)
    assert page.locator(FINDING).bounding_box()["y"] <= 420


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", ["?text=The+capital+of+France+is&model=smollm2", ""])
def test_a_phone_has_no_wide_page(page, server, path):
    page.set_viewport_size(PHONE)
    open_page(page, server, path)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    expect(page.locator(".swipe b")).to_contain_text("swipe")
