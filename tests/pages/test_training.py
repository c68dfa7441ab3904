"""Watch heads learn without a browser: opens with a result, follows the link."""

import subprocess
import sys
from pathlib import Path

import pytest

from mha.training.settings import EXPERIMENTS
from tests.pages.conftest import opened_at, pictures

PAGE = "training.py"


def findings(test):
    """Return the findings at the moments of the picture."""
    (data,) = pictures(test, "runs")
    return [run["findings"][run["moment"]] for run in data["runs"]]


def captions(test):
    return "\n".join(element.value for element in (*test.caption, *test.markdown))


def test_the_page_opens_with_a_recorded_result_and_every_section():
    test = opened_at(PAGE)
    first, second = findings(test)
    assert first.startswith("One head, mixing the two nouns")
    assert second.startswith("Two heads, one noun each")
    assert [header.value for header in test.header] == [
        "One head", "Two heads", "Do heads become different?",
    ]  # fmt: skip
    assert "Trained here, in advance" in captions(test)
    assert "that one head can never do it" in captions(test)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_experiment_has_its_recorded_runs(experiment):
    test = opened_at(PAGE, training_experiment=experiment, training_at="0")
    assert all(finding.endswith("after 0 steps.") for finding in findings(test))
    assert ("equal gradients" in captions(test)) == (experiment == "identical start")


def test_another_experiment_restores_all_heads():
    test = opened_at(PAGE, ablated_head="1")
    assert "Two heads, without head 1: A" in captions(test)
    test.pills(key="experiment").set_value("kept apart").run()
    assert not test.exception
    assert "pushed to look at different words" in findings(test)[1]
    assert "without head 1: A" not in captions(test)
    assert test.session_state["ablated_head"] == ""


def test_a_head_that_a_run_lacks_costs_one_sentence():
    test = opened_at(PAGE, ablated_head="3")
    assert any("there is no head “3” here" in warning.value for warning in test.warning)
    assert findings(test)[1].startswith("Two heads")


def test_settings_of_an_old_link_get_one_sentence():
    test = opened_at(PAGE, training_heads_left="4", training_seed="7")
    (warning,) = test.warning
    assert "does not read" in warning.value


def test_a_class_guesses_before_it_sees_the_runs():
    test = opened_at(PAGE, reveal="0")
    assert not pictures(test, "runs")
    assert "One head, mixing" not in captions(test)
    assert test.title[0].value.startswith("Will one head name both nouns")


@pytest.mark.slow
def test_the_opening_needs_no_torch():
    code = (
        "import sys\nfrom streamlit.testing.v1 import AppTest\n"
        "test = AppTest.from_file('pages/frame.py', default_timeout=60)\ntest.switch_page('training.py')\n"
        "test.run()\nassert not test.exception\nprint('torch' in sys.modules, len(test.header))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.splitlines()[-1] == "False 3"
