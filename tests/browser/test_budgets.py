"""Every page keeps to its number of words that a visitor can read without a click."""

import pytest

from tests.browser.conftest import settled
from tests.browser.visible_words import visible_words

DOG = "readings?v=1&text=A+dog+ate+the+food+because+it+was+hungry."
BUDGETS = {  # by address: how many words at most
    "readings?tab=Where+they+look": 155,
    "readings?text=The+clerk+thanked+the+guest+because+he+waited": 155,
    f"{DOG}&tab=What+carries+it": 290,
    f"{DOG}&tab=Does+it+matter%3F": 160,
    "next": 200,
    "compare": 235,
    "steps": 260,
    "steps?steps_step=10+Mix+with+W_O": 260,
    "training": 220,
    "atlas": 180,
    "atlas?atlas_head=L1H8": 195,
    "questions": 90,
    "about": 600,
}
FEWEST = 40  # a page that says less has not been drawn


@pytest.mark.slow
@pytest.mark.parametrize("address", BUDGETS)
def test_a_page_keeps_to_its_words(page, server, address):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{server}/{address}")
    settled(page, quiet=800)
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').innerText.includes('Download')")
    settled(page, quiet=800)
    page.mouse.wheel(0, 9000)  # what waits for its turn stands once the reader does something
    settled(page, quiet=2500)
    count, _ = visible_words(page)
    assert FEWEST < count <= BUDGETS[address], f"{count} words"
