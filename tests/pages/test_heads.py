"""The Heads page without a browser: links, choices, bad input, and what its components are sent."""

import re
import subprocess
import sys
from urllib.parse import parse_qs

import numpy as np
import pytest

import mha
from mha.analysis.usual import habit
from mha.app import link
from mha.engine import followers
from mha.examples import NEXT_WORD_EXAMPLES, OPENS_HEADS
from mha.formats import percent
from mha.views.heads_pictures import FULL
from mha.views.heads_text import READS_MASK
from tests.engine.waiting import until
from tests.pages.conftest import opened_at, pictures
from tests.spans import text_of

TELESCOPE = "I saw the man with the telescope"
TROPHY = "The trophy would not fit in the suitcase because it was too big"
CLERK = "The clerk thanked the guest because he waited"
DOG = "A dog ate the food because it was hungry"


def opened(**link):
    return opened_at("heads.py", **link)


def header(test, name="overview"):
    ((data, _),) = pictures(test, name)
    return data


def finding(test):
    return " ".join(map(text_of, header(test)["finding"]))


def sentences(test):
    """Return the notices, captions, warnings and Markdown of a page."""
    kinds = (test.text, test.caption, test.warning, test.markdown)
    return "\n".join(element.value for kind in kinds for element in kind)


def test_an_address_without_parameters_opens_a_sentence_that_passes_its_control():
    test = opened()
    assert test.session_state["text"] == OPENS_HEADS
    assert text_of(header(test)["note"]).startswith(
        "Unusual: in 25 of 999 shuffled copies, some head reaches 81\u00a0%. "
    )
    assert "Does *they* refer to *crew* or *sailors*?" in sentences(test)
    assert not test.query_params


def test_the_opening_sentence_needs_no_model():
    code = (
        "import sys; from tests.pages.conftest import opened_at, pictures\n"
        "((header, _),) = pictures(opened_at('heads.py'), 'overview')\n"
        "assert header['note'][0][1].startswith('Unusual'); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_link_of_0_2_without_a_text_opens_the_telescope():
    test = opened(v="1")
    assert header(test)["pins"] == ["L0H1", "L0H10"]
    maps = mha.attend(TELESCOPE).merged()
    saw, telescope = (maps.text.split().index(word) + 1 for word in ("saw", "telescope"))
    share = percent(maps[0, 1][saw, telescope])
    assert finding(test).startswith(f"In head L0H1, saw gives {share} of its attention to telescope.")
    assert link.parse("", {})[0].text == OPENS_HEADS


def test_a_pin_writes_the_text_into_the_link():
    test = opened()
    test.session_state["pins"] = ["L1H1"]
    test.run()
    assert test.query_params["text"] == OPENS_HEADS, "without it, the link would open the telescope as in 0.2"
    assert header(opened(**dict(test.query_params)))["pins"] == ["L1H1"]


def test_a_typed_sentence_opens_with_a_head_for_each_candidate():
    test, maps = opened(text=TROPHY), mha.attend(TROPHY).merged()
    place = {word: number + 1 for number, word in enumerate(TROPHY.split())}
    first, second = maps[3, 1][place["it"], place["trophy"]], maps[0, 6][place["it"], place["suitcase"]]
    assert finding(test) == (
        f"From it, L3H1 gives {percent(first)} of its attention to trophy, "
        f"and L0H6 gives {percent(second)} to suitcase."
    )
    assert header(test)["readings"]["sides"] == {"L3H1": "a", "L0H6": "b"}


def test_every_share_has_one_base():
    ((data, arrays),) = pictures(opened(text=TROPHY, pins="L3H1"), "pinned")
    expected = mha.attend(TROPHY).merged()[3, 1][1:-1, 1:-1]  # without [CLS] and [SEP]
    assert np.allclose(arrays["weights"][0] / FULL, expected, atol=1e-4)
    assert text_of(data["heads"][0]["caption"]).startswith("it → trophy: ")
    assert percent(expected[9, 1]) in text_of(data["heads"][0]["caption"])
    assert percent(expected[9, 1]) in finding(opened(text=TROPHY, pins="L3H1"))


@pytest.mark.parametrize("pins", [[], ["L1H1", "L2H2"]])
def test_a_selected_word_leads_with_the_first_head_of_its_list(pins):
    test = opened(text=CLERK, lock="4", look="ask", pins=pins)
    data = header(test)
    (first, *_), _ = (answer["rows"] for answer in data["asked"]["answers"])
    assert data["leading"][0] == first[0]
    assert finding(test).startswith(f"In head L{first[0] // 12}H{first[0] % 12}, ")
    assert data["pins"] == pins or (not pins and data["pins"][0] == f"L{first[0] // 12}H{first[0] % 12}")


def test_a_word_of_another_text_is_not_selected():
    test = opened(text=CLERK, lock="4", look="ask")
    test.text_area(key="text").set_value(DOG).run()
    assert test.session_state["lock"] is None
    assert header(test)["asked"] is None


def test_ablated_heads_are_marked_and_the_numbers_are_those_of_the_ablated_model():
    test = opened(text=CLERK, ablate=["L0H0", "L1H8"], pins="L3H1", lock="7", look="from")
    assert header(test)["ablated"] == ["L0H0", "L1H8"]
    assert text_of(header(test)["note"]).startswith("Without L0H0 and L1H8: ")
    ((_, arrays),) = pictures(test, "pinned")
    expected = mha.ablate(CLERK, ["L0H0", "L1H8"]).maps.merged()[3, 1][1:-1, 1:-1]
    assert np.allclose(arrays["weights"][0] / FULL, expected, atol=1e-4)
    assert not np.allclose(expected, mha.attend(CLERK).merged()[3, 1][1:-1, 1:-1], atol=1e-3)
    assert not header(test, "pinned")["cells"], "Step by step has the numbers of the whole model"


def test_a_model_without_layers_offers_to_restore_its_heads():
    test = opened(model="toy", ablate="L0H0")
    assert "Restore all" in [button.label for button in test.button]
    test.session_state["ablate"] = []
    assert header(test.run())["pins"]


def test_a_number_of_a_large_map_opens_its_arithmetic():
    test = opened(text=CLERK, pins="L3H1")
    test.session_state["heads_cell"] = mha.HeadId(3, 1), 6, 1
    test.run()
    assert test.session_state["link_page"] == "steps"
    tokens = mha.attend(CLERK).tokens
    query, key = (tokens[test.session_state[name]].text for name in ("cell_query", "cell_key"))
    assert (query, key) == ("he", "clerk")


def test_tokens_and_sinks():
    test = opened(text=DOG, units="tokens", sinks="false")
    assert header(test)["queries"][0] == "[CLS]"
    ((_, arrays),) = pictures(test, "pinned")
    assert np.allclose(arrays["weights"][0].sum(axis=-1) / FULL, 1, atol=1e-3)


def test_guess_first_shows_no_result():
    test = opened(text=DOG, reveal="0")
    assert not pictures(test, "overview")
    assert "Where will the heads look from *it*?" in test.title[0].value
    assert not re.search(r"L\d+H\d+|\d %", sentences(test))
    test.button(key="guess_food").click().run()
    assert "Your guess: *food*." in sentences(test)


def test_another_model_gives_every_choice_of_heads_back():
    test = opened(pins="L5H3", ablate="L0H0")
    test.selectbox(key="model").select("toy").run()
    assert (test.session_state["model"], test.session_state["pins"], test.session_state["ablate"]) == ("toy", [], [])
    assert "random numbers" in sentences(test)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"pins": "L9H0"}, "there is no head “L9H0” here"),
        ({"lock": "inf"}, "lock cannot be “inf”"),
        ({"lock": "400"}, "there is no position “400” here"),
        ({"lock": "12", "units": "tokens"}, "there is no position “12” here"),
        ({"stack": "Cross"}, "there is no kind of attention “Cross” here"),
        ({"layer": "3"}, "this page does not read “layer”"),
        ({"readings_pivot": "6 it"}, "this page does not read “readings_pivot”"),
        ({"heads_cell": "L5H3 7 4", "heads_step": "3"}, "this page does not read “heads_cell, heads_step”"),
    ],
)
def test_a_wrong_or_removed_parameter_costs_one_sentence(values, sentence):
    test = opened(text=DOG, **values)
    (warning,) = test.warning
    assert sentence in warning.value.replace("\\", "")
    assert header(test)["finding"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[MASK] is the capital of France", READS_MASK),
        ("Der Wächter beobachtete den Spaziergänger mit dem Fernglas", "Suggestions work for English."),
        (" ".join(f"word{n}" for n in range(131)), "Shown: the first 128 of 131 words."),
    ],
)
def test_a_text_that_is_read_otherwise_gets_its_sentence(text, sentence):
    test = opened(text=text)
    assert sum(sentence in element.value for element in test.text) == 1
    assert header(test)["pins"]


@pytest.mark.parametrize("text", ["...", "\u200b"])
def test_a_text_without_words_is_refused(text):
    test = opened()
    test.text_area(key="text").set_value(text).run()
    assert not pictures(test, "overview")
    assert test.title


def test_an_encoder_decoder_shows_the_attention_that_was_chosen(reverser):
    link = {"model": "backwards", "text": "river boat lamp garden"}
    test = opened(**link, heads_stack="Cross")
    assert "Output that backwards writes: “garden lamp boat river”." in sentences(test).replace("\\", "")
    assert header(test)["queries"] == ["garden", "lamp", "boat", "river"]
    assert not header(test)["asks"], "a word of the text has no row"
    assert header(opened(**link, stack="Decoder"))["causal"]
    assert header(opened(**link))["keys"] == ["river", "boat", "lamp", "garden"]


def test_a_second_text_is_read_together_with_the_sentence():
    test = opened(text=DOG, heads_pair="It had not eaten.", pins="L2H8", units="tokens", sinks="false")
    maps = mha.attend(DOG, pair="It had not eaten.")
    assert len(header(test)["keys"]) == len(maps.tokens)
    assert "reads one text" in sentences(opened(text=DOG, pair="It had not eaten.", model="smollm2"))
    assert "all heads on" not in sentences(test)
    assert "Measured with all heads on" in sentences(opened(text=DOG, pair="It had not eaten.", ablate="L2H8"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("label", NEXT_WORD_EXAMPLES)
def test_smollm2_opens_on_each_example_with_its_usual_attention(label):
    test = opened(text=NEXT_WORD_EXAMPLES[label], model="smollm2")
    assert header(test)["finding"]
    assert habit("smollm2") is not None
    assert "no measured usual shares" not in sentences(test)


def test_a_typed_sentence_gets_its_shuffle_control(monkeypatch):
    monkeypatch.setattr(followers, "AFTER_RUN", 0.0)
    test = opened(text="Children who read many books often write better stories.")

    def note() -> str:
        return text_of(header(test.run())["note"])

    until(lambda: "copies" in note())
    assert re.match(r"Not unusual: in \d+ of \d+ shuffled copies, some head reaches \d+\u00a0%\.", note())
    assert "Usually" not in note()


def test_the_table_pins_the_head_of_its_row():
    test = opened(text=DOG)
    test.session_state["numbers"] = True
    test.run()
    (table,) = test.dataframe
    assert list(table.value["Head"])[13] == "L1H1"
    assert "without \\[CLS\\] and \\[SEP\\]" in sentences(test)


def test_heads_opens_next_word_with_its_link_cut():
    test = opened(text=NEXT_WORD_EXAMPLES["capital of France"], model="smollm2", pins="L23H4")
    (page,) = [link for link in test.get("page_link") if link.proto.label == "Cut this link of L23H4"]
    assert parse_qs(page.proto.query_string) == {
        "v": ["1"],
        "cut": ["L23H4:4-3"],
        "head": ["L23H4"],
    }  # of its first text
    assert not [link for link in opened(text=DOG).get("page_link") if "Cut" in link.proto.label]
