"""The Questions page: its texts and tables, the numbers behind the answers, and the page as a visitor sees it."""

import json
import re

import numpy as np
import pytest
from streamlit.proto.PageLink_pb2 import PageLink

from mha import engine
from mha.analysis.between import effective_heads, jensen_shannon
from mha.core import PRESETS, trace
from mha.glossary import glossary
from mha.link.pages import QUESTIONS, ROWS
from mha.link.steps import STEPS
from mha.maps import AttentionMaps, HeadId, Token
from mha.models.files.catalog import model_row
from mha.models.toy import HAND_SET
from mha.readers.files import files_of
from mha.screens.blocks import say
from mha.screens.questions import measured as questions_numbers
from mha.screens.questions.page import ANSWERS
from mha.screens.questions.quiz import questions, real_models, sources, verdict
from mha.ui.choosing import HOME, LINKS

NEVER = r"\b(votes?|understands?|interprets?|decides?|important)\b"  # words that no head earns
QUICK = [name for name in QUESTIONS if name not in ("one head", "ambiguity")]


def opened(visit, name, show=True, **link):
    page = visit(**link)
    page.test.switch_page("questions.py")
    page.test.query_params["questions_open"] = name
    page.run()
    return click(page, "Show answer") if show else page


def click(page, label):
    next(button for button in page.test.button if button.label == label).click()
    return page.run()


def links(page):
    found = []
    for element in page.test.main.get("page_link"):
        proto = element.proto
        assert isinstance(proto, PageLink)
        found.append(proto.label)
    return found


# the texts


def test_there_are_eleven_questions_and_a_figure_for_each():
    assert len(questions()) == len(set(QUESTIONS)) == 11
    assert list(ANSWERS) == list(QUESTIONS)
    for question in questions():
        assert len(question.options) == 3
        assert question.right is None or 0 <= question.right < 3
        assert question.ask.endswith("?")
        assert set(question.sources) <= set(sources())
        assert set(question.pages) <= set(LINKS)
        assert question.pages[-1] == HOME
        assert question.step in ("", *STEPS)
        assert not question.step or "steps.py" in question.pages


def test_answers_are_two_to_four_sentences_and_claim_no_more_than_may_be_said():
    for question in questions():
        assert 2 <= len(re.findall(r"\.(?: |$)", question.answer)) <= 4, question.name
        assert not re.search(NEVER, f"{question.ask} {question.guess} {question.answer}"), question.name


def test_every_term_of_an_answer_is_in_the_glossary():
    terms = {span[2] for question in questions() for span in say(question.answer) if span[0] == "term"}
    assert len(terms) > 8
    assert terms <= set(glossary())


def test_words_between_asterisks_are_words():
    spans = say("*it* looks at a [[key]]")
    assert [tuple(span) for span in spans] == [("word", "it"), ("plain", " looks at a "), ("term", "key", "key")]


def test_the_table_of_models_is_what_the_answer_says_of_it():
    rows = real_models()
    ours, minilm = next(row for row in rows if row.model == "MiniLM"), model_row("minilm")
    assert (ours.layers, ours.heads, ours.d_head) == (minilm.n_layers, minilm.n_heads, minilm.d_head)
    assert {row.d_head for row in rows if row is not ours} == {64}
    assert ours.d_head * 2 == 64
    assert all(row.width == row.heads * row.d_head for row in rows)
    heads, layers = [row.heads for row in rows], [row.layers for row in rows]
    answer = next(question for question in questions() if question.name == "real models").answer
    assert answer.startswith(
        f"From {min(heads)} to {max(heads)} in a [[layer]], over {min(layers)} to {max(layers)} layers"
    )
    assert {"BERT-base": "12 × 12", "BERT-large": "24 × 16", "GPT-2 small": "12 × 12", "GPT-2 XL": "48 × 25",
            "Original, base": "6 × 8", "Original, big": "6 × 16", "MiniLM": "6 × 12", "SmolLM2": "30 × 9"}.items() <= {
        row.model: f"{row.layers} × {row.heads}" for row in rows}.items()  # fmt: skip


def test_a_guess_is_answered_in_one_line():
    scaling = next(question for question in questions() if question.name == "scaling")
    assert verdict(scaling, "d", 2) == "You guessed “d”. Correct."
    assert verdict(scaling, "1", 2) == "You guessed “1”. The answer is “d”."
    assert verdict(scaling, None, 2).endswith("In this experiment: “d”.")
    assert verdict(scaling, "1", None) == f"You guessed “1”. {scaling.guess}"
    assert verdict(scaling, None, None) == scaling.guess


# the links


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", QUICK)
def test_every_question_links_to_a_page_that_is_registered(visit, name):
    page = opened(visit, name)
    registered = {row.file for row in ROWS}
    question = next(question for question in questions() if question.name == name)
    also = [LINKS[page] for page in question.also]
    assert links(page) == [LINKS[next(name for name in question.pages if name in registered)], *also]


# the numbers


def test_averaging_takes_most_from_the_look_that_only_one_head_has():
    weights = np.full((1, 2, 3, 3), 1 / 3, dtype=np.float32)
    weights[0, 1, 2] = [0.1, 0.9, 0]
    maps = AttentionMaps(weights, tuple(Token(f"w{place}", word=place) for place in range(3)), units="words")
    head, look, left = questions_numbers.averaged(maps, maps.heads)
    assert (head, look.query, look.key) == (HeadId(0, 1), 2, 1)
    assert look.weight == pytest.approx(0.9)
    assert left == pytest.approx((0.9 + 1 / 3) / 2)


def test_one_head_is_plain_attention_and_a_matrix():
    assert questions_numbers.one_head_is_plain() < 1e-12


def test_the_toys_cell_is_the_one_of_its_own_description():
    recording = engine.record(engine.Request(HAND_SET, "toy"))
    assert questions_numbers.toy_cell(recording).weight == pytest.approx(
        np.exp(6 / np.sqrt(2)) / (np.exp(6 / np.sqrt(2)) + 7)
    )
    found = questions_numbers.doubled(recording)
    assert list(found) == ["queries", "keys", "values"]
    weights, gathered = found["values"]
    assert weights == 0
    assert gathered > 0.5
    assert found["queries"][0] == pytest.approx(found["keys"][0])
    assert found["queries"][0] > 0.05


def test_the_last_matrix_spreads_every_head_over_every_number():
    beside, output = questions_numbers.mixing()
    assert ((beside[0] != beside[1]).sum(), (output[0] != output[1]).sum(), output.shape[1]) == (2, 4, 4)
    steps = questions_numbers.walk("slices")
    assert np.allclose(output[0] - output[1], steps["contributions"][1, 1])


def test_redundancy_is_that_of_the_definition():
    maps = engine.record(engine.Request("I saw the man with the telescope")).maps.merged()
    found = questions_numbers.redundancy(maps)
    divergence = jensen_shannon(maps)
    assert found.different.whole == pytest.approx(effective_heads(divergence))
    assert found.different.layers[5] == pytest.approx(effective_heads(divergence[60:, 60:]))
    first, second = (maps.heads.index(head) for head in found.alike)
    assert found.divergence == divergence[first, second] == divergence[np.triu_indices(72, 1)].min()
    assert 0 < found.different.whole < 72


# the page


def test_the_page_asks_before_it_answers(visit):
    page = opened(visit, "scaling", show=False)
    assert "variance" in page.said()
    assert "adds its variance" not in page.said()
    page.test.radio[0].set_value("√d")
    click(page, "Show answer")
    assert "adds its variance" in page.said()
    assert "You guessed “√d”. The answer is “d”." in page.said()
    click(page, "Guess again")
    assert "adds its variance" not in page.said()


def test_next_and_back_walk_all_ten_and_the_link_holds_the_place(visit):
    page = opened(visit, QUESTIONS[0], show=False)
    for name in QUESTIONS[1:]:
        click(page, "Next")
        assert page.test.session_state["questions_open"] == name
    assert next(button for button in page.test.button if button.label == "Next").disabled
    click(page, "Back")
    assert page.test.session_state["questions_open"] == QUESTIONS[-2]


def test_a_question_that_there_is_not_is_said_so(visit):
    page = opened(visit, "banana", show=False)
    assert "allowed: “many heads” to “ambiguity”; got “banana”). Showing many heads." in page.said()
    assert page.test.session_state["questions_open"] == QUESTIONS[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", QUICK)
def test_every_answer_shows_its_sources_and_its_number(visit, name, taken):
    page = opened(visit, name)
    question = next(question for question in questions() if question.name == name)
    listed = "\n".join(markdown.value for markdown in page.test.markdown)
    assert all(sources()[source].title in listed for source in question.sources)
    answer = "".join(span[1] for span in say(question.answer))
    assert answer in page.said()
    (files,) = files_of(taken[-1]).values()
    taken = json.loads(next(file for file in files if file.title == "JSON").of.made())
    assert all(len(column) >= 1 for column in taken["columns"].values())
    on_the_sentence = name in ("many heads", "redundancy")
    assert taken["provenance"]["model"] == ("MiniLM" if on_the_sentence else f"Questions: {name}")
    assert bool(taken["provenance"]["texts"]) == on_the_sentence


def test_the_formulas_arrays_are_those_of_the_trace(visit):
    page = opened(visit, "formula")
    preset = PRESETS["money_bank"]
    steps = trace(preset.heads(), preset.embeddings())
    ((x,), (first, second), (both,), (output,)) = page.of_kind("arrays")[0]["lines"]
    assert np.allclose(x["values"], steps["input"], rtol=0, atol=1e-6)
    assert np.allclose([first["values"], second["values"]], steps["heads"], rtol=0, atol=1e-6)
    assert np.allclose(both["values"], steps["concatenation"], rtol=0, atol=1e-6)
    assert np.allclose(output["values"], steps["output"], rtol=0, atol=1e-6)
    assert len(page.test.latex) == 3


def test_the_readers_sentence_and_model_are_the_ones_that_are_measured(visit):
    text = "A dog ate the food because it was hungry"
    page = opened(visit, "redundancy", text=text)
    expected = questions_numbers.redundancy(engine.record(engine.Request(text)).maps.merged()).different.whole
    assert f"Your sentence: 72 heads look in {expected:.1f} effectively different ways." in page.said()
    assert "2 heads look in" in opened(visit, "redundancy", text=text, model="toy").said()


def test_the_dog_leans_beside_its_shuffles(visit):
    said = opened(visit, "ambiguity").said()
    assert re.search(r"L\dH\d+ leans to [AB] by 0\.\d\d; with shuffled words it averages −?\d\.\d\d ± 0\.\d\d\.", said)
    assert re.search(r"With the words shuffled, some head leans at least as far in \d+ of \d+ sentences\.", said)
    assert "own shuffles" not in said
