"""One cell on the Heads page: opened by a link or from a pinned map, and back to where the reader was."""

import json

import pytest

import mha
from mha.formats import percent
from mha.link.heads import place_of
from mha.readers.files import files_of

DOG = "A dog ate the food because it was hungry."


def blocks(page):
    return [block for data in page.components("blocks_cell") for block in data["blocks"]]


def test_the_numbers_of_a_cell_can_be_taken_away_in_every_format(visit, taken):
    visit(text=DOG, heads_cell="L2H8 7 9")
    files = {file.title: file.of.made() for file in files_of(taken[-1])["The numbers of this cell"]}
    assert list(files) == ["CSV", "Source of the CSV", "JSON", "NPZ"]
    columns = json.loads(files["JSON"])["columns"]
    (weight,) = [
        number
        for part, place, number in zip(columns["part"], columns["place"], columns["number"], strict=True)
        if (part, place) == ("weight", "9")
    ]
    assert abs(weight - mha.attend(DOG)[2, 8][7, 9]) < 1e-5
    assert set(columns["looked_at"]) == {"hungry"}


def test_a_link_opens_a_cell_and_the_way_back_keeps_all_that_was_chosen(visit):
    page = visit(text=DOG, heads_cell="L2H8 7 9", pins=["L2H8", "L0H1"], lock="7", sinks="false")
    assert not page.components("overview"), "the cell stands in the place of the heads"
    lead = next(block for block in blocks(page) if block["kind"] == "said" and "lead" in block["style"])
    weight = mha.attend(DOG)[2, 8][7, 9]
    assert f"it gives {percent(weight)} of its attention to hungry" in "".join(span[1] for span in lead["spans"])
    assert {block["kind"] for block in blocks(page)} >= {"cell_hero", "cell_dims", "flow", "cell_keys"}
    back = next(button for button in page.test.button if button.label == "← Back to the map")
    back.click()
    page.run()
    header = page.header("overview")
    assert header["pins"] == ["L2H8", "L0H1"]
    assert page.test.session_state["lock"] == 7
    assert page.test.session_state["sinks"] is False
    assert page.header("pinned")["cells"]


def test_a_cell_that_the_text_does_not_have_is_said(visit):
    page = visit(text=DOG, heads_cell="L2H8 7 99")
    assert "in this link: heads_cell (" in page.said()
    assert "you asked for L2H8, 7 and 99" in page.said()
    assert page.components("overview")


def test_another_text_closes_the_cell(visit):
    page = visit(text=DOG, heads_cell="L2H8 7 9")
    page.test.text_area(key="text").set_value("I saw the man")
    page.run()
    assert page.test.session_state["heads_cell"] == ""
    assert page.components("overview")


def test_the_toy_has_the_same_picture(visit):
    page = visit(model="toy", text="The man saw an astronomer with a telescope", heads_cell="L0H0 7 1")
    dims = next(block for block in blocks(page) if block["kind"] == "cell_dims")
    assert dims["products"] == [6, 0]
    keys = next(block for block in blocks(page) if block["kind"] == "cell_keys")
    assert next(row for row in keys["rows"] if "chosen" in row["style"])["weight"][1] == "91\u00a0%"


def test_a_cell_of_a_model_that_looks_back_only(visit, tiny_offered):
    page = visit(model="tiny-causal", text="a dog ate the food", heads_cell="L1H2 1 3")
    lead = next(block for block in blocks(page) if block["kind"] == "said" and "lead" in block["style"])
    assert "cannot look at" in "".join(span[1] for span in lead["spans"])
    assert place_of(page.test.session_state["heads_cell"]).key == 3


@pytest.mark.parametrize("stack", ["Decoder", "Cross"])
def test_a_cell_of_each_attention_of_an_encoder_decoder_is_opened(visit, reverser, stack):
    text = "river boat lamp garden bread"
    page = visit(model="backwards", text=text, heads_stack=stack, heads_cell="L1H2 2 1")
    (lead,) = [
        block
        for data in page.components("blocks_cell")
        for block in data["blocks"]
        if block["kind"] == "said" and "lead" in block["style"]
    ]
    told = "".join(span[1] for span in lead["spans"])
    assert told.startswith("In head L1H2, ")
    found = mha.cell(text, (1, 2), 2, 1, "reverser", target="bread garden lamp boat river", stack=stack.lower())
    assert (percent(found.weight) if found.weight >= 0.005 else "less than 1\u00a0%") in told
    page.test.segmented_control(key="heads_stack").set_value("Encoder")
    page.run()
    assert page.components("overview"), "in another attention its places are others"
