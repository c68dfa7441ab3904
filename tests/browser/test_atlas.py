"""Whole model in a real browser: likes, a cell that goes to Heads, own sentences that are stopped and gone on with."""

import re

import pytest
from playwright.sync_api import expect

from mha.pairs import corpus
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_likes_are_clicked_and_a_cell_goes_to_heads(page, server):
    page.goto(f"{server}/atlas?text=All+is+well")
    expect(page.locator("h1")).to_have_text("Counting similar heads as one, the 72 heads look in 3.9 different ways.")
    expect(page.locator(".atlas_map .head-button")).to_have_count(72)

    page.get_by_text("As a map", exact=True).click()
    page.locator('.atlas_plane [data-act="L3H3"]').click()
    expect(page.get_by_role("heading", name="Most similar to L3H3")).to_be_visible()
    expect(page).to_have_url(re.compile("atlas_like=L3H3"))

    page.locator('.atlas_map [data-act="L2H8"]').click()
    expect(page).to_have_url(re.compile(r"/\?.*pins=L2H8"))
    expect(page).to_have_url(re.compile("text=All"))
    expect(page.locator("h1").first).to_contain_text("L2H8")


@pytest.mark.slow
def test_a_tap_on_the_matrix_says_how_far_two_heads_are(browser, server):
    context = browser.new_context(bypass_csp=True, viewport={"width": 390, "height": 844}, has_touch=True)
    try:
        page = context.new_page()
        page.goto(f"{server}/atlas")
        matrix = page.locator(".atlas_matrix svg").first
        expect(matrix).to_be_visible(timeout=60_000)
        settled(page)
        matrix.scroll_into_view_if_needed()
        box = matrix.bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
        expect(page).to_have_url(re.compile("atlas_like="))
        settled(page)  # the tap has drawn it anew
        expect(page.locator(".atlas-told")).to_have_text(re.compile(r"L\dH\d+ and L\dH\d+: 0\.\d\d"))
    finally:
        context.close()


def how_far(page):
    """Return how many sentences are measured, as the bar of the run says."""
    return int(re.search(r"Sentence (\d+) of", page.get_by_test_id("stProgress").inner_text())[1])


@pytest.mark.slow
def test_a_file_of_texts_is_measured_stopped_and_gone_on_with(page, server, tmp_path):
    file = tmp_path / "texts.csv"
    lines = [f"{number},{number} {text.replace(',', '')}" for number in range(6) for text in corpus()]
    file.write_text("\n".join(["number,text", *lines]), encoding="utf-8")
    page.goto(f"{server}/atlas?atlas_over=your+own")
    expect(page.locator("h1")).to_have_text("Where does each head look in your texts?")
    page.locator('input[type="file"]').set_input_files(file)
    page.get_by_role("button", name="Measure these texts").click()
    page.get_by_role("button", name="Stop", exact=True).click()
    rest = page.get_by_role("button", name="Continue")
    expect(rest).to_be_visible()
    expect(page.locator("h1")).to_contain_text("the first")  # the step that was under way is over
    expect(page.locator(".atlas_map .head-button")).to_have_count(72)
    done = how_far(page)
    assert 0 < done < len(lines)
    expect(page.locator("h1")).to_have_text(f"72 heads, the first {done:,} sentences.")
    rest.click()
    expect(page.locator("h1")).to_contain_text("different ways", timeout=150_000)
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    expect(page.get_by_text("1,800 sentences").first).to_be_attached()


@pytest.mark.slow
def test_the_shares_of_a_connection_stay_in_its_line(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server}/atlas?atlas_head=L2H8")
    page.locator(".sheet-line").first.wait_for(timeout=60_000)
    settled(page)
    beyond = """lines => lines.map(line => {
      const range = document.createRange();
      range.selectNodeContents(line.querySelector(".sheet-figures"));
      return range.getBoundingClientRect().right - line.getBoundingClientRect().right;
    })"""
    assert max(page.locator(".sheet-line").evaluate_all(beyond)) < 1
