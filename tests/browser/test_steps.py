"""Step by step in a real browser: every step by keyboard, the numbers on the screen against `core.trace`."""

from urllib.parse import quote_plus

import numpy as np
import pytest
from playwright.sync_api import expect

import mha
from mha.core import PRESETS, trace
from mha.link.steps import STEPS
from mha.models.watch.attending import record_text
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser
BANK = PRESETS["money_bank"]
# What each step's own arrays must show: a table's name and what `core.trace` calls it.
SHOWN = {
    "1 Words": {"step_input": "input", "step_output": "output"},
    "2 Numbers": {"step_embeddings": "embeddings", "step_input": "input"},
    "3 Q, K, V": {"step_query": "query", "step_key": "key", "step_value": "value"},
    "4 Scores": {"step_scores": "scores"},
    "5 Scale": {"step_scaled": "scaled"},
    "6 Mask": {"step_masked": "masked"},
    "7 Weights": {"step_weights": "weights"},
    "8 Values": {"step_heads": "heads"},
    "9 Side by side": {"step_concatenation": "concatenation"},
    "10 Mix with W_O": {"step_output": "output"},
}


def open_steps(page, url, query=""):
    page.goto(f"{url}/steps{query}")
    page.locator(".steps-flow[data-ready]").first.wait_for(timeout=60_000)
    settled(page)


def read(text):
    """Return a cell's number; an empty one is masked."""
    text = text.replace("−", "-").replace("\u00a0%", "")
    return float(text) if text else -np.inf


def table(page, name):
    """Return the numbers of a table as the page shows them, [row, column]."""
    page.locator(f'[data-name="{name}"]').wait_for()
    rows = page.locator(f'[data-name="{name}"] tbody tr').all()
    return np.array([[read(cell) for cell in row.locator("td.number").all_inner_texts()] for row in rows])


def agrees(page, name, expected, share=False):
    shown = table(page, name)
    assert shown.shape == expected.shape, name
    assert np.array_equal(np.isfinite(shown), np.isfinite(expected)), name
    there = np.isfinite(expected)
    slack = 0.51 if share else 0.0051
    np.testing.assert_allclose(shown[there], expected[there] * (100 if share else 1), atol=slack, err_msg=name)


def press(page, key):
    page.keyboard.press(key)
    settled(page)


def test_back_and_next_are_buttons_a_cold_link_opens_its_step_and_typing_turns_no_page(page, server):
    open_steps(page, server, "?steps_step=6+Mask&steps_mask=causal")
    expect(page.get_by_text("Step 6 of 10")).to_be_visible()
    steps = trace(BANK.heads(), BANK.embeddings(), mask=np.tril(np.ones((2, 2), bool)))
    agrees(page, "step_masked", steps["masked"][1])
    page.get_by_role("button", name="Next Shortcut").focus()
    press(page, "Enter")
    expect(page.get_by_text("Step 7 of 10")).to_be_visible()
    agrees(page, "step_weights", steps["weights"][1], share=True)
    page.get_by_label("Your sentence").focus()
    press(page, "ArrowRight")
    expect(page.get_by_text("Step 7 of 10")).to_be_visible()


@pytest.mark.slow
def test_arrow_keys_on_a_focused_step_go_to_the_next_one_and_stop_at_the_last(page, server):
    open_steps(page, server, "?steps_step=8+Values")
    page.get_by_role("radio", name="8 Values").focus()
    for number in (9, 10, 10):
        press(page, "ArrowRight")
        expect(page.get_by_text(f"Step {number} of 10")).to_be_visible()
    expect(page.get_by_role("radio", name="10 Mix with W_O")).to_be_focused()
    press(page, "ArrowLeft")
    expect(page.get_by_text("Step 9 of 10")).to_be_visible()


@pytest.mark.slow
def test_a_clicked_weight_is_followed(page, server):
    open_steps(page, server, "?steps_step=7+Weights")
    page.locator('[data-name="weights_0"] td.number').nth(3).click()
    settled(page)
    assert "steps_head=0&steps_query=1&steps_key=1" in page.url
    steps = trace(BANK.heads(), BANK.embeddings())
    share = page.locator('[data-name="by_hand"] dd.value').last.inner_text()
    assert read(share) == pytest.approx(100 * steps["weights"][0, 1, 1], abs=0.51)


@pytest.mark.slow
def test_a_pinned_head_leads_to_its_steps_and_they_agree_with_the_recording(page, server):
    page.goto(f"{server}/?pins=L4H2&text=The+cat+sat+on+the+mat")
    page.locator(".pinned-heads[data-ready]").wait_for(timeout=60_000)
    settled(page)
    page.get_by_role("button", name="Explain number: L4H2").click()
    page.locator(".steps-flow[data-ready]").first.wait_for(timeout=60_000)
    settled(page)
    assert "/steps" in page.url
    assert "steps_numbers=model" in page.url
    assert "text=The+cat+sat+on+the+mat" in page.url
    said = page.locator(".steps-flow .say.finding").first.inner_text()
    assert "L4H2" in said
    recording = record_text("The cat sat on the mat", keep=("query", "key", "value"))
    query = int(page.url.split("steps_query=")[1].split("&")[0])
    key = int(page.url.split("steps_key=")[1].split("&")[0])
    weight = recording.maps[4, 2][query, key]
    lines = page.locator('[data-name="by_hand"] dd.value').all_inner_texts()
    assert read(lines[-1]) == read(lines[-2]) == pytest.approx(100 * weight, abs=0.51)
    q, k = recording.query[4, 2, query], recording.key[4, 2, key]
    assert read(lines[0]) == pytest.approx(float(q @ k), abs=0.006)
    shown = np.concatenate([table(page, "vectors_0"), table(page, "vectors_16")], axis=1)
    np.testing.assert_allclose(shown, np.array([q, k, q * k]), atol=0.0051)
    np.testing.assert_allclose(table(page, "weights")[0], 100 * recording.maps[4, 2][query], atol=0.51)
    assert mha.attend("The cat sat on the mat").origin in page.content()


@pytest.mark.slow
@pytest.mark.parametrize(
    "step", [STEPS[6], *(pytest.param(step, marks=pytest.mark.slow) for step in (*STEPS[:6], *STEPS[7:]))]
)
def test_what_a_step_makes_is_on_the_first_screen_of_a_first_visit(page, server, step):
    page.set_viewport_size({"width": 1280, "height": 800})
    open_steps(page, server, "" if step == STEPS[0] else f"?steps_words=my+sentence&steps_step={quote_plus(step)}")
    assert page.locator(".large-words").inner_text().split()[-1] == "telescope"
    for name in SHOWN[step]:
        if (name, step) != ("step_embeddings", STEPS[1]):  # of which X is made
            box = page.locator(f'[data-name="{name}"]').bounding_box()
            assert box["y"] > 0
            assert box["y"] + box["height"] <= 800, name
    arrays = page.locator(".st-key-steps_here .steps-flow").bounding_box()
    title = page.locator(".st-key-steps_here h2, .st-key-steps_here h3").first.bounding_box()
    assert arrays["x"] > title["x"] + title["width"]


@pytest.mark.slow
def test_the_line_under_a_word_touches_no_word_of_the_next_line(new_tab, server):
    new_tab.set_viewport_size({"width": 320, "height": 640})
    open_steps(new_tab, server, "?steps_words=my+sentence")
    below = """([...words]) => {
      const under = words[0].getBoundingClientRect().bottom;
      const next = words.map((word) => word.getBoundingClientRect()).find(({ bottom }) => bottom > under + 5);
      return (next.top + 0.2 * next.height - under) / next.height;  // letters begin a fifth below the top of their line
    }"""
    words = new_tab.locator(".large-words span")
    assert words.first.get_attribute("class") == "asking"
    assert words.evaluate_all(below) > 0.1
