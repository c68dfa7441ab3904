"""A lesson in a browser: its keys, the way back to a stop, a view that is added to a lesson of one's own."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled, wider_than

pytestmark = pytest.mark.browser
LESSON = "lesson=the-telescope"
SECOND = re.compile(r"2 of 5")


def at(page, server, words):
    page.goto(f"{server}/?{words}")
    expect(page.locator(".lesson-bar[data-ready]")).to_be_visible(timeout=60_000)
    settled(page)


def test_a_lesson_is_led_by_keys_alone(page, server):
    at(page, server, f"{LESSON}&stop=1")
    bar = page.locator(".lesson-bar")
    show, where = bar.locator(".show"), bar.locator(".where b")
    page.keyboard.press("PageDown")
    expect(show).to_have_text("Hide findings")
    expect(page.get_by_role("button", name="Show results")).to_have_count(0)
    settled(page)
    page.keyboard.press("PageDown")
    expect(where).to_have_text(SECOND)
    settled(page)
    page.keyboard.press("PageDown")
    page.keyboard.press("PageUp")  # hidden again, before its findings came
    expect(show).to_have_text("Show findings")
    expect(page.get_by_role("button", name="Show results")).to_be_visible()
    settled(page)
    page.get_by_label("Your text").focus()
    for key in ("Home", "End", "PageDown"):  # are the field's
        page.keyboard.press(key)
    expect(where).to_have_text(SECOND)
    expect(show).to_have_text("Show findings")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("End")
    expect(where).to_have_text("5 of 5")
    settled(page)
    page.keyboard.press("p")
    expect(page.locator("html.projector")).to_be_attached()
    settled(page)
    page.keyboard.press("Home")
    expect(where).to_have_text("1 of 5")


def test_the_controls_above_a_plan_end_on_one_line(page, server):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{server}/lesson")
    settled(page)
    sheets, start = page.locator(".st-key-lesson_sheet"), page.get_by_role("button", name="Start the lesson")
    ends = [box["y"] + box["height"] for box in (sheets.bounding_box(), start.bounding_box())]
    assert ends[0] == pytest.approx(ends[1], abs=1)


@pytest.mark.slow
def test_on_a_phone_the_buttons_stay_at_the_foot(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    at(page, server, f"{LESSON}&stop=1")
    page.mouse.wheel(0, 600)
    box = page.locator(".lesson-bar .controls").bounding_box()
    assert (box["x"], box["width"], box["y"] + box["height"]) == (0, 390, 844)
    words = page.locator("[class*='st-key-guess_'] button")
    assert words.count() == 2
    assert min(words.nth(number).bounding_box()["height"] for number in range(words.count())) >= 44


@pytest.mark.slow
def test_a_worksheet_is_no_wider_than_the_narrowest_screen(page, server):
    page.goto(f"{server}/lesson?lesson_which=who-is-it&lesson_sheet=Worksheet")
    expect(page.locator(".lesson-sheet .rule").first).to_be_visible(timeout=60_000)
    assert wider_than(page, 320) <= 0
