"""One cell on the Heads page: opened by a link or from a pinned map, and back to where the reader was."""

import json

import mha
from mha.formats import percent
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
