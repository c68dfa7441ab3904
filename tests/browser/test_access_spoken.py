"""What a screen reader is told of what changes away from where its reader is, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.test_heads import type_text
from tests.browser.test_readings import open_page as open_readings
from tests.browser.test_steps import open_steps

pytestmark = pytest.mark.browser
VOICE = "body > [role=status]"


def said(page):
    """Return what the page's voice says, once it says something."""
    voice = page.locator(VOICE).last
    expect(voice).not_to_be_empty(timeout=60_000)
    return voice.inner_text()


def test_a_notice_is_said_and_what_a_page_opens_with_is_not(page, server):
    open_readings(page, server, "/readings?model=nonesuch")
    assert said(page).startswith("Problem in this link: model")
    assert "attention" not in said(page)


def test_the_finding_of_another_sentence_and_the_name_of_another_page_are_said(page, server):
    open_readings(page, server)
    type_text(page, "The trophy does not fit into the suitcase because it is too small")
    expect(page.locator(VOICE).last).to_contain_text("to trophy", timeout=60_000)
    page.get_by_role("link", name="Step by step", exact=True).first.click()
    expect(page.locator(VOICE).last).to_contain_text("Step by step · Parallax", timeout=60_000)


def test_a_button_that_can_no_more_be_pressed_passes_the_focus_on(page, server):
    open_steps(page, server, "?steps_seed=3")
    button = page.get_by_role("button", name="Reset", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_be_disabled(timeout=60_000)
    page.wait_for_function("document.activeElement !== document.body && !document.activeElement.disabled")
