"""Change a word in a real browser: a cell pins a head, a button unpins it, pins go across the seam, phones fit."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser
FINDING = ".st-key-finding"


def test_a_click_pins_a_head_and_the_link_keeps_it(page, server):
    page.goto(f"{server}/compare")
    expect(page.locator(FINDING)).to_contain_text("In head L5H4, telescope gives less than 1")
    expect(page.locator(".versions [role=img]")).to_have_attribute(
        "aria-label", re.compile("In head L5H4, telescope gives")
    )
    page.locator('.heads .cells [data-index="37"]').click()
    expect(page.get_by_role("button", name="Unpin")).to_have_text(["Unpin L5H4", "Unpin L3H1"])
    expect(page).to_have_url(re.compile("pins=L5H4&pins=L3H1"))
    expect(page.locator(".matrices table")).to_have_count(6)
    settled(page)
    page.get_by_role("button", name="Unpin L5H4").click()
    expect(page.get_by_role("button", name="Unpin")).to_have_text(["Unpin L3H1"])
    settled(page)
    page.get_by_label("Second sentence").fill("I saw the man with the hat")
    page.get_by_label("Second sentence").press("Enter")
    expect(page.locator(".versions [role=img]")).to_contain_text("hat")
    expect(page).to_have_url(re.compile(r"second=I\+saw.*hat.*pins=L3H1"))
    settled(page)
    page.go_back()
    expect(page.get_by_label("Second sentence")).to_have_value("I saw the star with the telescope")


@pytest.mark.slow
def test_a_phone_has_both_sentences_without_scrolling_sideways(new_tab, server):
    new_tab.set_viewport_size({"width": 390, "height": 844})
    new_tab.goto(f"{server}/compare")
    expect(new_tab.locator(".versions .version")).to_have_count(2)
    settled(new_tab)
    assert new_tab.evaluate("document.documentElement.scrollWidth") <= 390
    widths = new_tab.locator(".matrices .scroller").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().width)"
    )
    assert len(widths) == 3
    assert max(widths) <= 390
