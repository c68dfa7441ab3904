"""Next word in a real browser: ablation by a click, the rank line, Back and Forward over the seam, a sweep."""

import re

import pytest
from playwright.sync_api import expect

import mha
from tests.browser.conftest import settled, wider_than

pytestmark = pytest.mark.browser
FINDING = ".st-key-finding"
MIDDLE = """path => { const { x, y } = path.getPointAtLength(path.getTotalLength() / 2);
  const box = path.ownerSVGElement.getBoundingClientRect();
  return [box.left + x, box.top + y]; }"""  # of an arc, on the screen


def cell(page, name):
    layer, head = name[1:].split("H")
    return page.locator(f'.heads .cells [data-index="{int(layer) * 9 + int(head)}"]')


def test_a_click_ablates_a_head_and_the_link_keeps_it(page, server):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{server}/next")
    expect(page.locator(FINDING)).to_contain_text("falls from 77 to 13 %, the largest change of 270 heads")
    settled(page)
    assert page.locator(FINDING).bounding_box()["y"] < 420, "on the first screen"
    assert page.locator(".heads .cells").bounding_box()["y"] < 610
    page.locator('.rank-line [data-layer="23"]').click()
    expect(page.locator(".heads .cell.selected")).to_have_count(9)
    expect(page.locator(".heads .cells [tabindex='0']")).to_have_attribute("data-index", str(23 * 9))
    columns = page.locator(".rank-line .layer").nth(23).bounding_box()
    assert columns["x"] == pytest.approx(cell(page, "L23H0").bounding_box()["x"], abs=1.5)
    cell(page, "L0H4").click()
    expect(page.locator(FINDING)).to_contain_text("Without L0H4, Paris falls from 77 to 65 %")
    expect(page).to_have_url(re.compile(r"ablate=L0H4.*head=L0H4"))
    settled(page)
    expect(cell(page, "L0H4")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(FINDING)).to_contain_text("the largest change of 270 heads")
    expect(page).not_to_have_url(re.compile("ablate"))
    settled(page)
    page.get_by_role("button", name=re.compile("^Paris:")).focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name=re.compile("^the:"))).to_be_focused()
    expect(page.locator(".next-sentence .bar[tabindex='0']")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(FINDING)).to_contain_text("the rises from 6 to 13 %")
    expect(page).to_have_url(re.compile("word=the"))


def test_a_click_on_an_arc_cuts_it_and_the_bar_moves_by_the_number_of_the_package(page, server):
    after = mha.next_words("The capital of France is", "smollm2", cut=["L23H4:4-3"]).after[0]
    page.goto(f"{server}/next")
    expect(page.locator(FINDING)).to_contain_text("the largest change of 270 heads")
    settled(page)
    page.mouse.click(*page.locator(".arcs .hit").first.evaluate(MIDDLE))
    expect(page).to_have_url(re.compile(r"cut=L23H4%3A4-3.*head=L23H4"), timeout=60_000)
    expect(page.locator(FINDING)).to_contain_text(f"cut, Paris falls from 77 to {100 * after:.0f} %", timeout=60_000)
    settled(page)
    bar = page.get_by_role("button", name=re.compile("^Paris:"))
    expect(bar).to_have_attribute("aria-label", re.compile(f"77\\s% before, {100 * after:.0f}\\s% after"))
    expect(page.locator(".arcs").first).to_contain_text("cut, was 90")
    expect(page.locator(".caption")).to_contain_text("L23H4 is → France cut")
    expect(page.locator(".rank-line polyline.before")).to_have_count(1)
    expect(page.locator(".rank-line .legend")).to_contain_text("with the link cut")
    button = page.locator('button.arc-end[data-cut="L23H4:4-3"]')
    expect(button).to_have_attribute("aria-pressed", "true")
    button.focus()
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(re.compile("cut="))
    expect(page.locator(FINDING)).not_to_contain_text("With the link")
    settled(page)
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-pressed", "false")


def test_a_tint_of_a_phone_is_the_button_of_its_link(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server}/next")
    settled(page)
    word = page.get_by_role("button", name=re.compile("of its attention to France. Cut this link"))
    assert word.bounding_box()["height"] >= 38
    word.click()
    expect(page.locator(FINDING)).to_contain_text("With the link is → France of L23H4 cut", timeout=60_000)
    settled(page)
    expect(page.locator(".word.cut")).to_have_text("France")
    page.locator(".st-key-cuts button").click()
    expect(page).not_to_have_url(re.compile("cut="))


def test_the_names_of_two_cut_links_fit_a_phone(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    text = "My+grandmother%27s+name+is+Ruth.+Everyone+calls+her"
    page.goto(f"{server}/next?text={text}&cut=L24H4:9-5&cut=L24H4:9-1")
    expect(page.locator(FINDING)).to_contain_text("With 2 links cut", timeout=60_000)
    settled(page)
    expect(page.locator(".caption")).to_contain_text("her → the token grandmother cut")
    assert wider_than(page, 390) <= 0


@pytest.mark.slow
def test_a_phone_has_the_words_before_the_finding(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server}/next?text=When+Mary+and+John+went+to+the+store,+John+gave+a+drink+to")
    expect(page.locator(FINDING)).to_contain_text("Mary")
    settled(page)
    assert page.locator(".next-words").bounding_box()["y"] < page.locator(FINDING).bounding_box()["y"]
    assert page.locator(".rank-line > svg").bounding_box()["height"] == 112


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
    expect(page.get_by_label("Your text")).to_have_value("The capital of Japan is")
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
