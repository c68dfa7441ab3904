"""The main job in a real browser: type a sentence, see every head; pin, lock, toggle; the link restores it."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import mha
from mha.glossary import glossary
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser
SENTENCE = "The cat sat on the mat"


def open_page(page, url, path="/?v=1"):
    page.goto(url + path)
    ready(page)


def ready(page):
    page.locator(".overview[data-ready]").wait_for(timeout=60_000)
    page.locator(".st-key-foot").wait_for(timeout=60_000)  # the rest follows the first picture
    settled(page)


def type_text(page, text):
    box = page.get_by_label("Your sentence")
    box.fill(text)
    box.press("Enter")
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
    open_page(page, server, "/?pins=L5H3&sinks=false")
    type_text(page, SENTENCE)
    expected = mha.attend(SENTENCE).merged()
    words = page.locator(".pinned-heads .axis-word.query").all_inner_texts()
    assert words == ["[CLS]", "The", "cat", "sat", "on", "the", "mat", "[SEP]"]
    shares = read_by_keys(page, expected.n_keys)
    assert np.allclose(shares, 100 * expected[5, 3][0], atol=0.51)
    assert np.std(shares) > 5


@pytest.mark.slow
def test_pinning_by_click_and_by_keyboard_and_a_cold_link_in_a_second_browser(page, server, elsewhere):
    open_page(page, server)
    type_text(page, SENTENCE)
    thumbnail(page, "L4H2").click()
    settled(page)
    expect(thumbnail(page, "L4H2")).to_have_attribute("aria-label", re.compile("pinned"))
    thumbnail(page, "L4H2").press("ArrowRight")
    page.keyboard.press("Enter")
    settled(page)
    expect(thumbnail(page, "L4H3")).to_have_attribute("aria-label", re.compile("pinned"))
    expect(page).to_have_url(re.compile("pins=L4H2&pins=L4H3"))
    link = page.url
    pinned = page.locator(".pinned-heads").inner_text()
    elsewhere.goto(link)
    ready(elsewhere)
    elsewhere.locator(".pinned-heads[data-ready]").wait_for()
    assert elsewhere.locator(".pinned-heads").inner_text() == pinned
    assert elsewhere.get_by_label("Your sentence").input_value() == SENTENCE


def test_pointing_previews_without_the_server_a_click_runs_once_and_a_term_opens_its_line(page, server):
    frames = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda data: frames.append(data)))
    open_page(page, server)
    before, finding = len(frames), page.locator(".finding").inner_text()
    thumbnail(page, "L3H1").hover()
    page.wait_for_timeout(300)
    assert "L3H1" in page.locator(".finding").inner_text()
    assert len(frames) == before
    page.mouse.move(5, 5)
    page.wait_for_timeout(200)
    assert page.locator(".finding").inner_text() == finding
    thumbnail(page, "L3H1").click()
    settled(page)
    assert len(frames) == before + 1
    page.locator(".term", has_text="heads").first.click()
    expect(page.locator(".explanation:visible")).to_contain_text(glossary()["head"])
    assert len(frames) == before + 1


@pytest.mark.slow
def test_a_line_of_the_answers_redraws_the_sentence_and_enter_pins_its_head(page, server):
    open_page(page, server, "/?text=The+trophy+would+not+fit+in+the+suitcase+because+it+was+too+big&lock=10&look=ask")
    frames = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda data: frames.append(data)))
    row = page.locator(".overview [data-ask]").nth(1)
    name = row.locator(".say-head").inner_text()
    row.hover()
    expect(page.locator(".overview .finding")).to_contain_text(f"From it, {name} gives")
    row.press("Enter")
    settled(page)
    expect(thumbnail(page, name)).to_have_attribute("aria-label", re.compile("pinned"))
    expect(page).to_have_url(re.compile("look=ask"))


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_news_of_a_pin_that_was_released_stands_low(page, server, width):
    page.set_viewport_size({"width": width, "height": 800})
    open_page(page, server, "/?pins=L2H1,L2H3,L2H4,L2H5")
    for name in ("L3H1", "L3H2", "L3H3"):  # however many of the link were taken, four are pinned by now
        thumbnail(page, name).click()
        settled(page)
    news = page.get_by_text(re.compile("4 heads can be pinned; L.H. was released."))
    expect(news).to_be_visible()
    assert news.bounding_box()["y"] > 400


def test_a_word_can_be_asked_and_a_head_unpinned(page, server):
    open_page(page, server)
    page.locator(".overview").get_by_role("button", name=re.compile("^man")).first.click()
    settled(page)
    expect(page).to_have_url(re.compile("lock=4&look=ask"))
    expect(page.locator(".overview .finding")).to_contain_text("From man")
    expect(page.locator(".overview .ask")).to_contain_text("What looks at man")
    page.keyboard.press("Escape")
    settled(page)
    expect(page).to_have_url(re.compile("lock=4&look=from"))
    expect(page.locator(".overview .ask")).to_be_hidden()
    assert (
        page.evaluate(
            "document.activeElement.shadowRoot?.activeElement?.dataset.at ?? document.activeElement.dataset.at"
        )
        == "3"
    )
    page.get_by_role("button", name=re.compile("Unpin")).first.click()
    settled(page)
    expect(page).to_have_url(re.compile("pins=L0H10"))


@pytest.mark.slow
def test_copying_the_link(page, server):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(page, server, "/?pins=L5H3")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied. It opens this view.")).to_be_visible()
    address, words = page.url.split("?")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == f"{address}?c=1&{words}&e=1"  # two marks, by which a link that was cut is noticed
    open_page(page, copied, "")
    assert page.url == f"{address}?{words}"
    expect(page.get_by_text("Problem in this link")).to_have_count(0)


@pytest.mark.slow
def test_the_second_tap_on_a_cell_opens_it(browser, server):
    context = browser.new_context(viewport={"width": 1100, "height": 900}, has_touch=True)
    page = context.new_page()
    open_page(page, server, "/?pins=L2H3")
    canvas = page.locator(".pinned-heads canvas").first
    canvas.scroll_into_view_if_needed()
    settled(page)
    box = canvas.bounding_box()
    for opened in (False, True):
        page.touchscreen.tap(box["x"] + 20, box["y"] + box["height"] / 2)
        settled(page)
        if opened:
            page.wait_for_url(re.compile("/steps.*key="))
        else:
            assert "/steps" not in page.url
            page.evaluate("document.fonts.dispatchEvent(new Event('loadingdone'))")  # which draws the maps anew
            expect(page.locator(".pinned-heads .read").first).to_contain_text("of its attention")
    context.close()


@pytest.mark.slow
def test_a_suggestion_is_drawn_dismissed_and_undone(page, server):
    page.goto(f"{server}/?text=The+clerk+thanked+the+guest+because+he+waited")
    line = page.locator(".st-key-heads_suggested p.line")
    expect(line).to_contain_text("Does he refer to", timeout=60_000)
    settled(page)
    assert "readings_pivot=6+he" in page.url
    assert "readings_by=suggested" in page.url
    letters = "nodes => nodes.map(node => node.dataset.letter)"
    assert page.locator(".hero .piece[data-letter]").evaluate_all(letters) == ["A", "B"]
    assert [one.strip() for one in page.locator(".hero .chip .disc").all_inner_texts()] == ["A", "B"]
    page.get_by_role("button", name="Not ambiguous").click()
    expect(line).to_contain_text("Marked as not ambiguous.")
    settled(page)
    assert "readings_by=not+ambiguous" in page.url
    assert page.locator(".hero .piece[data-letter]").count() == 0
    page.get_by_role("button", name="Undo").click()
    expect(line).to_contain_text("Does he refer to")
