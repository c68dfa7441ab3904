"""Captions: a term in double brackets opens its line of the glossary; the reader's own words are only ever text."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from mha.app.components import as_json
from mha.screens.blocks import say
from mha.views.envelope import PACKED, SMALLEST, packed, seal, unpacked


def spans(template):
    return list(say(template))


def test_a_term_without_an_entry_is_a_mistake_of_ours():
    with pytest.raises(KeyError, match="'flurb' is not in docs/glossary.md"):
        spans("a [[flurb]]")


@pytest.mark.parametrize("text", ["[[", "]]", "[[]]", "[x]", "[[head", "a [b]] c"])
def test_brackets_that_mark_no_term_stay_as_they_are(text):
    assert "".join(span[1] for span in spans(text)) == text


def test_what_is_drawn_has_the_sentences_of_its_terms_and_the_reader_s_words_as_text():
    def page():
        from mha.ui.component import caption

        caption("Rows are [[queries|query]]; last: ", [("plain", "[[head]] <b>")], key="one", style="sub")

    app = AppTest.from_function(page).run(timeout=20)
    assert not app.exception
    (component,) = app.get("bidi_component")
    data = json.loads(unpacked(component.proto.bytes))
    (drawn,) = data["blocks"]
    assert drawn["kind"] == "said"
    assert drawn["spans"] == [
        ["plain", "Rows are "],
        ["term", "queries", "query"],
        ["plain", "; last: "],
        ["plain", "[[head]] <b>"],
    ]
    assert "terms" not in data  # a browser has the glossary: tests/ui/test_served.py
    assert drawn["style"] == "caption sub"


def test_json_travels_as_bytes_that_no_envelope_is_taken_for_and_holds_nothing_that_json_lacks():
    sent = as_json({"blocks": [{"kind": "said", "spans": [["word", "Straße 😀"]]}]})
    assert sent == '{"blocks":[{"kind":"said","spans":[["word","Straße 😀"]]}]}'.encode()
    assert sent[3]
    assert not seal({"text": "a" * 70_000}, {})[3]
    assert as_json({"half a letter": "\ud83d"}) == b'{"half a letter":"?"}'
    with pytest.raises(ValueError, match="JSON"):
        as_json({"weight": float("nan")})


@pytest.mark.parametrize("count", [0, 1, SMALLEST - 1, SMALLEST, 7 * SMALLEST])
def test_what_is_long_is_compressed_and_comes_back(count):
    content = b"looks at " * (count // 9) + b"x" * (count % 9)
    sent = packed(content)
    assert unpacked(sent) == content
    assert sent.startswith(PACKED) == (count >= SMALLEST)
    assert len(sent) <= max(count, SMALLEST) / (1 if count < SMALLEST else 5)
