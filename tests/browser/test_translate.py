"""Translation in a real browser: the switch changes the word, a cell of the grid ablates a head."""

import re

import pytest
from playwright.sync_api import expect

from mha.models.files import translator
from tests.browser.conftest import settled

pytestmark = [pytest.mark.browser, pytest.mark.skipif(translator.folder() is None, reason=translator.MISSING)]
FINDING = ".st-key-finding"


def test_the_switch_changes_the_word_and_a_cell_restores_a_head(page, server):
    page.goto(f"{server}/translate")
    expect(page.locator(FINDING)).to_contain_text("Two of 48 heads look from teacher to she", timeout=60_000)
    expect(page.locator(".versions [role=img]")).to_contain_text("professora")
    settled(page)
    page.get_by_text("Heads E0H7 and E2H1 on").click()
    expect(page.locator(FINDING)).to_contain_text("Without E0H7 and E2H1, the translator writes O professor")
    expect(page.locator(".versions [role=img]")).to_contain_text("E0H7 ablated")
    expect(page).to_have_url(re.compile("without=E0H7&without=E2H1"))
    settled(page)
    page.locator(".heads [data-index='7']").click()
    expect(page.locator(FINDING)).to_contain_text("Without E2H1, the translation stays the same")
    expect(page).to_have_url(re.compile(r"translate\?v=1&text=[^&]*&without=E2H1$|without=E2H1"))


def test_a_click_on_an_arc_cuts_its_link_and_a_second_one_restores_it(page, server):
    page.goto(f"{server}/translate")
    button = page.locator('.versions button.arc-end[data-cut="E0H7:1-6"]')
    expect(button).to_have_attribute("aria-pressed", "false", timeout=60_000)
    settled(page)
    button.click()
    expect(page.locator(FINDING)).to_contain_text("With the link teacher → she of E0H7 cut, the translator writes O")
    expect(page).to_have_url(re.compile("cut=E0H7%3A1-6"))
    expect(page.locator(".versions svg")).to_contain_text("E0H7 cut, was 90")
    expect(page.locator(".versions path[pathLength='3']")).to_have_count(1)  # the line without its middle third
    settled(page)
    button.press("Enter")
    expect(page.locator(FINDING)).to_contain_text("Two of 48 heads look from teacher to she")
    expect(page).not_to_have_url(re.compile("cut="))


@pytest.mark.slow
def test_on_a_phone_the_number_of_a_tinted_word_cuts_its_link(page, server):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{server}/translate")
    button = page.locator('.versions button.link[data-cut="E2H1:1-6"]')
    expect(button).to_have_text("E2H1 58\u00a0%", timeout=60_000)
    settled(page)
    button.click()
    expect(button).to_have_text("E2H1 cut, was 58\u00a0%")
    expect(page.locator(".versions .side").first).to_have_text("Cut: E2H1 teacher → she")
