"""Two readings in a real browser: arcs, choices by click and by keyboard, one replaced word, a pinned head, a phone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled
from tests.browser.test_heads import type_text

pytestmark = pytest.mark.browser
OWN = "The cook warned the waiter because he was late"
TABS = ("Where heads look", "What carries the change", "Does it matter?")
PICTURE = ".next-sentence[data-ready], .versions[data-ready]"


def open_page(page, url, path="/readings"):
    page.goto(url + path)
    page.locator(PICTURE).first.wait_for(timeout=60_000)
    drawn(page)


def drawn(page):
    settled(page, 200)


def word(page, text):
    return page.locator(".next-sentence .word", has_text=re.compile(f"^{text}$"))


def finding(page):
    return page.locator(".st-key-finding h1")


@pytest.mark.slow
def test_words_are_chosen_by_click_and_by_keyboard(page, server):
    open_page(page, server)
    type_text(page, OWN)
    page.wait_for_function("() => new URL(location.href).searchParams.get('readings_by') === 'suggested'")
    page.get_by_role("button", name="Not ambiguous").click()
    expect(finding(page)).to_contain_text("Which word is ambiguous? Click it.")
    word(page, "he").click()
    expect(finding(page)).to_contain_text("Which word could he refer to?")
    word(page, "cook").click()
    expect(finding(page)).to_contain_text("Which other word than cook could he refer to?")
    word(page, "waiter").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => new URL(location.href).searchParams.get('readings_b') === '4 waiter'")
    expect(page.locator(".next-sentence .candidate-b")).to_have_text("waiter")


@pytest.mark.slow
def test_a_click_on_a_head_pins_it_or_ablates_it(page, server):
    open_page(page, server, "/readings?tab=What+carries+it")
    cell = page.get_by_role("gridcell", name=re.compile("^Layer 2, head 1:"))
    cell.click(timeout=60_000)
    page.wait_for_function("() => new URL(location.href).searchParams.get('pins') === 'L2H1'")
    expect(cell).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="Does it matter?").click()
    drawn(page)
    page.get_by_role("gridcell", name=re.compile("^Layer 2, head 8:")).click()
    expect(finding(page)).to_contain_text("Without L2H8, the score moves from +0.106 to +0.080", timeout=60_000)


@pytest.mark.slow
@pytest.mark.parametrize("tab", TABS)
def test_a_tab_is_short_and_nothing_overflows_on_a_phone(page, server, tab):
    open_page(page, server)
    page.get_by_role("tab", name=tab).click()
    drawn(page)
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    assert height <= 1800
    page.set_viewport_size({"width": 390, "height": 844})
    drawn(page)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
