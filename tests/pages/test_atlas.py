"""Whole model under AppTest: the chart, the page of a head, other models, and links of 0.2."""

import re

import pytest

from tests.pages.conftest import opened_at
from tests.pages.test_compare import markdown, notices, press
from tests.pages.test_next import data_of


def test_it_opens_with_the_chart_and_the_grid():
    test = opened_at("atlas.py")
    assert "the 72 heads of MiniLM look in 3.9 ways" in markdown(test)
    assert data_of(test, "heads_grid")["texts"][0]
    assert not test.dataframe
    assert "text" not in [area.key for area in test.text_area], "the sample sentences are measured, not a typed one"
    assert not test.query_params


@pytest.mark.parametrize(("model", "head"), [("minilm", "L2H8"), ("smollm2", "L23H4"), ("smollm2", "L29H8")])
def test_a_link_opens_the_page_of_a_head(model, head):
    test = opened_at("atlas.py", model=model, head=head)
    assert f"`{head}`" in markdown(test)
    assert "of its attention to" in test.title[0].value
    assert any(text.value.count("\n|") == 6 for text in test.markdown)
    (connections,) = [element.proto.body for element in test.get("html")]
    assert 0 < connections.count("<li>") <= 10
    assert connections.count(f"pins={head}") == connections.count("<li>")
    assert any("Ablated, it" in text.value for text in test.markdown)
    assert not test.warning


def test_neighbours_and_the_way_back():
    test = opened_at("atlas.py", head="L2H8")
    press(test, "L2H9")
    assert dict(test.query_params.items())["head"] == "L2H9"
    press(test, "All heads")
    assert "head" not in test.query_params
    assert "ways" in test.title[0].value
    assert "L0H1" in [button.label for button in opened_at("atlas.py", head="L0H0").button]


def test_measures_of_a_link_are_shown():
    test = opened_at("atlas.py", x="entropy", y="induction", measure="mean_distance")
    assert [box.value for box in test.selectbox][1:] == ["entropy", "induction", "mean_distance"]
    assert data_of(test, "heads_grid")["label"] == "Distance of every head"


@pytest.mark.parametrize(("name", "value"), [("head", "L9H9"), ("x", "next_word"), ("measure", "<b>")])
def test_what_a_model_lacks_costs_one_sentence(name, value):
    test = opened_at("atlas.py", model="smollm2", **{name: value if name != "head" else "L99H9"})
    assert len(test.warning) == 1
    assert name in test.warning[0].value
    assert "ways" in test.title[0].value


def test_a_parameter_of_0_2_opens_the_head():
    assert "`L2H8`" in markdown(opened_at("atlas.py", atlas_head="L2H8"))


@pytest.mark.parametrize("name", ["over", "colour", "order", "least", "most", "layer", "like"])
def test_a_removed_parameter_costs_one_sentence(name):
    (warning,) = opened_at("atlas.py", **{f"atlas_{name}": "x"}).warning
    assert "0.3" in warning.value


def test_a_problem_of_two_parameters_is_one_sentence():
    (warning,) = opened_at("atlas.py", model="smollm2", x="next_word", measure="next_word").warning
    assert "there is no measure “next\\_word” here" in warning.value


@pytest.mark.parametrize("text", ["Money Bank", "Money", "..."])
def test_another_model_is_measured_on_this_sentence(text):
    test = opened_at("atlas.py", model="toy", text=text)
    assert test.text_area[0].value == text
    assert "one sentence" in markdown(test) or notices(test) or "2 to 128 words; this one has 1" in test.title[0].value
    assert not test.exception


@pytest.mark.parametrize("link", [{}, {"x": "sink_share"}, {"head": "L0H0"}])
def test_a_text_without_attention_sinks_has_no_measure_of_them(link):
    """Their share would be 0 % by construction."""
    test = opened_at("atlas.py", model="toy", text="Money Bank", **link)
    words = (*test.markdown, *test.caption, *(box for box in test.selectbox if "x" not in link))
    assert not any("Attention sinks" in str(word) for word in words)
    assert len(test.warning) == ("x" in link)
    if not link:
        assert [box.value for box in test.selectbox][1:3] == ["entropy", "previous_word"]
        assert "Attention sinks" not in test.get("plotly_chart")[0].proto.alt


def test_a_final_mark_is_an_attention_sink_of_any_model():
    test = opened_at("atlas.py", model="toy", text="Money Bank.", x="sink_share")
    assert test.selectbox(key="x").value == "sink_share"
    assert not test.warning


def test_a_head_of_another_model_has_a_page_without_effect(tiny_offered):
    test = opened_at("atlas.py", model=tiny_offered[0], text="I saw the dog near the small house", head="L0H0")
    assert "In this sentence it gives" in test.title[0].value
    assert "Does it matter?" not in [header.value for header in test.header]
    assert any("Most similar heads" in text.value for text in test.markdown)


def test_a_text_of_one_word_has_no_page_of_a_head():
    """Its head can look at no other word: 100 % to itself and a cosine of 1 are no findings."""
    test = opened_at("atlas.py", model="toy", text="Money", head="L0H1")
    assert test.title[0].value == "This page measures texts of 2 to 128 words; this one has 1."
    assert not test.markdown[1:]


def test_the_page_of_a_head_in_one_sentence_describes_only_its_numbers():
    test = opened_at("atlas.py", model="toy", text="A dog ate the food", head="L0H0")
    texts = " ".join(text.value for text in (*test.markdown, *test.caption))
    assert "picked from 1 sentence for" in texts
    assert not re.search("Contribution|similar size|Ablation", texts)


def test_a_class_guesses_first():
    test = opened_at("atlas.py", head="L2H8", reveal="0")
    assert "Make a guess" in test.title[0].value
    assert not any("%" in text.value for text in (*test.markdown, *test.caption))
    press(test, "Show results")
    assert "of its attention to" in test.title[0].value


def test_the_head_of_next_word_is_not_this_head():
    test = opened_at("next.py", head="L0H4")
    test.query_params.clear()  # as the navigation does
    test.switch_page("atlas.py").run()
    assert test.session_state["profile"] is None
