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
    expect(page.locator(".maps .title .head")).to_have_text(["L5H4", "L3H1"])
    expect(page).to_have_url(re.compile("pins=L5H4&pins=L3H1"))
    expect(page.locator(".maps .panel")).to_have_count(6)
    expect(page.locator(".maps .legend")).to_have_count(1)
    settled(page)
    page.get_by_role("button", name="Unpin L5H4").click()
    expect(page.locator(".maps .title .head")).to_have_text(["L3H1"])
    settled(page)
    page.get_by_label("Second sentence").fill("I saw the man with the hat")
    page.get_by_label("Second sentence").press("Enter")
    expect(page.locator(".versions [role=img]")).to_contain_text("hat")
    expect(page).to_have_url(re.compile(r"second=I\+saw.*hat.*pins=L3H1"))
    settled(page)
    page.go_back()
    expect(page.get_by_label("Second sentence")).to_have_value("I saw the star with the telescope")


def test_pins_and_texts_go_to_old_pages_and_back(page, server):
    page.goto(f"{server}/compare?text=The+dog+slept&second=The+dog+barked&pins=L2H3")
    expect(page.locator(FINDING)).to_contain_text("In head")
    settled(page)
    page.get_by_role("link", name="Heads", exact=True).click()
    expect(page.get_by_label("Your text")).to_have_value("The dog slept")
    expect(page).to_have_url(re.compile("pins=L2H3"))
    settled(page)
    page.get_by_test_id("stTopNavSection").click()
    page.get_by_text("Change a word", exact=True).click()
    expect(page.locator(".maps .title .head")).to_have_text(["L2H3"])
    expect(page.get_by_label("Second sentence")).to_have_value("The dog barked")


def test_a_stop_of_a_lesson_opens_and_is_left_and_found_again(page, server):
    page.goto(f"{server}/?lesson=the-telescope&stop=1")
    settled(page)
    for _ in range(4):
        if "/compare" in page.url:
            break
        page.get_by_role("button", name=re.compile("Next", re.IGNORECASE)).click()
        settled(page)
    expect(page).to_have_url(re.compile("/compare.*lesson=the-telescope"))
    expect(page.get_by_label("Second sentence")).to_have_value("I saw the man with the beard")
    page.get_by_label("Second sentence").fill("I saw the man with the dog")
    page.get_by_label("Second sentence").press("Enter")
    page.get_by_role("button", name="Back to the stop").click()
    expect(page.get_by_label("Second sentence")).to_have_value("I saw the man with the beard")


def test_a_phone_has_both_sentences_without_scrolling_sideways(new_tab, server):
    new_tab.set_viewport_size({"width": 390, "height": 844})
    new_tab.goto(f"{server}/compare")
    expect(new_tab.locator(".versions .version")).to_have_count(2)
    settled(new_tab)
    assert new_tab.evaluate("document.documentElement.scrollWidth") <= 390
    widths = new_tab.locator(".maps .panel svg").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().width)"
    )
    assert len(widths) == 3
    assert max(widths) <= 390
