"""Step by step without a browser: links, switches, bad input, what the component is sent."""

import numpy as np
import pytest

import mha
from mha.core import PRESETS, trace
from mha.link.steps import STEPS
from tests.pages.conftest import Page

TELESCOPE = "I saw the man with the telescope"


def arrays(node):
    """Return every array below a node of the wire, by name."""
    found = {node["name"]: node} if node["kind"] == "array" else {}
    for part in node.get("parts", ()):
        found |= arrays(part)
    return found


class Steps(Page):
    """One visitor of Step by step."""

    def __init__(self, **link):
        super().__init__(bare=not link, at="steps.py", **link)
        assert "Something went wrong" not in self.said()

    def arrays(self):
        """Return every array on the page, by name."""
        found = {}
        for data in self.of_kind("flow"):
            found |= arrays(data["root"])
        return found


def test_a_first_visit_walks_the_sentence_that_stands_there_with_the_toys_numbers():
    page = Steps()
    found = page.arrays()
    bank = PRESETS["money_bank"]
    steps = trace(bank.heads(), bank.embeddings(tuple(TELESCOPE.split())))
    np.testing.assert_allclose(found["output"]["values"], steps["output"], atol=1e-6)
    assert page.test.session_state["steps_step"] == STEPS[0]
    assert page.test.session_state["steps_words"] == "my sentence"
    assert "seed 131" in page.said()
    whose = page.of_kind("flow")[0]["root"]["parts"][2]["spans"]
    assert "".join(text for _, text in whose).startswith("Your words with the toy’s random numbers")


@pytest.mark.parametrize("link", [{"v": "1"}, {"steps_step": STEPS[3]}, {"steps_words": "?"}])
def test_a_link_that_names_no_words_walks_the_money_bank_as_it_always_did(link):
    page = Steps(**link)
    bank = PRESETS["money_bank"]
    np.testing.assert_allclose(
        page.arrays()["output"]["values"], trace(bank.heads(), bank.embeddings())["output"], atol=1e-6
    )
    assert page.test.session_state["steps_words"] == "its own words"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("step", STEPS)
def test_every_step_has_a_link(step):
    page = Steps(steps_step=step)
    assert page.test.session_state["steps_step"] == step
    assert page.test.latex
    assert any(one["now"] for name, one in page.arrays().items() if not name.startswith("step_"))


def test_next_and_back():
    page = Steps(steps_step="9 Side by side")
    page.test.button(key="steps_next").click().run()
    assert page.test.session_state["steps_step"] == STEPS[9]
    assert page.test.button(key="steps_next").disabled
    page.test.button(key="steps_back").click().run()
    assert page.test.session_state["steps_step"] == STEPS[8]


def test_the_way_on_stands_under_every_step_and_leads_from_the_toy_to_the_model():
    page = Steps(steps_step="9 Side by side", steps_head="1", steps_query="1")
    page.test.button(key="steps_on").click().run()
    assert page.test.session_state["steps_step"] == STEPS[9]
    page.test.button(key="steps_with_model").click().run()
    assert page.test.session_state["steps_step"] == STEPS[0]
    assert page.test.session_state["steps_query"] is None
    assert "Model: MiniLM" in page.said()


def test_switches_of_a_link_reach_the_arrays():
    page = Steps(steps_mask="causal", steps_scale="false", steps_positions="true", steps_temperature="2.0")
    assert page.arrays()["weights_1"]["values"][0] == [1.0, 0.0]
    assert page.arrays()["scaled_1"]["values"][0][1] is None
    assert "positions" in page.arrays()


def test_shuffled_words_give_shuffled_outputs_only_without_positions():
    found = Steps(steps_step="2 Numbers").arrays()
    assert found["of_shuffled_off"]["values"] == found["shuffled_of_off"]["values"]
    assert not np.allclose(found["of_shuffled_on"]["values"], found["shuffled_of_on"]["values"], atol=0.05)


def test_a_seed_comes_from_the_link_and_reset_takes_it_back():
    page = Steps(steps_seed="7")
    assert "seed 7" in page.said()
    next(button for button in page.test.button if button.label == "Reset").click().run()
    assert page.test.session_state["steps_seed"] is None


def test_removed_parameters_get_one_sentence():
    page = Steps(steps_edits="X.0.0=3.3", steps_editing="true", steps_heads="3")
    assert "Edited matrices and the walk left Step by step in 0.3; presets and seeds stay." in page.said()
    assert page.arrays()["input"]["values"] == Steps(v="1").arrays()["input"]["values"]


def test_a_followed_cell_is_chosen_by_its_words():
    page = Steps(steps_step="7 Weights")
    page.test.selectbox(key="steps_query_shown").select(1).run()
    assert page.test.session_state["steps_query"] == 1
    assert page.arrays()["weights_1"]["cell"] == [1, 1]


def test_the_models_numbers_are_those_of_its_recording():
    cell = {"steps_in_layer": "0", "steps_head": "1", "steps_query": "2", "steps_key": "7"}
    page = Steps(steps_numbers="model", steps_step="7 Weights", **cell)
    weights = mha.attend(TELESCOPE)[0, 1]
    np.testing.assert_allclose(page.arrays()["weights"]["values"][0], weights[2], atol=1e-5)
    assert "Model: MiniLM" in page.said()
    assert "pretrained" in page.said()
    assert "Its 9 here are 7 whole words and 2 special tokens. On Heads this number is 68" in page.said()


def test_another_sentence_forgets_the_cell():
    page = Steps(steps_numbers="model", steps_head="1", steps_query="7", steps_key="7")
    page.test.text_area(key="text").set_value("A cat").run()
    assert page.test.session_state["steps_query"] is None
    assert "the link asks for" not in page.said()


def test_my_sentence_is_only_ever_text():
    page = Steps(steps_words="my sentence", text="**bold** ![x](https://example.org/x.png) $x$")
    assert "bold" in page.of_kind("flow")[0]["root"]["parts"][0]["words"]
    for element in (*page.test.markdown, *page.test.caption, *page.test.header, *page.test.subheader):
        assert "example.org" not in element.value


def test_what_is_said_of_a_step_stands_right_under_the_row_of_steps_and_the_layer_below():
    page = Steps(steps_step=STEPS[3])
    drawn = [data["root"] for data in page.of_kind("flow")]
    now = [place for place, root in enumerate(drawn) if any(name.startswith("step_") for name in arrays(root))]
    layer = next(place for place, root in enumerate(drawn) if "output" in arrays(root))
    assert now
    assert max(now) < layer


def test_a_sentence_that_is_typed_here_is_walked_through():
    page = Steps(v="1")
    page.test.text_area(key="text").set_value("They are hunting dogs").run()
    assert page.test.session_state["steps_words"] == "my sentence"
    assert "4 words, 4 numbers each" in page.said()
    back = Steps(text="They are hunting dogs")
    assert back.test.session_state["steps_words"] == "its own words", "a link says what it says"


def test_a_sentence_typed_on_another_page_comes_along_and_the_page_says_whose_words_it_shows():
    def elsewhere_and_back(page, text):
        page.test.switch_page("questions.py")
        page.run()
        page.test.text_area(key="text").set_value(text).run()
        page.test.query_params.pop("steps_words", None)  # as a browser does: a page's own words stay with it
        page.test.switch_page("steps.py")
        page.run()
        return page.of_kind("flow")[0]["root"]["parts"][0]["words"]

    page = Steps(v="1")
    assert page.test.session_state["steps_words"] == "its own words", "a link says what it says"
    assert elsewhere_and_back(page, "They are hunting dogs") == ["They", "are", "hunting", "dogs"]
    assert elsewhere_and_back(page, "They are hunting dogs") == ["They", "are", "hunting", "dogs"]
    page.test.segmented_control(key="steps_words").set_value("its own words").run()
    assert elsewhere_and_back(page, "They are hunting dogs") == ["money", "bank"], "the reader has chosen"
    assert elsewhere_and_back(page, "Time flies") == ["Time", "flies"]
