"""A Hebrew sentence in a real browser: its words run from right to left, maps are read as those of any text."""

import pytest
from playwright.sync_api import expect

from tests.browser.test_heads import open_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SENTENCE = "הכלב אכל את האוכל כי הוא היה רעב"


def lefts(nodes):
    """Return where nodes begin, in px."""
    return [node.bounding_box()["x"] for node in nodes.all()]


def test_columns_of_a_map_run_as_those_of_any_text(page, server):
    open_page(page, server, f"?text={SENTENCE}&pins=L2H3&lock=1")
    keys = page.locator(".map .axis-word.key")
    assert lefts(keys) == sorted(lefts(keys))
    assert set(keys.evaluate_all("(words) => words.map((word) => word.dir)")) == {"auto"}


def test_the_left_arrow_goes_to_the_word_on_the_left(page, server):
    open_page(page, server, f"?text={SENTENCE}&pins=L2H3")
    words = page.locator(".overview .hero [data-at]")
    words.nth(3).focus()
    page.keyboard.press("ArrowLeft")
    expect(words.nth(4)).to_be_focused()
    first, then = lefts(words)[3:5]
    assert then < first
