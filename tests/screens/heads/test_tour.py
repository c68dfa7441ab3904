"""The tour says what is on the page, whatever sentence, heads and model that is."""

import numpy as np
import pytest

from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Recording, Token
from mha.screens.blocks import as_data
from mha.screens.heads.picture import picture_of
from mha.screens.heads.tour import tour


def text(spans):
    return "".join(span[1] for span in spans)


def stops(maps, **view):
    return tour(picture_of(View(text=maps.text, **view), Recording(maps), maps.text))


def test_five_stops_name_the_heads_and_words_that_are_there(shown):
    found = stops(shown, pins=(HeadId(1, 2), HeadId(0, 1)))
    assert [stop.where for stop in found] == ["sentence", "head", "pinned", "readings", "steps"]
    sentence, one, pinned, *_ = found
    assert text(sentence.said).startswith("Each arc starts at a word that looks")
    assert text(sentence.small).startswith("This shows where L1H2 and L0H1 look.")
    assert one.at == 5
    assert text(one.said).endswith("Strongest here: the₂ → the₁.")
    assert (
        text(pinned.said)
        == "Pinned heads appear here, enlarged. Each row adds up to 100\u00a0%. You can pin up to four heads."
    )
    assert all(len(text(stop.said).split()) <= 25 for stop in found)
    assert as_data(found)[1]["at"] == 5


def test_without_a_pin_nothing_is_told_of_one(shown):
    sentence, one, pinned, *_ = stops(shown, pins=())
    assert "No head is pinned" in text(sentence.said)
    assert text(sentence.small) == text(sentence.said)
    assert one.at == 0
    assert text(pinned.said) == "Pin a head and it appears here, enlarged. You can pin up to four."


@pytest.mark.parametrize("sinks", [True, False])
def test_one_word_alone_and_marks_that_are_set_aside(sinks):
    tokens = (Token("[CLS]", special=True), Token("Yes", "Yes", 0, start=0, end=3), Token("[SEP]", special=True))
    maps = AttentionMaps(np.full((1, 1, 3, 3), 1 / 3, np.float32), tokens, text="Yes", model="MiniLM", units="words")
    _, one, pinned, *_ = stops(maps, pins=(HeadId(0, 0),), sinks=sinks)
    assert ("hardly looks at other words" in text(one.said)) is sinks
    assert ("adds up to 100" in text(pinned.said)) is sinks
