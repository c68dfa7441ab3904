"""One cell in a real browser: from a pinned map by the mouse, another word by a click, and back."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled
from tests.browser.test_access import accessible
from tests.browser.test_heads import open_page

pytestmark = pytest.mark.browser


def test_a_click_on_a_cell_opens_its_numbers_and_the_way_back_keeps_the_view(page, server):
    open_page(page, server, "/?text=A+dog+ate+the+food+because+it+was+hungry.&pins=L2H8&lock=7")
    words = page.locator(".pinned-heads [data-query]").all_inner_texts()
    it, hungry = words.index("it"), words.index("hungry")
    first, second = (page.locator(".pinned-heads [data-query]").nth(at).bounding_box() for at in (it, hungry))
    pitch = (second["y"] - first["y"]) / (hungry - it)
    at = {"x": (hungry + 0.5) * pitch, "y": (it + 0.5) * pitch}
    page.locator(".pinned-heads canvas").first.click(position=at)
    expect(page.get_by_role("heading", level=1)).to_contain_text("it gives 84\u00a0% of its attention to hungry")
    assert "heads_cell=L2H8+7+9" in page.url
    expect(page.locator(".cell_dims svg")).to_be_visible()
    accessible(page)
    page.locator('.cell-word[data-at="2"]').click()  # dog looks
    expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile("dog gives .* to hungry"))
    page.locator('.cell-word[data-at="5"]').click(modifiers=["Shift"])
    expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile("dog gives .* to food"))
    page.get_by_role("button", name="← Back to the map").click()
    page.locator(".overview[data-ready]").wait_for()
    settled(page)
    assert "heads_cell" not in page.url
    assert "pins=L2H8" in page.url
    assert "lock=7" in page.url


@pytest.mark.slow
def test_a_thumbnail_opens_a_cell_by_mouse_keyboard_and_finger(page, server):
    open_page(page, server, "/?text=A+dog+ate+the+food+because+it+was+hungry.&pins=L2H8&lock=7")
    thumbnail = page.locator(".overview .head").nth(2 * 12 + 8)
    picture = thumbnail.locator("canvas")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    n_words = 9
    spot = {"x": 8.5 / n_words * box["width"], "y": 6.5 / n_words * box["height"]}  # it, the seventh, at hungry
    picture.hover(position=spot)
    page.keyboard.down("Shift")
    expect(page.locator(".overview .tip")).to_contain_text("Open row it, column hungry")
    expect(thumbnail.locator(".opens")).to_be_visible()
    picture.click(position=spot)
    page.keyboard.up("Shift")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("it gives 84\u00a0% of its attention to hungry")
    assert "heads_cell=L2H8+7+9" in page.url
    for ask in ("key", "finger"):
        page.get_by_role("button", name="← Back to the map").click()
        page.locator(".overview[data-ready]").wait_for()
        settled(page)
        assert "pins=L2H8" in page.url, "what opens a cell pins nothing"
        if ask == "key":
            thumbnail.focus()
            page.keyboard.press("Shift+Enter")
        else:
            thumbnail.dispatch_event("pointerdown", {"pointerType": "touch", "isPrimary": True, "bubbles": True})
        lead = page.locator(".cell-lead h1")  # of what is named of the head: the locked word's strongest look
        expect(lead).to_contain_text("because gives 18\u00a0% of its attention to it")
