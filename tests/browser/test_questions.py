"""Questions in a real browser: cold links, the keyboard, both widths, what can be concluded."""

import re

import pytest
from playwright.sync_api import expect

from mha.views.questions import names
from tests.browser.conftest import settled, wider_than

pytestmark = pytest.mark.browser
SECONDS = 60_000
HIGHEST = 3000  # px, of the page at 1280


def show_last(page):
    """Show the answer of the open question, which follows the three claims."""
    page.get_by_role("button", name="Show answer").nth(3).click(timeout=SECONDS)


def test_a_cold_link_opens_a_question_inside_its_frame_and_holds_the_next_one(page, server):
    page.goto(f"{server}/questions?questions_open=formula")
    expect(page.get_by_role("heading", name="What is the formula, with numbers in it?")).to_be_visible(timeout=SECONDS)
    expect(page.get_by_role("link", name="Heads", exact=True).first).to_be_visible()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name="What is the last matrix, W_O, for?")).to_be_visible()
    expect(page).to_have_url(re.compile(r"questions_open=output(\+|%20)matrix"))
    settled(page)
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    assert height <= HIGHEST


@pytest.mark.slow
def test_a_guess_and_its_answer_by_keyboard_alone(page, server):
    page.goto(f"{server}/questions?questions_open=scaling")
    group = page.get_by_role("radiogroup", name=re.compile("What is the variance of their product"))
    group.get_by_role("radio").first.focus(timeout=SECONDS)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="d", exact=True)).to_be_checked()
    page.keyboard.press("Tab")
    page.wait_for_timeout(500)  # the choice has to reach the server before the button does
    expect(page.get_by_role("button", name="Show answer").last).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("You guessed “d”. Correct.")).to_be_visible(timeout=SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_nothing_is_wider_than_the_screen(page, server, name):
    page.goto(f"{server}/questions?questions_open={name.replace(' ', '+')}")
    show_last(page)
    page.get_by_role("button", name="Guess again").wait_for(timeout=SECONDS)
    settled(page)
    for width in (1280, 390):
        assert wider_than(page, width) <= 0, width
