"""Whole model under AppTest: what it opens with, models that have no bundled atlas, links that ask for what is not."""

import functools

import pytest

from mha.link.atlas import CORPUS
from mha.screens.atlas.findings import QUESTIONS


def verdict(page):
    return [
        "".join(span[1] for span in block["spans"]) for block in page.of_kind("said") if block["style"] == "verdict"
    ]


def told(page):
    blocks = [block for data in page.components("blocks") for block in data["blocks"]]
    texts = ["".join(span[1] for span in block["spans"]) for block in blocks if "spans" in block]
    return "\n".join(texts)


@pytest.fixture
def atlas(visit):
    return functools.partial(visit, at="atlas.py")


def test_it_opens_on_the_bundled_sentences(atlas):
    page = atlas()
    assert verdict(page) == ["Counting similar heads as one, the 72 heads look in 3.9 different ways."]
    (found,) = page.of_kind("atlas_map")
    assert found["texts"][1][8] == "63"
    row = next(one for one in page.of_kind("row_chart") if one["style"] == "intervals")
    assert "ring" in {mark["shape"] for mark in row["rows"][0]["marks"]}


def test_the_toy_is_shown_on_this_sentence_with_the_reason(atlas):
    page = atlas(model="toy", text="Money Bank")
    assert "knows only a few words" in page.said()
    assert "this sentence" in told(page)
    assert "different ones" not in told(page)


@pytest.mark.parametrize("text", ["One", "...", "dog " * 200])
def test_any_text_gets_a_sentence(atlas, text):
    page = atlas(text=text, atlas_over="this sentence")
    assert not page.test.exception
    assert told(page) or page.said()
    assert len(verdict(page)) == 1, "one first heading"


def test_where_nothing_is_measured_the_page_opens_with_its_question(atlas, tiny_offered):
    page = atlas(model=tiny_offered[0])
    assert verdict(page) == [QUESTIONS[CORPUS]]
    assert "There are no numbers over the sample sentences" in told(page)


def test_a_sheet_has_its_own_link_and_a_head_of_another_model_leaves_it(atlas):
    page = atlas(atlas_head="L2H8")
    assert verdict(page) == ["Head L2H8"]
    assert page.of_kind("sheet_looks")
    assert not page.of_kind("atlas_map")
    page.test.session_state["atlas_head"] = None
    page.run()
    assert page.of_kind("atlas_map")
    wrong = atlas(atlas_head="L9H9")
    assert "atlas_head" in wrong.said()
    assert wrong.of_kind("atlas_map")


def test_removed_choice_of_texts_is_named_with_those_there_are(atlas):
    for left in ("two readings", "your own"):
        page = atlas(atlas_over=left)
        assert "atlas_over" in page.said()
        assert page.of_kind("atlas_map")


@pytest.mark.slow
def test_smollm2_opens_on_its_bundled_sentences(atlas):
    page = atlas(model="smollm2", text="The capital of France is")
    assert verdict(page) == ["Counting similar heads as one, the 270 heads look in 2.9 different ways."]
    assert "Average over 300 sample sentences" in told(page)
    assert "nan" not in page.said().lower().split()
    profile = atlas(model="smollm2", text="The capital of France is", atlas_head="L0H8")
    assert verdict(profile) == ["Head L0H8"]
    assert "averaged over 50 sentences" in profile.said()
