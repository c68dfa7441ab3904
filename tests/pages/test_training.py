"""Watch heads learn without a browser: opens with a result, follows the link."""

import pytest

from mha.training.settings import EXPERIMENTS
from tests.pages.conftest import Page

PAGE = "training.py"


class Training(Page):
    """A visitor of this page."""

    def run(self):
        self.test.switch_page(PAGE)
        return super().run()

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
    assert "These runs were made in advance" in said
    assert "That one head can never do it." in said
    assert "50\u00a0%" in said


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_experiment_has_its_recorded_runs(open_page, experiment):
    page = open_page(training_experiment=experiment, training_at="0")
    assert page.finding().count("after 0 steps") == 2
    assert [run["moment"] for run in page.hero()[0]["runs"]] == [0, 0]
    assert ("equal gradients" in page.said()) == (experiment == "identical start")


def test_choosing_an_experiment_writes_its_word(open_page):
    page = open_page()
    page.test.button_group(key="training_experiment").set_value("kept apart").run()
    assert page.test.session_state["training_experiment"] == "kept apart"
    assert "pushed to look at different words" in page.finding()


def test_settings_of_an_old_link_get_one_sentence(open_page):
    page = open_page(training_heads_left="4", training_seed="7")
    assert "Settings of live trainings left Watch heads learn in 0.3; four recorded experiments play." in page.said()
    assert page.finding().startswith("One head mixes the two nouns")


def test_a_class_guesses_before_it_sees_the_runs(open_page):
    page = open_page(reveal="0")
    assert not page.components("training")
    assert "One head mixes" not in page.said()
