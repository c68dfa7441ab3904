"""Watch heads learn without a browser: opens with a result, follows the link, trains live, stops, carries on."""

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from mha.engine import trainings as engine
from mha.screens.measuring import SHARED
from mha.training.settings import Settings
from tests.pages.conftest import Page

PAGE = "training.py"


class Training(Page):
    """A visitor of this page; `follow` runs it until nothing is being trained, as the browser does."""

    def run(self):
        self.test.switch_page(PAGE)
        return super().run()

    def follow(self, seconds=30):
        end = time.monotonic() + seconds
        while any(button.key == "training_stop" for button in self.test.button):
            assert time.monotonic() < end, "the training did not end"
            time.sleep(0.2)
            self.test.run()
        assert not self.test.exception
        return self

    def begun(self):
        """Run until there is something to see of both runs."""
        for _ in range(100):
            if self.components("training") and len(self.hero()[0]["runs"]) == 2:
                return self
            time.sleep(0.1)
            self.test.run()
        raise AssertionError("nothing was trained")

    def press(self, key):
        next(button for button in self.test.button if button.key == key).click().run()
        return self

    def hero(self):
        return next(data for data in self.components("training") if data[0]["part"] == "hero")

    def finding(self):
        """Return what the component says at the moment of the page, as it fills it in."""
        header, said = self.hero()[0], []
        for told, run in zip(header["told"], header["runs"], strict=True):
            place, joint, steps = told["at"][run["moment"]]
            sentence = "".join(text for _, text in told["sentences"][place])
            said.append(sentence.replace("{joint}", joint).replace("{steps}", steps))
        return "\n".join(said)


@pytest.fixture
def open_page():
    return Training


def test_it_opens_with_a_bundled_result_and_every_section(open_page):
    page = open_page()
    assert page.finding().startswith("One head mixes the two nouns")
    assert "Two heads take one noun each" in page.finding()
    assert [heading.value for heading in page.test.header] == [
        "One head",
        "Two heads",
        "Where “telescope” looks during training",
        "Every head, word by word",
        "Switch one head off (ablation)",
        "Do heads become different?",
        "What this shows",
    ]
    said = page.said()
    assert "These runs were made in advance with the same code." in said
    assert "That one head can never do it." in said
    assert "50\u00a0%" in said


def test_a_link_opens_cold_on_its_experiment_seed_and_moment(open_page):
    page = open_page(training_heads_left="4", training_start_left="identical", training_heads_right="4",
                     training_start_right="identical+noise", training_at="0")  # fmt: skip
    assert page.test.session_state["training_experiment_shown"] == "identical start"
    assert "after 0 steps" in page.finding()
    assert [run["moment"] for run in page.hero()[0]["runs"]] == [0, 0]
    assert "equal gradients" in page.said()


def test_choosing_an_experiment_writes_every_word(open_page):
    page = open_page(training_seed="3")
    page.test.button_group(key="training_experiment_shown").set_value("two layers").run()
    state = page.test.session_state
    assert (state["training_heads_right"], state["training_layers_right"], state["training_seed"]) == ("1", "2", 0)
    assert "two layers of one head" in page.finding().lower()


@pytest.mark.slow  # tests/engine/test_trainings.py holds the curves of a run
def test_another_setting_is_trained_now_and_the_same_link_gives_the_same_curves(open_page):
    link = {"training_seed": "11", "training_steps": "300"}
    page = open_page(**link).follow()
    assert "These runs were trained live in this process." in page.said()
    assert engine.progress(Settings(n_heads=2, seed=11, n_steps=300)).phase == "finished"
    first = page.hero()
    assert open_page(**link).hero()[0] == first[0], "another visitor, the same run"
    again = page.press("training_live_button").follow().hero()
    assert again[0] == first[0]
    for side in ("left", "right"):
        assert (again[1][side] == first[1][side]).all()


def test_stopping_says_where_and_carrying_on_goes_to_the_end(open_page):
    page = open_page(training_seed="12", training_steps="3600").begun()
    page.press("training_stop")
    assert "stopped at step" in page.said()
    assert "Switch one head off (ablation)" in [heading.value for heading in page.test.header]
    page.press("training_carry_on")
    assert any(button.key == "training_stop" for button in page.test.button)
    page.press("training_stop")


def test_what_others_wait_for_too_is_not_stopped_and_says_so(open_page):
    page, settings = open_page(training_seed="15", training_steps="3600"), Settings(seed=15, n_steps=3600)
    for n_heads in (1, 2):
        engine.follow(replace(settings, n_heads=n_heads), "bert")
    page.test.run()
    assert SHARED in page.said()
    assert not any(button.key == "training_stop" for button in page.test.button)
    for n_heads in (1, 2):
        engine.stop(replace(settings, n_heads=n_heads), "bert")
    page.test.run()
    assert SHARED not in page.said()
    page.press("training_stop")
    assert "stopped at step" in page.said()


def test_stopping_before_anything_was_learned_is_no_fault(open_page):
    page = open_page(training_seed="13", training_steps="3600")
    page.press("training_stop")
    assert "stopped at step" in page.said()
    assert page.test.slider(key="training_at").value == 100


def test_training_live_begins_again_from_the_first_step(open_page):
    page = open_page(training_seed="1")
    page.press("training_live_button")
    assert engine.progress(Settings(n_heads=1, seed=1), live=True).phase == "training"
    page.press("training_stop")
    assert "stopped" in page.said()


def test_what_does_not_fit_is_said_and_something_else_shown(open_page):
    page = open_page(training_heads_left="3 of 11", training_reads_left="slices", training_steps="300")
    assert "3 slices of 11 do not fit into 32 numbers. Showing heads that read everything on the left." in page.said()
    page.press("training_stop")
    wrong = open_page(training_heads_left="9")
    assert (
        "Problem in this link: training_heads_left (allowed: 1, 2, 3 in a width of 11 or 4; got “9”). Showing 1."
        in wrong.said()
    )
    assert wrong.finding().startswith("One head")


@pytest.mark.slow
def test_the_opening_needs_no_torch():
    code = (
        "import sys\nfrom streamlit.testing.v1 import AppTest\n"
        "test = AppTest.from_file('pages/frame.py', default_timeout=60)\ntest.switch_page('training.py')\n"
        "test.session_state['screen'] = 'wide'\ntest.run()\n"
        "assert not test.exception\nprint('torch' in sys.modules, len(test.header))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.splitlines()[-1] == "False 7"
