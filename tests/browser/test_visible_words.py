"""Heads and one cell keep their budgets: of words, and of what a phone shows first."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled
from tests.browser.visible_words import HEIGHT, WIDTH, visible_words

TYPED = "text=The+clerk+thanked+the+guest+because+he+waited"
BUDGET = {"": 320, f"?{TYPED}": 320, "?text=Snow+fell+in+the+old+valley": 320, f"?heads_cell=L2H5+7+2&{TYPED}": 180}
PHONE = {"width": 390, "height": 844}


@pytest.mark.slow
@pytest.mark.parametrize(("link", "most"), BUDGET.items())
def test_a_page_keeps_its_budget_of_words(page, server, link, most):
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.goto(f"{server}/{link}")
    expect(page.get_by_text("How is this measured?").first).to_be_visible(timeout=60_000)
    settled(page)
    count, said = visible_words(page)
    assert 60 < count <= most, said


@pytest.mark.sampled(2)
@pytest.mark.parametrize("link", ["", f"?{TYPED}"])
def test_a_phone_shows_the_sentence_and_the_finding_first(page, server, link):
    page.set_viewport_size(PHONE)
    page.goto(f"{server}/{link}")
    finding = page.locator(".finding").first
    expect(finding).to_contain_text("of its attention", timeout=60_000)
    settled(page)
    box = finding.bounding_box()
    assert box["y"] + box["height"] <= PHONE["height"]
    assert page.locator(".hero").first.bounding_box()["y"] > 0


@pytest.mark.slow
def test_a_suggestion_is_drawn_dismissed_and_undone(page, server):
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.goto(f"{server}/?{TYPED}")
    line = page.locator(".st-key-heads_suggested p.line")
    expect(line).to_contain_text("Does he refer to", timeout=60_000)
    settled(page)
    assert "readings_pivot=6+he" in page.url
    assert "readings_by=suggested" in page.url
    letters = "nodes => nodes.map(node => node.dataset.letter)"
    assert page.locator(".hero .piece[data-letter]").evaluate_all(letters) == ["A", "B"]
    assert [one.strip() for one in page.locator(".hero .chip .disc").all_inner_texts()] == ["A", "B"]
    page.get_by_role("button", name="Not ambiguous").click()
    expect(line).to_contain_text("Marked as not ambiguous.")
    settled(page)
    assert "readings_by=not+ambiguous" in page.url
    assert page.locator(".hero .piece[data-letter]").count() == 0
    page.get_by_role("button", name="Undo").click()
    expect(line).to_contain_text("Does he refer to")
