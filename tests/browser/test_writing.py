"""Models that write, in a real browser: the slider moves without the server, and lines join a target to its source."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import wider_than

pytestmark = pytest.mark.browser
COPIER = "/?model=copier&text=river+stone+lamp+bread+glass+horse+paper+lamp+bread&heads_prompt=Write+on&heads_step=3"
REVERSER = "/?model=reverser&text=river+boat+lamp+garden+bread&heads_stack=Cross"


@pytest.mark.slow
def test_a_slider_moves_through_the_steps_at_once_and_the_rest_follows(page, server):
    page.goto(server + COPIER)
    finding = page.locator(".writing .finding")
    expect(finding).to_contain_text(re.compile(r"Step 3 of 8\. (After|At) horse₂, "))
    expect(page.locator(".row_chart.likely svg")).to_be_visible()
    expect(page.locator(".grid .group")).to_have_text(["key and value 0", "key and value 1"])

    slider = page.get_by_role("slider", name="step")
    slider.press("ArrowRight")
    expect(finding).to_contain_text(re.compile(r"Step 4 of 8\. (After|At) paper₂?, "), timeout=2_000)
    expect(finding).to_contain_text("The model writes lamp")
    page.wait_for_url("**heads_step=4**")

    before = finding.text_content()
    page.locator('.writing .row-button[data-head="1"]').hover(position={"x": 5, "y": 5})
    expect(finding).to_contain_text("L0H1")
    page.locator('.writing .row-button[data-head="1"]').click(position={"x": 5, "y": 5})
    page.wait_for_url("**pins=L0H1**")
    assert finding.text_content() != before
    assert wider_than(page, 390) <= 0
    expect(page.locator(".writing .cells.turned")).to_be_visible()


@pytest.mark.slow
def test_a_target_word_shows_its_own_lines_and_the_link_keeps_it(page, server):
    page.goto(server + REVERSER)
    finding = page.locator(".crossing .finding")
    expect(finding).to_contain_text("To write")
    expect(page.locator(".crossing .target")).to_have_text(["bread", "garden", "lamp", "boat", "river"])
    page.locator('.crossing [data-row="4"]').click()
    expect(finding).to_contain_text("To write river, L1H")
    page.wait_for_url("**lock=4**")
    page.get_by_role("radio", name="Typed").click()
    field = page.get_by_label("Your output text")
    field.fill("lamp boat")
    field.press("Enter")
    expect(page.locator(".crossing .target")).to_have_text(["lamp", "boat"])
    assert wider_than(page, 390) <= 0
