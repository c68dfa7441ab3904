"""What a run says that it is of: the browser marks what is of another text until it has come anew."""

import pytest

from tests.pages.conftest import opened_at
from tests.pages.test_next import data_of


def of(page):
    (data,) = page.components("bar")
    return data["of"]


def test_a_run_says_the_text_and_the_model_that_it_is_of(visit):
    page = visit(text="They are hunting dogs", model="toy")
    assert of(page) == {"second": "", "text": "They are hunting dogs", "model": "toy"}


@pytest.mark.parametrize("text", ["", "  A dog\r\nbarked ", "\u200b"])
def test_it_says_what_stands_in_the_field_whatever_is_made_of_it(visit, text):
    page = visit()
    page.test.text_area(key="text").set_value(text)
    assert of(page.run())["text"] == text


def test_a_first_run_says_what_the_field_will_show(visit):
    page = visit()
    assert of(page)["text"] == page.test.text_area(key="text").value


def test_a_second_sentence_is_said():
    assert data_of(opened_at("compare.py", second="A cat barked"), "bar")["of"]["second"] == "A cat barked"


def test_it_is_said_in_a_frame_of_another_site_too(monkeypatch, visit):
    from streamlit.runtime.context import ContextProxy

    monkeypatch.setattr(ContextProxy, "is_embedded", True)
    page = visit(text="A dog barked")
    assert of(page)["text"] == "A dog barked"
