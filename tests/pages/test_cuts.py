"""Cut links on Next word and on Looks, adds, matters under AppTest: links, refusals, pictures, exports, guess first."""

import json
from urllib.parse import parse_qs

import numpy as np
import pytest

import mha
from mha.app import cuts, downloads, link
from mha.examples import NEXT_WORD_EXAMPLES
from mha.formats import ordinal
from mha.maps import HeadId
from mha.views import cuts as views
from tests.pages.conftest import opened_at
from tests.pages.test_next import FRANCE, data_of, markdown

MARY = NEXT_WORD_EXAMPLES["Mary and John"]
RUTH = "My grandmother's name is Ruth. Everyone calls her"


def test_a_cut_moves_the_bar_by_the_number_of_the_package():
    test = opened_at("next.py", cut="L23H4:4-3")
    found = mha.next_words(FRANCE, "smollm2", cut=["L23H4:4-3"])
    bar = data_of(test, "sentence_next")["candidates"][0]
    assert bar["word"] == "Paris"
    assert [bar["before"], bar["after"]] == pytest.approx([found.probability[0], found.after[0]])
    assert abs(bar["after"] - bar["before"]) > 0.05
    after = f"{100 * found.after[0]:.0f}\xa0%"
    assert f"With the link *is → France* of `L23H4` cut, *Paris* falls from 77 to {after}" in markdown(test)
    assert "measured with no link cut. Click a head" in markdown(test)
    line = data_of(test, "rank_line")
    ranks = mha.rank_by_layer(FRANCE, "smollm2", "Paris", cut=["L23H4:4-3"]).rank
    assert line["ranks"] == ranks.tolist()
    assert line["before"][22:25] == [2079, 396, 92]
    assert line["legend"] == ["with the link cut", "before"]
    assert ", with the link cut; before: " in line["label"]
    layer = max(range(30), key=lambda layer: abs(np.log(ranks[layer] / line["before"][layer])))
    sentence = f"*Paris* ranks {ordinal(ranks[layer])} after layer {layer} instead of"
    assert f"With the link cut, {sentence} {ordinal(line['before'][layer])}." in markdown(test)


def test_a_cut_arc_keeps_its_share_and_the_others_are_of_the_pass_without_it():
    test = opened_at("next.py", text=RUTH, cut="L24H4:9-5")
    data = data_of(test, "sentence_next")
    assert data["cut"] == "L24H4 her → Ruth"
    attention = data["attention"]
    assert attention["cuts"][5] == {"name": "L24H4:9-5", "was": pytest.approx(0.7982, abs=2e-4)}
    assert attention["cuts"][1] == {"name": "L24H4:9-1", "was": None}
    after = mha.ablate(RUTH, model="smollm2", cut=["L24H4:9-5"]).maps["L24H4"][9]
    assert attention["shares"] == pytest.approx(after, abs=1e-4)
    assert attention["shares"][5] == 0
    assert "*Ruth* rises from 24 to 62\xa0%" in markdown(test)
    assert "The rest of its row is rescaled: *My* 50\xa0%, the token *grandmother* 41\xa0%." in markdown(test)
    other = mha.next_words(RUTH, "smollm2", cut=["L23H0:9-5"]).after[0]
    falls = f"With the same cut in `L23H0` (73\xa0%) instead, *Ruth* falls from 24 to {100 * other:.0f}\xa0%."
    assert falls in markdown(test)
    assert "control texts" not in markdown(test)  # they are of ablated heads
    next(button for button in test.button if button.key == "cut_L24H4:9-5").click().run()
    assert test.session_state["cut"] == []
    assert "24\xa0%" in data_of(test, "next_words")["candidates"][0]["text"]


@pytest.mark.parametrize(
    ("cut", "sentence"),
    [
        ("L23H4", "cut cannot be “L23H4”"),
        ("L23H4:4–3", "cut cannot be “L23H4:4–3”"),
        ("L23H4:9-3", "SmolLM2 reads this text as tokens 0 to 4; there is no link L23H4:9-3."),
        ("L23H4:3-4", "no token attends to a later one: there is no link L23H4:3-4."),
        ("L40H1:4-3", "SmolLM2 has heads L0H0 to L29H8; you asked for L40H1."),
        ("L23H4:0-0", "Token 0 would attend to nothing in L23H4: leave it at least one link."),
        ([f"L2{n}H1:4-3" for n in range(5)], "cut cannot be “L20H1:4-3"),
    ],
)
def test_a_wrong_cut_costs_one_sentence(cut, sentence):
    test = opened_at("next.py", cut=cut)
    shown = [*(warning.value for warning in test.warning), *(text.value for text in test.text)]
    assert len([value for value in shown if sentence in value.replace("\\", "").replace("\u2060", "")]) == 1
    assert test.session_state["cut"] == []
    assert "the largest change of 270 heads" in markdown(test)
    test.run()
    assert (
        len([each for each in test.warning if sentence in each.value.replace("\\", "").replace("\u2060", "")]) == 1
    )  # until the next choice


def test_a_cut_of_an_ablated_head_is_refused_and_others_act_with_it():
    test = opened_at("next.py", ablate="L0H4", cut=["L0H4:4-3", "L23H4:4-3"])
    assert test.session_state["cut"] == ["L23H4:4-3"]
    assert any("L0H4 is ablated, so cutting one of its links" in text.value for text in test.text)
    assert "Without `L0H4` and with the link *is → France* of `L23H4` cut, *Paris*" in markdown(test)
    found = mha.next_words(FRANCE, "smollm2", ablated=["L0H4"], cut=["L23H4:4-3"])
    assert data_of(test, "sentence_next")["candidates"][0]["after"] == pytest.approx(found.after[0])


@pytest.mark.parametrize("cut", [[], ["L24H4:9-5"]])
def test_attention_is_that_of_the_model_without_the_ablated_heads(cut):
    ablated = ["L0H4", "L3H1"]
    test = opened_at("next.py", text=RUTH, ablate=ablated, head="L24H4", cut=cut)
    row = mha.ablate(RUTH, ablated, model="smollm2", cut=cut).maps["L24H4"][9]
    attention = data_of(test, "sentence_next")["attention"]
    assert attention["shares"] == pytest.approx(row, abs=1e-4)
    was = mha.ablate(RUTH, ablated, model="smollm2").maps["L24H4"][9, 5]
    assert attention["cuts"][5]["was"] == (pytest.approx(was, abs=1e-4) if cut else None)
    assert "Ablated at" not in markdown(test), "the finding is about all of them"


def test_a_mark_and_a_part_of_a_word_are_named_as_tokens():
    test = opened_at("next.py", text=RUTH, cut=["L24H4:9-6", "L24H4:9-1"])
    assert data_of(test, "sentence_next")["cut"] == "L24H4 her → the token ., L24H4 her → the token grandmother"
    labels = [button.label.replace("\\", "") for button in test.button if button.key and button.key.startswith("cut_")]
    assert labels == ["`L24H4` *her → the token .* ×", "`L24H4` *her → the token grandmother* ×"]


def test_a_word_of_two_tokens_is_one_entry():
    test = opened_at("next.py", text=RUTH, cut="L24H4:9-1.2")
    assert data_of(test, "sentence_next")["cut"] == "L24H4 her → grandmother's"
    names = [cut["name"] for cut in data_of(test, "sentence_next")["attention"]["cuts"]]
    assert names[1:3] == ["L24H4:9-1.2"] * 2
    assert "With the link *her → grandmother's* of `L24H4` cut" in markdown(test).replace("\\", "")


def test_guess_first_names_the_cut_and_the_guess_has_both_numbers():
    test = opened_at("next.py", cut="L23H4:4-3", reveal="0")
    assert test.title[0].value.startswith("With the link *is → France* of `L23H4` cut, which word does SmolLM2 expect?")
    assert data_of(test, "sentence_next")["cut"] == "L23H4 is → France"
    assert data_of(test, "sentence_next")["candidates"] == []
    next(button for button in test.button if button.label == "Paris").click().run()
    assert "Your guess: *Paris*, 77\xa0%; " in markdown(test)
    assert "with the link *is → France* of `L23H4` cut." in markdown(test)


def _examples(test):
    return next(pills for pills in test.pills if pills.label == "Examples")


def test_another_text_has_no_cut_and_the_example_brings_its_own():
    test = opened_at("next.py", cut="L23H4:4-3")
    test.text_area(key="text").set_value("The capital of Japan is").run()
    assert test.session_state["cut"] == []
    _examples(test).set_value("cut a link").run()
    assert (test.session_state["text"], test.session_state["cut"]) == (RUTH, ["L24H4:9-5"])
    assert "*Ruth* rises from 24 to 62\xa0%" in markdown(test)
    _examples(test).set_value("capital of France").run()
    assert test.session_state["cut"] == []


def test_downloads_and_pictures_name_the_cut():
    words = mha.next_words(FRANCE, "smollm2", cut=["L23H4:4-3"])
    row = link_model()
    table = views.table(words, row)
    np.testing.assert_allclose(table.columns["after"], words.after)
    assert "L23H4:4-3 (L23H4 is → France)" in table.provenance.scale
    assert views.source_text(words) == "Cut: L23H4 is → France; changes without each head have no link cut. "
    plain = mha.next_words(FRANCE, "smollm2")
    assert views.source_text(plain) == ""
    of_both = views.source_text(words, [HeadId(0, 4), HeadId(2, 1)])
    assert of_both.startswith(
        "Ablated: L0H4 and L2H1; changes without each head have all others on. Cut: L23H4 is → France;"
    )


@pytest.mark.parametrize(
    ("script", "ablated", "sentence"),
    [
        ("next.py", {"ablate": "L0H4"}, "Ablated: L0H4; changes"),
        ("translate.py", {"without": "E0H7"}, "Ablated: E0H7; changes"),
        ("compare.py", {"ablate": "L5H4"}, "The model runs without L5H4: each output"),
    ],
)
def test_pictures_name_the_ablated_heads(script, ablated, sentence, monkeypatch):
    sources = []
    monkeypatch.setattr(downloads, "button", lambda title, source, *_: sources.append(source))
    opened_at(script, **ablated)
    opened_at(script)
    assert sources[0].startswith(sentence)
    assert sources[0].endswith(sources[1])


def link_model():
    from mha.models.files.catalog import model_row

    return model_row("smollm2")


def test_the_null_is_shown_only_with_the_study_of_the_model(tmp_path, monkeypatch):
    bands = {
        "50% to 80%": {"links": 4321, "texts": 110, "share": 0.85},
        "80% to 100%": {"links": 1234, "texts": 108, "share": 0.63},
    }
    study = {"model": "smollm2", "within_nats": 0.11, "by weight": bands}
    monkeypatch.setattr(views, "STUDY", tmp_path / "links.json")
    assert views.no_effect_rate_text(link_model()) == ""
    (tmp_path / "links.json").write_text(json.dumps(study))
    assert views.no_effect_rate_text(link_model()) == (
        "Of links above 80\xa0%, 63\xa0% leave the likeliest word within 0.11 nats (1,234 links in 108 texts)."
    )
    assert views.no_effect_rate_text(link_model(), 0.8).startswith("Of links of 50 to 80\xa0%, 85\xa0% leave")
    assert views.no_effect_rate_text(link_model(), 0.4) == ""
    (tmp_path / "links.json").write_text(json.dumps(study | {"model": "other"}) + " ")
    assert views.no_effect_rate_text(link_model()) == ""


@pytest.mark.parametrize(
    ("names", "band"),
    [
        (["L24H4:9-5"], "of 50 to 80\xa0%, 85\xa0%"),
        (["L10H1:9-8"], "above 80\xa0%, 66\xa0%"),
        (["L24H4:9-5", "L23H0:9-5"], ""),  # the study cuts one link
        (["L24H4:9-1.2"], ""),
        (["L24H4:8-5"], ""),  # from another token than the predicting one
        (["L24H4:9-0"], ""),  # to the sink
    ],
)
def test_the_null_is_of_links_as_large_as_the_cut_one(names, band):
    words = mha.next_words(RUTH, "smollm2", cut=names)
    weight = views.studied_weight(words, mha.attend(RUTH, "smollm2"))
    assert (views.no_effect_rate_text(link_model(), weight) != "") == bool(band)
    assert band in views.no_effect_rate_text(link_model(), weight)
    assert views.studied_weight(words, None) == 0


def test_matters_cuts_a_link_and_moves_both_words():
    test = opened_at("matters.py", text=FRANCE, cut="L23H4:4-3")
    found = mha.next_words(FRANCE, "smollm2", cut=["L23H4:4-3"])
    bar = data_of(test, "next_words")["candidates"][0]
    assert (bar["name"], bar["word"], bar["after"]) == ("Paris", "", pytest.approx(found.after[0]))
    assert "With the link *is → France* of `L23H4` cut, *Paris* falls from 77 to" in markdown(test)
    assert "is measured with no link cut." in markdown(test)
    assert [button.key for button in test.button if button.key and button.key.startswith("cut_")] == ["cut_L23H4:4-3"]


def test_address_of_a_cut_opens_next_word_with_it():
    query = link.encode("next", {"text": RUTH, "model": "smollm2", "cut": ["L24H4:9-5"], "head": "L24H4"})
    assert query == {"v": ["1"], "text": [RUTH], "cut": ["L24H4:9-5"], "head": ["L24H4"]}
    params, problems = link.parse("next", query)
    assert (params.text, params.cut, params.head, problems) == (RUTH, ["L24H4:9-5"], "L24H4", [])


@pytest.mark.parametrize(
    ("script", "label", "expected"),
    [
        ("next.py", "Looks, adds, matters", {"v": ["1"], "text": [FRANCE], "cut": ["L23H4:4-3"]}),
        ("next.py", "Let it write", {}),  # its own default is the same text
        ("matters.py", "Next word", {"v": ["1"], "text": [MARY], "cut": ["L23H4:4-3"]}),
    ],
)
def test_a_page_about_the_same_text_opens_with_it_even_if_it_is_the_default_here(script, label, expected):
    test = opened_at(script, cut="L23H4:4-3", **({"guess": "none"} if script == "matters.py" else {}))
    (page,) = [one for one in test.get("page_link") if one.proto.label == label]
    assert parse_qs(page.proto.query_string) == expected


def test_toggle_keeps_four_cuts_and_shows_the_head(monkeypatch):
    state = {"cut": [f"L{n}H0:4-3" for n in range(4)], "link_page": "next", "head": None}
    monkeypatch.setattr(cuts.st, "session_state", state)
    cuts.toggle("L9H1:4-2")
    assert state["cut"] == ["L1H0:4-3", "L2H0:4-3", "L3H0:4-3", "L9H1:4-2"]
    assert state["head"] == "L9H1"
    cuts.toggle("L9H1:4-2")
    assert state["cut"] == ["L1H0:4-3", "L2H0:4-3", "L3H0:4-3"]
