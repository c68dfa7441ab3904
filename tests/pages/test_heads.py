"""The Heads page without a browser: links, choices, bad input, what the components are sent."""

import dataclasses
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings

import mha
from mha.analysis.usual import habit
from mha.engine import following
from mha.examples import NEXT_WORD_EXAMPLES, OPENS_HEADS
from mha.formats import percent
from mha.glossary import glossary
from mha.link import view as permalink
from mha.link.removed import REMOVED
from mha.link.view import View
from mha.ui import bound
from tests.engine.waiting import until
from tests.link.test_view import views
from tests.pages.conftest import Page

TELESCOPE = "I saw the man with the telescope"
TROPHY = "The trophy would not fit in the suitcase because it was too big"
DOG = "A dog ate the food because it was hungry"


def view_of(page: Page) -> View:
    """Return what the page's bound widgets say, read as the page itself reads them."""
    state = page.test.session_state
    values = {word.name: bound._strings(state[word.name]) for word in View.table() if state[word.name] is not None}
    return permalink.parse({name: value for name, value in values.items() if value}, bound.models())[0]


def test_a_text_beyond_128_words_is_drawn_up_to_there_with_one_sentence(visit):
    words = [f"word{n}" for n in range(131)]
    text = " ".join(words)
    page = visit(text=text)
    spec, line = (
        page.header("overview"),
        "Shown: the first 128 of 131 words. mha.survey measures a longer text in a notebook.",
    )
    assert any(text.value.startswith(line) for text in page.test.text)
    assert [piece["text"] for piece in spec["pieces"] if piece["at"] is not None] == words[:128]
    assert page.test.session_state["text"] == text
    assert not any("mha.survey" in text.value for text in visit(text=" ".join(words[:128])).test.text)


def test_the_bare_page_shows_the_telescope_and_two_heads_chosen_for_it(visit):
    page = visit()
    header = page.header("overview")
    assert header["pins"] == ["L0H1", "L0H10"]
    assert header["chosen"]
    said = "\n".join("".join(text for _, text in sentence) for sentence in header["finding"])
    maps = mha.attend(TELESCOPE).merged()
    saw, man, telescope = (maps.text.split().index(word) + 1 for word in ("saw", "man", "telescope"))
    assert said == (
        f"In head L0H1, saw gives {percent(maps[0, 1][saw, telescope])} of its attention to telescope.\n"
        f"In head L0H10, man gives {percent(maps[0, 10][man, telescope])} of its attention to telescope."
    )
    assert (header["look"], header["asked"]) == ("at", None), "nothing is asked by itself"
    assert [head["name"] for head in page.header("pinned")["heads"]] == ["L0H1", "L0H10"]
    assert "MiniLM" in page.said()
    assert "pretrained" in page.said()


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("The clerk thanked the guest because he waited", "suggested Does he refer to A clerk or B guest?"),
        ("I hit the thief with the stick", "suggested Does with the stick go with A hit or B thief?"),
        (TELESCOPE, ""),  # an example has readings of its own
        ("It rained", ""),
        ("word", ""),
    ],
)
@pytest.mark.parametrize("model", ["minilm", "toy"])
def test_an_ambiguous_sentence_is_told_its_question_and_the_way_to_compare(visit, text, asks, model):
    page = visit(text=text, model=model)
    said = page.said().replace("\u00a0", " ")
    assert ("suggested Does" in said) == bool(asks)
    assert asks in said
    assert ("readings_by" in page.test.query_params) == bool(asks), "what is drawn stands in the link"


def test_a_typed_sentence_opens_with_its_ambiguous_word_and_a_head_for_each_candidate(visit):
    page = visit(text=TROPHY)
    header, maps = page.header("overview"), mha.attend(TROPHY).merged()
    place = {word: number + 1 for number, word in enumerate(TROPHY.split())}
    (finding,) = header["finding"]
    assert "".join(text for _, text in finding) == (
        f"From it, L3H1 gives {percent(maps[3, 1][place['it'], place['trophy']])} of its attention to trophy, "
        f"and L0H6 gives {percent(maps[0, 6][place['it'], place['suitcase']])} to suitcase."
    )
    assert (header["pins"], header["lock"], header["look"]) == (["L3H1", "L0H6"], 9, "from")
    assert page.header("pinned")["look"] == "from"
    asked = visit(text=TROPHY, lock="10", look="ask").header("overview")
    assert [title for _, title in asked["asked"]["title"]] == ["About ", "it"]
    assert asked["asked"]["answers"][0]["rows"][0][:3] == [2 * 12 + 1, 12, 77]
    old = visit(text=TROPHY, lock="10").header("overview")
    assert (old["look"], old["asked"]) == ("at", None), "the link of before frames a column"


def test_the_pinned_weights_are_those_of_the_recording(visit):
    page = visit(pins="L5H3", sinks="false", units="tokens")
    ((_, arrays),) = page.components("pinned")
    assert np.allclose(arrays["weights"][0] / 65535, mha.attend(TELESCOPE)[5, 3], atol=1e-4)


def check_cold_link(view: View) -> None:
    """Open a view's link cold and read it back; the text is a bundled one, for the point here is the controls."""
    view = dataclasses.replace(view, text=DOG, reveal=True)
    link: dict[str, list[str]] = {}
    for name, value in permalink.query(view):
        link.setdefault(name, []).append(value)
    assert view_of(Page(**link)) == view


@settings(max_examples=12, deadline=None)
@given(views())
def test_a_cold_link_seeds_every_bound_control(view):
    check_cold_link(view)


def test_a_link_with_removed_parameters_opens_with_one_sentence_for_each(visit):
    link = {"heads_pinned": "lines", "heads_weights": "What it brings", "layer": "3", "off": ["L0H0", "L0H1"], "on": ""}
    page = visit(**link)
    said = {REMOVED[name] for name in link}
    assert len(said) == page.said().count("in 0.3") == 4
    assert all(page.said().count(sentence) == 1 for sentence in said)
    assert page.header("overview")["pins"] == ["L0H1", "L0H10"]
    assert not set(link) & set(page.test.query_params)


def test_a_wrong_link_says_what_was_wrong_until_the_reader_chooses_something(visit):
    page = visit(pins="L9H0")
    assert "MiniLM has heads L0H0 to L5H11, not L9H0). Showing heads picked for this text." in page.said()
    assert page.header("overview")["pins"] == ["L0H1", "L0H10"]
    page.test.text_area(key="text").set_value(DOG).run()
    assert "L9H0" not in page.said()


@pytest.mark.parametrize("text", ["", "   ", "...", "\u200b"])
def test_nothing_typed_says_so_and_keeps_the_telescope(visit, text):
    page = visit()
    page.test.text_area(key="text").set_value(text).run()
    assert "Until then the page shows the telescope sentence." in page.said()
    assert page.header("overview")["queries"][-1] == "telescope"


def test_tokens_sinks_and_scale_reach_picture_and_caption(visit):
    page = visit(units="tokens", sinks="false", scale="each row")
    assert page.header("overview")["queries"][0] == "[CLS]"
    assert page.header("overview")["scale"] == "row"
    assert "nothing is rescaled" in page.said()
    assert "largest weight" in page.said()


def test_another_model_gives_every_choice_of_heads_back(visit):
    page = visit(pins="L5H3")
    page.test.selectbox(key="model_shown").select("toy").run()
    state = page.test.session_state
    assert (state["model"], state["pins"]) == ("toy", [])
    assert "For your words this model has random numbers" in page.said()
    page.test.text_area(key="text").set_value("The man saw an astronomer with a telescope").run()
    assert "random numbers" not in page.said()
    said = "".join(text for sentence in page.header("overview")["finding"] for _, text in sentence)
    assert "man" in said
    assert "astronomer" in said


def test_a_lock_holds_for_a_text_and_its_units_only(visit):
    page = visit(lock="3")
    assert page.header("overview")["lock"] == 2  # place 3 with [CLS] is word 2 of those shown
    page.test.text_area(key="text").set_value(DOG).run()
    assert page.test.session_state["lock"] is None


def test_captions_have_every_term_in_the_glossary_and_final_marks_are_inert(visit):
    page = visit(model="toy", text="what is this [[")
    assert "“[[”" in page.said()
    for data in page.captions():
        for span in data["spans"]:
            if span[0] == "term":
                assert glossary()[span[2]]
    assert json.dumps(page.captions())


def test_a_text_longer_than_a_head_is_wide_says_that_its_weights_are_not_unique(visit):
    assert "other weights could give the same output" not in visit().said()
    assert "other weights could give the same output" in visit(text="one two three four " * 9).said()


def test_the_view_menu_speaks_to_people_and_writes_the_links_words(visit):
    page = visit(text="They are hunting dogs")
    page.test.button_group(key="reveal_shown").set_value("0").run()
    assert page.test.session_state["reveal"] == "0"
    page.test.button_group(key="reveal_shown").set_value("1").run()
    in_view = [
        element.label for kind in (page.test.button_group, page.test.toggle, page.test.selectbox) for element in kind
    ]
    assert {"Axis", "Colour scale", "Results"} <= set(in_view)
    gone = {"Show on this page", "Selected word", "One cell: head and two tokens", "Ambiguous word", "Candidate A"}
    assert not gone & set(in_view)
    assert "As a link has them" not in [part.label for part in page.test.expander]


def test_an_encoder_decoder_shows_the_attention_that_was_chosen(visit, reverser):
    page = visit(model="backwards", text="river boat lamp garden", heads_stack="Cross")
    assert "Output that backwards writes: “garden lamp boat river”." in page.said()
    header = page.header("overview")
    assert header["queries"] == ["garden", "lamp", "boat", "river"]
    assert [piece["text"] for piece in header["pieces"]] == ["river", "boat", "lamp", "garden"]
    assert not header["asks"], "a word of the text has no row"
    assert "How is this measured?" in [part.label for part in page.test.expander]
    page.test.segmented_control(key="heads_stack").set_value("Decoder").run()
    assert page.header("overview")["causal"]
    assert page.header("overview")["keys"] == ["garden", "lamp", "boat", "river"]
    page.test.segmented_control(key="heads_stack").set_value("Encoder").run()
    assert page.header("overview")["keys"] == ["river", "boat", "lamp", "garden"]
    assert "heads_stack" not in page.test.query_params


def test_a_link_of_0_2_to_a_written_text_says_where_writing_is(visit):
    page = visit(text="The capital of France is", heads_prompt="Write on", heads_step="3", heads_silenced="L1H2")
    moved = (
        "heads_prompt, heads_step and heads_silenced left Heads in 0.3: models predict words on Next word and write on "
        "Let it write."
    )
    assert page.said().count("left Heads in 0.3") == 1
    assert moved in page.said()
    assert page.header("overview")["finding"]
    assert not [name for name in page.test.query_params if name.startswith("heads_")]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("label", NEXT_WORD_EXAMPLES)
def test_smollm2_opens_on_each_example_with_its_usual_attention(visit, label):
    page = visit(text=NEXT_WORD_EXAMPLES[label], model="smollm2")
    assert not page.test.exception
    assert "went wrong" not in page.said()
    assert page.header("overview")["finding"]
    assert habit("smollm2") is not None
    assert "not measured" not in page.said()


def test_an_address_without_parameters_opens_a_sentence_that_passes_its_control(visit):
    page = visit(bare=True)
    assert page.test.session_state["text"] == OPENS_HEADS
    note = "".join(text for _, text in page.header("overview")["note"])
    assert note.startswith("Unusual: 25 of 999 shuffled copies reach this. ")
    assert "This sentence was chosen from twenty ambiguous ones" in page.said()
    page.test.text_area[0].set_value("I saw the man with the telescope")
    assert "chosen from twenty" not in page.run().said()
    assert page.test.session_state["text"] == "I saw the man with the telescope", "it stays once it is chosen"
    assert visit(v="1").test.session_state["text"] == "I saw the man with the telescope", "old links keep their meaning"


def test_the_opening_sentence_needs_no_model():
    code = (
        "import sys; from tests.pages.conftest import Page; page = Page(bare=True)\n"
        "assert page.header('overview')['note'][0][1].startswith('Unusual'); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_typed_sentence_gets_its_shuffle_control(visit, monkeypatch):
    monkeypatch.setattr(following, "AFTER_RUN", 0.0)
    page = visit(text="Children who read many books often write better stories.")

    def note() -> str:
        return "".join(text for _, text in page.run().header("overview")["note"])

    until(lambda: "copies" in note())
    assert re.match(r"Not unusual: \d+ of \d+ shuffled copies reach this\.", note())
    assert "Usually" not in note()
