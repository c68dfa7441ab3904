"""Next word in a real browser: ablation by a click, Back and Forward over the seam to the old pages, a sweep."""

import re

import pytest
from playwright.sync_api import expect

from mha.examples import OPENS_HEADS
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser
FINDING = ".st-key-finding"


def cell(page, name):
    layer, head = name[1:].split("H")
    return page.locator(f'.heads .cells [data-index="{int(layer) * 9 + int(head)}"]')


def test_a_click_ablates_a_head_and_the_link_keeps_it(page, server):
    page.goto(f"{server}/next")
    expect(page.locator(FINDING)).to_contain_text("falls from 77 % to 13 %, the largest change of 270 heads")
    cell(page, "L0H4").click()
    expect(page.locator(FINDING)).to_contain_text("Without L0H4, Paris falls from 77 % to 65 %")
    expect(page).to_have_url(re.compile(r"ablate=L0H4.*head=L0H4"))
    settled(page)
    expect(cell(page, "L0H4")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(FINDING)).to_contain_text("the largest change of 270 heads")
    expect(page).not_to_have_url(re.compile("ablate"))
    page.get_by_role("button", name=re.compile("^the:")).click()
    expect(page.locator(FINDING)).to_contain_text("predicts Paris")
    expect(page).to_have_url(re.compile("word=the"))


def test_back_and_forward_over_the_seam_keep_text_and_model(page, server):
    page.goto(f"{server}/?text=The+capital+of+Japan+is")
    settled(page)
    page.get_by_role("link", name="Next word").click()
    expect(page.locator(FINDING)).to_contain_text("Tokyo")
    expect(page).to_have_url(re.compile(r"/next\?.*text=The\+capital\+of\+Japan"))
    settled(page)
    cell(page, "L23H4").click()
    expect(page).to_have_url(re.compile("ablate=L23H4"))
    settled(page)
    page.get_by_role("link", name="Heads", exact=True).click()
    expect(page.get_by_label("Your sentence")).to_have_value("The capital of Japan is")
    settled(page)
    page.go_back()
    expect(page).to_have_url(re.compile("ablate=L23H4"))
    expect(page.locator(FINDING)).to_contain_text("Without L23H4, Tokyo falls")
    settled(page)
    page.go_back()
    expect(page.locator(FINDING)).to_contain_text("the largest change of 270 heads")
    settled(page)
    page.go_forward()
    expect(page.locator(FINDING)).to_contain_text("Without L23H4, Tokyo falls")


def test_a_default_of_one_page_does_not_go_to_the_other(page, server):
    page.goto(f"{server}/")
    settled(page)
    page.get_by_role("link", name="Next word").click()
    expect(page.locator(FINDING)).to_contain_text("Paris")
    settled(page)
    page.get_by_role("link", name="Heads", exact=True).click()
    expect(page.get_by_label("Your sentence")).to_have_value(OPENS_HEADS)


@pytest.mark.slow
def test_a_sweep_shows_partial_results_and_stops(page, server):
    page.goto(f"{server}/next?text=She+looked+at+me+and+then+she")
    page.get_by_role("button", name="Ablate every head in turn").click(timeout=120_000)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Ablate every head in turn")).to_be_visible()
    expect(page.locator(FINDING)).to_contain_text("SmolLM2 predicts")
    settled(page)
    page.get_by_role("button", name="Ablate every head in turn").click()
    expect(page.get_by_role("button", name="Stop")).to_be_hidden(timeout=120_000)
    expect(page.locator(".heads .state-unmeasured")).to_have_count(0)
    expect(page.locator(".st-key-explanation")).to_contain_text("control texts")
