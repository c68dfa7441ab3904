"""The toy's walk without a page: choices, the trees, what is said."""

import dataclasses

import numpy as np
import pytest

from mha.core import PRESETS, attend, causal_mask, sinusoidal_positions, trace
from mha.glossary import glossary
from mha.link.steps import LAYERS, MINE, STEPS, WORDS, StepsWords
from mha.screens.arrays import Flow, array, arrays
from mha.screens.blocks import say
from mha.screens.steps.lesson import MOST_WORDS, lesson
from mha.screens.steps.toy import said, source, what_w_o_does
from mha.screens.steps.toy_arrays import finding, hero, last_matrix, overview

BANK = PRESETS["money_bank"]


def text(marked):
    return "".join(span[1] for span in marked).replace("\u00a0", " ")


def walks():
    """Every layer at every step."""
    return [StepsWords(step=step, layer=layer) for layer in LAYERS for step in STEPS]


# ---- the lesson


def test_the_first_lesson_is_the_money_bank_as_core_traces_it():
    made = lesson(StepsWords())
    expected = trace(BANK.heads(), BANK.embeddings())
    assert made.words == ("money", "bank")
    for step in expected:
        np.testing.assert_array_equal(made.steps[step.name], step.array)
    assert (made.head, made.query) == (1, 0)
    assert made.by_hand.weight == pytest.approx(expected["weights"][1, 0, made.key])
    assert made.notes == ()


def test_every_switch_reaches_the_trace():
    made = lesson(StepsWords(positions=True, scale=False, mask="causal", temperature=2.0, seed=7))
    preset = dataclasses.replace(BANK, seed=7)
    expected = trace(
        preset.heads(), preset.embeddings(), sinusoidal_positions(2, 4), causal_mask(2), scale=1.0, temperature=2.0
    )
    np.testing.assert_array_equal(made.steps["output"], expected["output"])
    assert made.steps["weights"][0, 0, 1] == 0
    assert made.by_hand.weight == pytest.approx(expected["weights"][made.head, made.query, made.key])


@pytest.mark.parametrize("layer", LAYERS)
def test_every_layer_can_be_walked_and_its_cell_is_its_weight(layer):
    made = lesson(StepsWords(layer=layer, head=0, query=1, key=0))
    assert made.by_hand.weight == pytest.approx(made.steps["weights"][0, 1, 0])
    output, _ = attend(made.heads, made.embeddings)
    np.testing.assert_allclose(made.steps["output"], output)


def test_my_sentence_is_walked_up_to_eight_words():
    made = lesson(StepsWords(words=WORDS[1], text="one two three four five six seven eight nine ten"))
    assert len(made.words) == MOST_WORDS
    assert "first 8 of your 10" in made.notes[0]
    assert lesson(StepsWords(words=WORDS[1], text="...")).words == ("money", "bank")


@pytest.mark.parametrize(("text", "rtl"), [("אני אוהב Python", True), ("Python אני אוהב", None)])
def test_the_words_run_as_the_text_does(text, rtl):
    (words, *_) = hero(lesson(StepsWords(words=WORDS[1], text=text))).root.parts
    assert words.rtl == rtl


def test_a_cell_that_is_not_there_is_chosen_anew():
    made = lesson(StepsWords(head=5, query=9, key=9))
    assert (made.head, made.query) == (1, 0)
    assert 0 <= made.key < 2


# ---- trees


def test_the_overview_holds_the_arrays_of_the_trace_and_frames_those_of_the_step():
    made = lesson(StepsWords(step="7 Weights"))
    found = arrays(overview(made).root)
    for head in (0, 1):
        np.testing.assert_allclose(found[f"weights_{head}"].values, made.steps["weights"][head], atol=1e-6)
    assert [name for name, one in found.items() if one.now] == ["weights_0", "weights_1"]
    assert found["w_output"].shape == "8\u00a0×\u00a04"
    assert found["concatenation"].shape == "2\u00a0×\u00a08"


def test_masked_numbers_are_not_there():
    found = arrays(said(lesson(StepsWords(step="6 Mask", mask="causal"))).arrays.root)
    assert found["step_masked"].values[0][1] is None
    assert found["step_scaled"].values[0][1] is not None


@pytest.mark.sampled(7)
@pytest.mark.parametrize("choices", walks(), ids=lambda choices: f"{choices.layer} {choices.step}")
def test_every_step_of_every_layer_has_its_arrays_and_its_words(choices):
    made = lesson(choices)
    assert arrays(said(made).arrays.root)
    assert hero(made).root.parts[0].words
    step = said(made)
    assert step.formula.count("{") == step.formula.count("}")
    assert "<" not in step.formula
    assert all(line[0] for line in step.by_hand.root.lines)
    assert text(step.so.root.spans).endswith(".")
    assert {span[2] for span in say(step.idea) if span[0] == "term"} <= set(glossary())


def test_what_w_o_makes_of_each_head_adds_up_to_the_output():
    made = lesson(StepsWords())
    found = arrays(last_matrix(made).root)
    total = np.add(found["makes_0"].values, found["makes_1"].values)
    np.testing.assert_allclose(total, found["mixed"].values, atol=1e-5)


def test_large_arrays_are_cropped_and_say_so():
    node = array(np.zeros((3, 512)), "x", name="x", most_columns=4)
    assert np.shape(node.values) == (3, 4)
    assert node.shape == "3\u00a0×\u00a0512, first 3\u00a0×\u00a04"
    assert Flow(node, "x").ink == 2.5


# ---- words


def test_the_first_sentence_is_computed_from_the_weights():
    first = text(finding(lesson(StepsWords())))
    assert first.startswith(
        "In head 0, money looks mostly at bank (68 % of its attention). In head 1, it looks at itself (65 %"
    )


def test_a_word_looks_mostly_where_more_than_half_goes():
    first = text(finding(lesson(StepsWords(words=MINE, text="bank bank bank"))))
    assert first.startswith("In head 0, bank₁ looks at itself (33 % of its attention).")


def test_one_word_is_one():
    assert "1 word, 4 numbers each" in source(lesson(StepsWords(words=MINE, text="Yes")))


@pytest.mark.parametrize(
    ("choices", "exp"),
    [
        ({"temperature": 2.0}, "exp(0.61 = 1.23 ÷ 2)"),
        ({"temperature": 2.0, "mask": "causal", "query": 0, "key": 1}, "exp(−∞)"),
        ({"temperature": 0.1, "key": 0}, "exp(−9.16 − 12.28), the row’s largest taken off; −9.16 = −0.92 ÷ 0.1"),
        ({"scale": False, "temperature": 0.1}, "exp(24.57 − 24.57), the row’s largest taken off; 24.57 = 2.46 ÷ 0.1"),
    ],
)
def test_the_exponential_is_of_the_score_as_it_is(choices, exp):
    made = lesson(StepsWords(step="7 Weights", **{"query": 1, **choices}))
    lines = {line[0]: line for line in said(made).by_hand.root.lines}
    assert lines["exp"][2] == exp
    power, whole = (float(part) for part in lines["share"][2].split(" ÷ "))
    assert power / whole == pytest.approx(made.by_hand.weight, abs=0.01)


def test_shares_beside_the_scale_are_those_of_the_next_steps():
    made = lesson(StepsWords(step="5 Scale", mask="causal", temperature=2.0))
    np.testing.assert_allclose(arrays(said(made).arrays.root)["step_divided"].values, made.of("weights"), atol=0.005)


def test_what_w_o_does_has_the_readers_sizes():
    assert text(what_w_o_does(lesson(StepsWords())).root.spans) == (
        "Two heads leave eight numbers per word. WO combines them into four. Without it, the results of the heads "
        "would "
        "never mix."
    )
    assert "turns them into 512 new ones" in text(
        what_w_o_does(lesson(StepsWords(layer="original paper, 8 heads"))).root.spans
    )


def test_the_share_by_hand_is_the_weight():
    made = lesson(StepsWords(step="7 Weights"))
    lines = said(made).by_hand.root.lines
    assert lines[-1][1] == f"{round(100 * made.by_hand.weight)}\u00a0%"
    assert [line[0] for line in lines] == ["q · k", "÷ √4", "mask", "exp", "the others", "share"]


def test_the_last_step_says_whose_numbers_meet_whose_rows_of_w_o():
    found = arrays(said(lesson(StepsWords(step=STEPS[9]))).arrays.root)
    assert found["step_concatenation"].columns == ("head 0",) * 4 + ("head 1",) * 4
    assert found["step_w_output"].rows == found["step_concatenation"].columns


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({}, "These words belong to the toy example. Choose my sentence to use yours."),
        ({"words": MINE, "text": "Time flies"}, "Your words with the toy’s random numbers"),
        ({"words": MINE, "text": "!!"}, "These words belong to the toy example."),
    ],
)
def test_the_page_says_whose_words_it_walks_through(typed, said):
    assert text(hero(lesson(StepsWords(**typed))).root.parts[2].spans).startswith(said)
