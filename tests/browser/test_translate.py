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
    expect(page.locator(FINDING)).to_contain_text("Without E0H7 and E2H1 the translator writes O professor")
    expect(page.locator(".versions [role=img]")).to_contain_text("E0H7 ablated")
    expect(page).to_have_url(re.compile("without=E0H7&without=E2H1"))
    settled(page)
    page.locator(".heads [data-index='7']").click()
    expect(page.locator(FINDING)).to_contain_text("Without E2H1 the translation stays the same")
    expect(page).to_have_url(re.compile(r"translate\?v=1&text=[^&]*&without=E2H1$|without=E2H1"))
