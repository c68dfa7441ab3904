"""A Hebrew sentence in a real browser: words and columns run from right to left, rows have their words at the right."""

import pytest
from playwright.sync_api import expect

from tests.browser.test_heads import open_page, settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SENTENCE = "הכלב אכל את האוכל כי הוא היה רעב"
ROLES = "readings_pivot=5+הוא&readings_a=0+הכלב&readings_b=3+האוכל"


def lefts(nodes):
    """Return where nodes begin, in px."""
    return [node.bounding_box()["x"] for node in nodes.all()]


def falls(values):
    return values == sorted(values, reverse=True) and len(set(values)) == len(values)


def test_columns_run_as_the_text_does(page, server):
    open_page(page, server, f"/?text={SENTENCE}&pins=L2H3&lock=1")
    keys = page.locator(".map .axis-word.key")
    assert falls([box["x"] + box["width"] for box in (node.bounding_box() for node in keys.all())])
    canvas = page.locator(".map canvas").first.bounding_box()
    rows = page.locator(".map .axis-word.query")
    assert min(lefts(rows)) > canvas["x"] + canvas["width"] / 2


def test_readings_are_drawn_from_the_right(page, server):
    page.goto(f"{server}/readings?text={SENTENCE}&{ROLES}&tab=Where+they+look")
    page.locator(".ambiguity .words [data-word]").first.wait_for(timeout=60_000)
    settled(page)
    assert falls(lefts(page.locator(".ambiguity .words [data-word]")))
    page.get_by_text("Two heads with their maps").click(timeout=60_000)
    expect(page.get_by_text("a row looks at the columns from right to left").first).to_be_visible(timeout=60_000)
