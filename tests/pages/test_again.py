"""What a browser still holds of what it has not heard of is no choice of anybody's, in a closed popover or anywhere."""

import pytest
from streamlit.testing.v1 import AppTest

from mha.app.errors import APOLOGY
from mha.ui import again, page_run
from tests.pages.conftest import IS_OPEN

TEXTS = ("I saw the man with the telescope", "The dog chased the cat because it was hungry", "All is well")
OWN = "My own words are here"


def saying_again(page, key, label, run):
    """Let the browser say, with a run, what a list in a popover showed when it was last looked at."""
    for kind in (page.test.selectbox, page.test.pills):
        for box in (box for box in kind if box.key == key):
            box.options = [label]
            box.set_value(label)
    run()
    page.run()


def typed(page, text):
    return lambda: page.test.text_area(key="text").set_value(text)


def test_a_sentence_that_was_typed_is_not_given_up_for_an_example_that_was_chosen_before_it(visit):
    page = visit()
    page.test.pills(key="example_rest").select("who was late")
    page.run()
    chosen = page.test.session_state["text"]
    (label,) = [label for label in page.test.pills(key="example_rest").options if label.startswith("who was late")]
    saying_again(page, "example_rest", label, typed(page, OWN))
    assert page.test.session_state["text"] == OWN != chosen
    saying_again(page, "example_rest", label, lambda: page.test.toggle(key="large").set_value(True))
    assert page.test.session_state["text"] == OWN
    saying_again(page, "example_rest", label, lambda: None)  # the popover was opened, and this is what they did
    assert page.test.session_state["text"] == chosen


def test_of_two_sentences_the_second_is_not_given_up_for_the_example_before_the_first(visit):
    page = visit()
    page.run()
    label = page.test.pills(key="example_front").value
    page.test.text_area(key="text").set_value("A dog barked")
    page.run()  # the browser says this example for the last time before it hears that none is chosen
    pins = page.test.session_state["pins"]
    saying_again(page, "example_front", label, typed(page, OWN))
    assert page.test.session_state["text"] == OWN
    assert page.test.session_state["pins"] == pins
    saying_again(page, "example_front", label, lambda: None)  # it was clicked
    assert page.test.session_state["text"] == TEXTS[0]


def begin_anew(page):
    """Let the server begin anew while a page is open: it knows nothing, and is told what the page's widgets hold."""
    said, fresh = page.test._tree.get_widget_states(), AppTest.from_string("")
    page.test._session_state, page.test.session_state = fresh._session_state, fresh.session_state
    page.test._run(said)
    page.run()


def test_what_is_typed_while_the_server_begins_anew_is_kept_with_all_that_the_address_says(visit):
    page = visit(text=TEXTS[0], pins=["L2H3", "L4H5"])
    typed(page, OWN)()
    begin_anew(page)
    assert page.test.query_params["text"] == OWN
    assert page.test.query_params["pins"] == ["L2H3", "L4H5"]
    assert page.header("overview")["keys"][:-1] == OWN.split()[:-1]


def test_where_nothing_was_typed_the_address_says_what_it_said(visit):
    page = visit(text=TEXTS[1], large="true")
    before = dict(page.test.query_params)
    begin_anew(page)
    assert dict(page.test.query_params) == before
    page = visit()
    begin_anew(page)
    assert "text" not in page.test.query_params


@pytest.mark.parametrize("key", ["example_front", "example_rest", "reveal_shown"])
def test_what_may_be_said_again_is_known(visit, key):
    visit()
    assert key in again._noted
    assert "text" not in again._noted


def test_whatever_an_example_raises_the_page_is_drawn_from_what_stood(visit, monkeypatch):
    page = visit(text=TEXTS[1])

    def fail(_label):
        raise KeyError("no such example")

    monkeypatch.setattr("mha.ui.controls.take", fail)
    page.test.pills(key="example_front").set_value("the hungry dog")
    page.run()
    assert page.said().count(APOLOGY) == 1
    assert page.test.session_state["text"] == TEXTS[1]
    assert page.header("overview")["heads"]
    page.run()
    assert APOLOGY not in page.said()


def test_what_was_chosen_in_a_menu_stays_when_the_menu_is_closed(visit, monkeypatch):
    monkeypatch.setattr(page_run, "is_open", IS_OPEN)
    page = visit()
    page.test.session_state["view_open"] = True
    page.run()
    page.test.toggle(key="large").set_value(True)
    page.test.toggle(key="sinks").set_value(False)
    page.run()
    page.test.session_state["view_open"] = False
    page.run()
    for text in TEXTS[1:]:
        page.test.text_area(key="text").set_value(text)
        page.run()
        assert page.test.session_state["large"] is True
        assert dict(page.test.query_params)["large"] == "true"
        assert dict(page.test.query_params)["sinks"] == "false"
