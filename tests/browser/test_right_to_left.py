"""A Hebrew sentence in a real browser: words and columns run from right to left, rows have their words at the right."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled
from tests.browser.test_heads import open_page

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
    rows.last.scroll_into_view_if_needed()  # a pointer reaches only what is on the screen
    frame, last = page.locator(".locked-word").first.bounding_box(), keys.last.bounding_box()
    assert frame["x"] > last["x"] + last["width"]  # the column of the first word is the rightmost
    expect(page.get_by_text("which run from right to left").first).to_be_visible()
    page.mouse.move(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] - 6)
    expect(page.locator(".read.told")).to_contain_text(
        re.compile(r"^רעב gives \d+\s% of its attention to words to הכלב")
    )
    page.get_by_role("button", name="Lines", exact=True).click()
    settled(page)
    notes = page.locator("svg.lines .line-note")
    assert falls(lefts(notes))
    page.get_by_role("button", name="Table", exact=True).click()
    settled(page)
    assert falls(lefts(page.locator(".scroller table thead th")))


def test_the_small_sentence_that_stays_runs_as_the_text_does(page, server):
    open_page(page, server, f"/?text={SENTENCE}&pins=L2H3&lock=1")
    page.locator(".overview .thumbnail, .overview [data-head]").last.scroll_into_view_if_needed()
    expect(page.locator(".strip-in")).to_be_visible()
    assert falls(lefts(page.locator(".strip .sentence .piece:not(.quiet)")))


def test_a_change_of_a_word_is_drawn_from_the_right(page, server):
    page.goto(f"{server}/compare?text={SENTENCE}&pins=L2H3&second={SENTENCE.replace('רעב', 'עייף')}")
    page.locator(".maps .panels").first.wait_for(timeout=60_000)
    settled(page)
    first = page.locator(".maps .panels svg").first
    words = [node for node in first.locator("text").all() if node.text_content() in SENTENCE.split()]
    columns = words[: len(SENTENCE.split())]  # the words above the columns stand first in the picture
    assert falls([node.bounding_box()["x"] for node in columns])


def test_readings_are_drawn_from_the_right(page, server):
    page.goto(f"{server}/readings?text={SENTENCE}&{ROLES}&tab=Where+they+look")
    page.locator(".contrast-line input").wait_for(timeout=60_000)
    settled(page)
    page.get_by_text("Two heads in detail").click(timeout=60_000)
    expect(page.get_by_text("from row to column, right to left").first).to_be_visible(timeout=60_000)


def test_the_left_arrow_goes_to_the_word_on_the_left(page, server):
    open_page(page, server, f"/?text={SENTENCE}&pins=L2H3")
    words = page.locator(".overview .hero [data-at]")
    words.nth(3).focus()
    page.keyboard.press("ArrowLeft")
    expect(words.nth(4)).to_be_focused()
    first, then = lefts(words)[3:5]
    assert then < first


def test_maps_of_the_whole_model_are_mirrored(page, server):
    page.goto(f"{server}/atlas?text={SENTENCE}&atlas_head=L2H8")
    page.locator(".atlas-likes svg rect").first.wait_for(timeout=60_000)
    settled(page)
    for one in page.locator(".atlas-likes svg").all():
        first = [cell for cell in one.locator("rect").all() if cell.get_attribute("y") == "0"]  # in the text's order
        assert len(first) > 1
        assert falls([float(cell.get_attribute("x")) for cell in first])


def test_a_share_reads_from_the_left_on_a_phone(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, server, "/?text=הכלב אכל")
    number, sign = page.locator(".hero .percent").first.evaluate(
        """share => [0, share.textContent.length - 1].map((at) => {
          const range = document.createRange();
          range.setStart(share.firstChild, at);
          range.setEnd(share.firstChild, at + 1);
          return range.getBoundingClientRect().left;
        })"""
    )
    assert number < sign
