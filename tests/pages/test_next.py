"""Next word under AppTest: bundled examples without a model, links, refusals, ablation and one word's effect."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from mha.engine import followers, jobs, word_sweeps
from mha.views.component_data import unpacked
from mha.views.next_word import SAME_WORD
from tests.pages.conftest import _all, opened_at

FRANCE = "The capital of France is"
ALL_ON = "This attention is measured with all heads on."


def data_of(test, name):
    (data,) = all_data_of(test, name)
    return data


def all_data_of(test, name):
    return [
        json.loads(unpacked(each.proto.bytes))
        for each in _all(test.main)
        if getattr(each, "type", "") == "bidi_component" and each.proto.component_name == f"parallax_{name}"
    ]


def markdown(test):
    return "\n".join(element.value for element in [*test.title, *test.markdown, *test.caption])


def test_the_default_text_opens_with_its_finding():
    test = opened_at("next.py")
    assert "Without `L23H4`, *Paris* falls from 77 to 13\xa0%, the largest change of 270 heads" in markdown(test)
    assert data_of(test, "sentence_next")["candidates"][0]["word"] == "Paris"
    assert data_of(test, "sentence_next")["attention"]["head"] == "L23H4"
    assert data_of(test, "rank_line")["ranks"][22:25] == [2079, 396, 92]
    assert "*Paris* ranks 2,079th after layer 22 and 92nd after layer 24." in markdown(test)
    grid = data_of(test, "heads_grid")
    assert (grid["layers"], grid["heads"], grid["group"]) == (30, 9, 3)
    assert grid["texts"][23 * 9 + 4] == "−64"
    assert any("Click a head to ablate it (mean ablation)." in caption.value for caption in test.caption)


def test_a_link_restores_ablated_heads_word_and_head():
    test = opened_at("next.py", ablate="L23H4", word="the", head="L0H4")
    assert "Without `L23H4`, *the* " in markdown(test)
    assert data_of(test, "heads_grid")["ablated"] == ["L23H4"]
    assert data_of(test, "heads_grid")["shown"] == "L0H4"
    assert data_of(test, "sentence_next")["attention"]["head"] == "L0H4"
    assert [c["on"] for c in data_of(test, "sentence_next")["candidates"]].index(True) == 1


@pytest.mark.parametrize(("page", "word"), [("next.py", ""), ("next.py", "London"), ("matters.py", "London")])
def test_a_word_minus_itself_has_a_sentence(page, word):
    test = opened_at(page, text=FRANCE, word=word, versus=word or "Paris")
    assert SAME_WORD in [text.value for text in test.text]
    assert SAME_WORD not in [text.value for text in opened_at(page, text=FRANCE, word=word, versus="Berlin").text]


def test_another_word_keeps_the_arc():
    test = opened_at("next.py", word="London")
    assert "Without `L23H4`, *London* rises from 1 to 11\xa0%" in markdown(test)
    assert data_of(test, "sentence_next")["attention"]["head"] == "L23H4"


def test_an_early_head_has_a_tint_instead_of_arcs():
    test = opened_at("next.py", text="When Mary and John went to the store, John gave a drink to")
    assert "`L0H8` acts at earlier tokens" in markdown(test)
    assert data_of(test, "sentence_next")["effects"]["texts"][0] == "−76"
    assert data_of(test, "next_words")["candidates"][0]["word"] == "Mary"  # beside the finding: the text is long


def test_another_text_shows_the_head_that_is_picked_for_it():
    test = opened_at("next.py", head="L0H4")
    assert data_of(test, "sentence_next")["attention"]["head"] == "L0H4"
    test.text_area(key="text").set_value("The capital of Japan is").run()
    assert data_of(test, "sentence_next")["attention"]["head"] == "L23H4"


def test_the_foot_offers_a_guess_and_the_shown_head_its_page():
    test = opened_at("next.py")
    (page,) = [link for link in test.get("page_link") if link.proto.label == "The page of L23H4"]
    assert page.proto.query_string == "model=smollm2&head=L23H4"
    next(button for button in test.button if button.label == "Guess first").click().run()
    assert test.title[0].value.startswith("Which word does SmolLM2 expect?")


def test_the_name_of_0_2_is_read_as_ablate():
    assert data_of(opened_at("next.py", heads_silenced="L23H4"), "heads_grid")["ablated"] == ["L23H4"]


@pytest.mark.parametrize("link", [{"ablate": "L40H1"}, {"head": "L0H9"}, {"off": "L1H1"}, {"reveal": "2"}])
def test_a_wrong_parameter_costs_one_sentence(link):
    test = opened_at("next.py", **link)
    assert len(test.warning) == 1
    assert "*Paris*" in markdown(test)


def test_a_repeated_head_is_one_head():
    test = opened_at("next.py", ablate=["L0H0", "L0H0"])
    assert test.session_state["ablate"] == ["L0H0"]
    assert not test.warning
    assert "Without `L0H0`" in markdown(test)


def test_a_model_without_next_words_offers_another():
    test = opened_at("next.py", model="minilm")
    assert "MiniLM predicts no words" in markdown(test)
    next(button for button in test.button if button.label == "Use SmolLM2").click().run()
    assert "*Paris*" in markdown(test)


@pytest.mark.parametrize("page", ["next.py", "write.py", "matters.py"])
@pytest.mark.parametrize("text", ["!!!", "?", " "])
def test_a_text_without_words_has_a_heading(page, text):
    test = opened_at(page, text=text)
    assert [title.value.replace("\\", "") for title in test.title] == [
        "This text has no words. Type one, or choose an example."
        if text.strip()
        else "Type a text to see its next word."
    ]
    assert not test.text


def test_without_smollm2_the_page_gives_the_reason(monkeypatch):
    from mha.models.files.catalog import offered

    monkeypatch.setenv("PARALLAX_MODELS", "-smollm2")
    offered.cache_clear()
    test = opened_at("next.py")
    monkeypatch.undo()
    offered.cache_clear()
    assert [warning.value for warning in test.warning] == [
        "SmolLM2 is not offered here: PARALLAX_MODELS contains -smollm2."
    ]
    assert "MiniLM predicts no words" in markdown(test)
    assert "Use SmolLM2" not in [button.label for button in test.button]


def test_guess_first_hides_words_and_findings():
    test = opened_at("next.py", reveal="0")
    assert "Paris" not in markdown(test)
    assert data_of(test, "sentence_next")["candidates"] == []
    labels = [button.label for button in test.button]
    assert {"Le", "London", "Paris", "the", "Show results"} <= set(labels)
    next(button for button in test.button if button.label == "London").click().run()
    assert "Your guess: *London*, 1\xa0%." in markdown(test)
    assert "*Paris*" in markdown(test)


def test_a_difference_of_two_words_is_in_nats_without_control():
    test = opened_at("next.py", word="Paris", versus="London")
    assert "Without `L23H4`, the lead of *Paris* over *London* falls from" in markdown(test)
    assert "difference of two words has none" in markdown(test)
    assert any("in nats" in caption.value for caption in test.caption)


def test_a_restored_head_leaves_the_link():
    test = opened_at("next.py", ablate="L23H4")
    next(button for button in test.button if button.label == "L23H4 ×").click().run()
    assert "ablate" not in test.query_params
    assert "the largest change of 270 heads" in markdown(test)


def sentence(test):
    return data_of(test, "sentence_next")


def test_a_model_without_control_shows_numbers_alone(tiny_offered, no_pause):
    test = opened_at("next.py", model="tiny-causal", text="the dog and the cat", ablate="L0H1")
    assert "Without `L0H1`" in markdown(test)
    assert "No control was measured" in markdown(test)
    test = measured(opened_at("next.py", model="tiny-causal", text="the dog and the cat"))
    assert "control texts" not in test.title[0].value
    assert "unmeasured" not in data_of(test, "heads_grid")["states"]


@pytest.fixture
def no_pause(monkeypatch):
    """Let idle steps follow at once; here each look at the job is a full run, after which they would wait."""
    monkeypatch.setattr(followers.FOLLOWERS, "idle_seconds", lambda _job: 0.0)


def measured(test):
    """Return the test after its job has ended."""
    for _ in range(100):
        if not {"Stop", "Measure the other heads"} & {button.label for button in test.button}:
            return test
        time.sleep(0.1)
        test.run()  # the job may have ended while the last run was drawn
    raise AssertionError("the job did not end")


def test_a_typed_text_is_measured_without_a_click(tiny_offered, no_pause):
    test = opened_at("next.py", model="tiny-causal", text="the cat and the dog")
    assert "predicts" in test.title[0].value or "heads" in test.title[0].value
    test = measured(test)
    grid = data_of(test, "heads_grid")
    assert "unmeasured" not in grid["states"]
    assert f"{grid['layers'] * grid['heads']} heads" in test.title[0].value
    assert len(data_of(test, "rank_line")["ranks"]) == grid["layers"]


def test_a_sweep_that_visitors_have_left_goes_on_by_itself(tiny_offered, monkeypatch):
    is_held = [True]
    monkeypatch.setattr(word_sweeps, "N_ANSWER", 1)
    monkeypatch.setattr(followers.FOLLOWERS, "idle_seconds", lambda _job: 60.0 if is_held[0] else 0.0)
    link = {"model": "tiny-causal", "text": "the dog saw the cat and the dog"}
    opened_at("next.py", **link)
    runs = (run for run in jobs.RUNS._runs.values() if isinstance(run, word_sweeps.WordSweepJob))
    (run,) = [run for run in runs if run.request.text == link["text"]]
    run.stop(was_left=True)
    is_held[0] = False
    assert not run.running
    assert "unmeasured" not in data_of(measured(opened_at("next.py", **link)), "heads_grid")["states"]


def test_a_stopped_sweep_goes_on_when_asked(tiny_offered, monkeypatch):
    stopped = threading.Event()
    monkeypatch.setattr(word_sweeps, "N_ANSWER", 1)
    monkeypatch.setattr(followers.FOLLOWERS, "idle_seconds", lambda job: 0.0 if stopped.is_set() else 60.0)
    test = opened_at("next.py", model="tiny-causal", text="the cat saw the dog")
    next(button for button in test.button if button.label == "Stop").click().run()
    for _ in range(50):  # the step under way ends first
        if "Measure the other heads" in [button.label for button in test.run().button]:
            break
        time.sleep(0.1)
    stopped.set()
    next(button for button in test.button if button.label == "Measure the other heads").click().run()
    assert "unmeasured" not in data_of(measured(test), "heads_grid")["states"]


def test_a_masked_model_predicts_at_its_mask(tiny_offered):
    test = opened_at("next.py", model="tiny-masked", text="the [MASK] and the cat", head="L0H1")
    shown = sentence(test)
    assert shown["tokens"][shown["mask"]]["text"] == "[MASK]"
    assert shown["gap"] == "none"
    assert shown["attention"]["query"] == shown["mask"]
    assert "for the gap" in shown["title"]
    assert ALL_ON not in markdown(test)
    ablated = opened_at("next.py", model="tiny-masked", text="the [MASK] and the cat", head="L1H1", ablate="L0H1")
    whole = opened_at("next.py", model="tiny-masked", text="the [MASK] and the cat", head="L1H1")
    assert sentence(ablated)["attention"]["shares"] == sentence(whole)["attention"]["shares"]
    assert ALL_ON in markdown(ablated)
    refused = opened_at("next.py", model="tiny-masked", text="the dog")
    assert r"Type \[MASK\]" in markdown(refused)


def test_an_encoder_decoder_predicts_after_its_output(tiny_offered, no_pause):
    link = {"model": "tiny-encoder-decoder", "text": "the dog and the cat", "head": "L0H1"}
    assert "nothing yet" in markdown(opened_at("next.py", **link))
    test = opened_at("next.py", target="the", ablate="L0H0", **link)
    assert "Output so far: *the*" in markdown(test)
    assert ALL_ON in markdown(test)
    assert "Without `L0H0`" in markdown(test)
    assert sentence(test)["attention"]["query"] is None
    assert len(sentence(test)["attention"]["shares"]) == len(sentence(test)["tokens"])
    reason = "No rank after each layer: tiny-encoder-decoder predicts in its decoder"
    assert reason in markdown(measured(test)).replace("\\", "")


def test_a_typed_word_of_several_tokens_costs_one_sentence():
    test = opened_at("next.py", word="Timbuktu")
    assert "“Timbuktu” is 4 tokens to SmolLM2" in "\n".join(text.value for text in test.text)
    assert "the largest change of 270 heads" in markdown(test)


def test_the_example_is_drawn_without_torch():
    code = (
        "import sys\nfrom streamlit.testing.v1 import AppTest\n"
        "test = AppTest.from_file('pages/frame.py', default_timeout=60)\ntest.switch_page('next.py')\n"
        "test.query_params['ablate'] = 'L23H4'\ntest.run()\nassert not test.exception\n"
        "assert 'L23H4' in ''.join(element.value for element in test.title)\n"
        "print(sorted({'torch', 'transformers'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.splitlines()[-1] == "[]"
