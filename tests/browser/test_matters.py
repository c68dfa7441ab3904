"""Looks, adds, matters and Let it write in a real browser: old addresses, a guess, a word of the text, steps."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser
FINDING = ".st-key-finding"
FRANCE = "text=The+capital+of+France+is"


def test_a_click_or_a_key_on_a_word_selects_it(page, server):
    page.goto(f"{server}/matters?{FRANCE}&guess=none")
    expect(page.locator(FINDING)).to_contain_text("adds most")
    page.locator(".selectable", has_text="capital").first.click()
    expect(page.locator(FINDING)).to_contain_text("looks hardest at capital")
    expect(page).to_have_url(re.compile("look_at=1"))
    settled(page)
    page.locator(".selectable", has_text="capital").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(FINDING)).to_contain_text("looks hardest at of")
    expect(page.locator(".selectable[aria-pressed=true]").first).to_have_text("of")


def test_steps_move_by_keys_and_the_old_address_leads_there(page, server):
    page.goto(f"{server}/next?view=write&step=2")
    expect(page).to_have_url(re.compile(r"/write\?step=2"))
    expect(page.locator(FINDING)).to_contain_text("To write", timeout=60_000)
    settled(page)
    page.get_by_role("slider").press("ArrowRight")
    expect(page).to_have_url(re.compile("step=3"))
    expect(page.locator(FINDING)).to_contain_text("To write the token")
