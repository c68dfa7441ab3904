"""Questions and What can I conclude? in a real browser: cold links, the keyboard, both widths."""

import re

import pytest
from playwright.sync_api import expect

from mha.link.pages import QUESTIONS
from mha.screens.questions.quiz import questions
from tests.browser.conftest import wider_than

pytestmark = pytest.mark.browser
SECONDS = 60_000


def test_a_cold_link_opens_a_question_inside_its_frame_and_holds_the_next_one(page, server):
    page.goto(f"{server}/questions?questions_open=formula")
    expect(page.get_by_role("heading", name="What is the formula, with numbers in it?")).to_be_visible(timeout=SECONDS)
    expect(page.get_by_role("link", name="Heads", exact=True).first).to_be_visible()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name="What is the last matrix, W_O, for?")).to_be_visible()
    expect(page).to_have_url(re.compile(r"questions_open=output(\+|%20)matrix"))


@pytest.mark.slow
def test_a_guess_and_its_answer_by_keyboard_alone(page, server):
    page.goto(f"{server}/questions?questions_open=scaling")
    page.get_by_text("What is the variance of their product").wait_for(timeout=SECONDS)
    page.get_by_role("radiogroup", name="Your guess").get_by_role("radio").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="d", exact=True)).to_be_checked()
    page.keyboard.press("Tab")
    page.wait_for_timeout(500)  # the choice has to reach the server before the button does
    expect(page.get_by_role("button", name="Show answer")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("You guessed “d”. Correct.")).to_be_visible(timeout=SECONDS)
    term = page.get_by_role("button", name="scores", exact=True)
    for _ in range(12):
        page.keyboard.press("Tab")
        if term.evaluate("(node) => node === node.getRootNode().activeElement"):
            break
    page.keyboard.press("Enter")
    expect(term).to_have_attribute("aria-expanded", "true")


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
def test_nothing_is_wider_than_the_screen(page, server, name):
    page.goto(f"{server}/questions?questions_open={name.replace(' ', '+')}")
    page.get_by_role("button", name="Show answer").click(timeout=SECONDS)
    page.get_by_role("button", name="Guess again").wait_for(timeout=SECONDS)
    page.locator(".st-key-questions_sources").wait_for(timeout=SECONDS)
    for width in (1280, 390):
        assert wider_than(page, width) <= 0, width


@pytest.mark.slow
def test_what_may_i_conclude_has_its_numbers_no_sentence_to_type_and_room_on_every_screen(page, server):
    page.goto(f"{server}/about")
    expect(page.get_by_role("heading", name="What can I conclude?")).to_be_visible(timeout=SECONDS)
    expect(page.get_by_text("No: attention has a direction.")).to_be_visible(timeout=SECONDS)
    expect(page.get_by_label("Your sentence")).to_be_hidden()
    assert len(questions()) == 11
    page.locator(".definitions[data-ready]").last.wait_for(state="attached", timeout=SECONDS)
    for width in (1280, 390):
        assert wider_than(page, width) <= 0, width
