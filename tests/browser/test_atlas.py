"""Whole model in a browser: from the chart to a head, on to its neighbour by key, and to Heads by a sentence."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser


def test_a_point_a_key_and_a_sentence_lead_on(page, server):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{server}/atlas")
    expect(page.locator(".heads .cells button")).to_have_count(72)
    settled(page)
    page.locator(".js-plotly-plot .scatterlayer .point").last.click(force=True)  # the head with the largest effect
    expect(page).to_have_url(re.compile(r"head=L5H11"))
    expect(page.locator(".st-key-connections li")).to_have_count(10)
    settled(page)
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"head=L5H10"))
    expect(page.locator(".st-key-head_name")).to_have_text("L5H10")
    settled(page)

    link = page.locator(".st-key-connections a").first
    sentence = link.inner_text()
    link.click()
    expect(page.get_by_label("Your text")).to_have_value(sentence)
    expect(page).to_have_url(re.compile(r"pins=L\d+H\d+"))


def test_the_chart_takes_the_theme_that_the_visitor_changes_to(page, server):
    page.emulate_media(color_scheme="light")
    page.goto(f"{server}/atlas")
    number = page.locator(".js-plotly-plot .xtick text").first
    expect(number).to_have_css("fill", "rgb(19, 24, 29)")
    settled(page)  # the bar, which sees the change, may be drawn after the chart
    page.emulate_media(color_scheme="dark")
    expect(number).to_have_css("fill", "rgb(235, 232, 226)")


def test_a_new_tab_opens_heads_from_the_page_of_a_head(page, server):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{server}/atlas?model=smollm2&head=L23H4")
    link = page.get_by_role("link", name="See it on Heads")
    expect(link).to_be_visible()
    settled(page)
    with page.context.expect_page() as opened:
        link.click(modifiers=["ControlOrMeta"])
    assert opened.value.url.startswith(f"{server}/?")
    opened.value.close()
    link.focus()
    with page.context.expect_page() as opened:
        page.keyboard.press("Control+Enter")
    assert opened.value.url.startswith(f"{server}/?")


N_LINES = """cells => cells.map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8))).size;
})"""  # of each cell


@pytest.mark.slow
@pytest.mark.parametrize("address", ["atlas", "atlas?model=smollm2&head=L23H4"])
def test_the_page_is_short_and_fits_a_phone(page, server, address):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{server}/{address}")
    page.locator(".heads[data-ready], .st-key-connections li").first.wait_for()
    settled(page)
    height = "document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"
    assert page.evaluate(height) <= 2400
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
    lines = page.locator(".st-key-places td:not(:first-child)").evaluate_all(N_LINES)
    assert set(lines) <= {1}, "a number is on one line"
