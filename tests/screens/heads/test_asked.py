"""Ask a word: rows and first lines of both answers, checked against the maps."""

import re

import numpy as np
import pytest

import mha
from mha.analysis.looks import ask, impossible_connections
from mha.formats import whole_percent
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Token
from mha.screens.heads.asked import MOST_ROWS, asked
from mha.screens.shown import shown_for

TROPHY = "The trophy would not fit in the suitcase because it was too big"


def said(spans):
    return "".join(span[1] for span in spans).replace("\u00a0", " ")


def shown_of(text, lock, **view):
    return shown_for(View(text=text, lock=lock, look="ask", **view), mha.attend(text))


@pytest.mark.parametrize("units", ["words", "tokens"])
def test_rows_are_the_looks_of_the_maps_and_the_first_line_counts_them(units):
    shown = shown_of(TROPHY, 10, units=units)
    sent, maps = asked(shown), mha.attend(TROPHY).merged()
    assert said(sent["title"]) == "About it"
    assert ("whole words" in said(sent["about"])) == (units == "tokens")
    for answer, found, forth in zip(sent["answers"], ask(maps, 9, most=None), (True, False), strict=True):
        assert said(answer["line"]).startswith(f"{len(found)} connections are 10 percentage points or more above usual")
        assert len(answer["rows"]) == len(found) == answer["count"]
        for index, other, share, usual in answer["rows"]:
            word = shown.maps.tokens[other].word + 1
            weight = maps[HeadId(*divmod(index, 12))][(10, word) if forth else (word, 10)]
            assert share == whole_percent(weight)
            assert share - usual >= 9
    far = re.search(r"more than two words away|within two words", said(sent["answers"][1]["line"]))
    assert far


def test_a_head_that_looks_at_two_words_has_two_rows_as_the_mock_counts_them():
    first, _ = asked(shown_of(TROPHY, 10))["answers"]
    assert said(first["line"]).startswith(
        "45 connections are 10 percentage points or more above usual: to big, trophy, suitcase and oth"
    )
    heads = [row[0] for row in first["rows"]]
    assert len(heads) > len(set(heads))


def test_of_very_many_looks_the_first_travel_and_all_are_counted():
    words = tuple(Token(f"w{i}", word=i, start=4 * i, end=4 * i + 3) for i in range(9))
    maps = AttentionMaps(np.full((4, 12, 9, 9), 1 / 9, dtype=np.float32), words, text="", units="words")
    first, second = asked(shown_for(View(lock=4, look="ask"), maps))["answers"]
    assert first["count"] == second["count"] == 4 * 12 * 8
    assert len(first["rows"]) == MOST_ROWS
    assert said(first["line"]).startswith("384 connections of 10 % or more: to w0, w1, w2 and others. 192 are more")


def test_nothing_is_sent_unless_it_was_asked():
    maps = mha.attend(TROPHY)
    assert asked(shown_for(View(), maps)) is None
    assert asked(shown_for(View(lock=10), maps)) is None
    assert asked(shown_for(View(lock=-1, look="ask"), maps)) is None
    assert asked(shown_for(View(lock=10, look="ask"), maps))["answers"][0]["rows"][0] == [25, 12, 77, 4]


@pytest.mark.parametrize(("lock", "sinks"), [(0, False), (2, True)])
def test_marks_and_sinks_are_no_words_to_ask(lock, sinks):
    sent = asked(shown_of("Well, they left", lock, sinks=sinks))
    assert sent["answers"] == []
    assert " is not a word here" in said(sent["about"])


def test_a_dull_answer_is_said_too_and_one_head_is_one():
    words = tuple(Token(f"w{i}", word=i, start=3 * i, end=3 * i + 2) for i in range(5))
    weights = np.zeros((1, 2, 5, 5), dtype=np.float32)
    weights[..., range(5), range(5)] = 1
    weights[0, 0, 1] = (0, 0.4, 0, 0, 0.6)
    maps = AttentionMaps(weights, words, text="w0 w1 w2 w3 w4", units="words")
    first, second = asked(shown_for(View(lock=1, look="ask"), maps))["answers"]
    assert said(first["line"]) == "1 connection of 10 % or more: to w4. It is more than two words away."
    assert said(second["line"]) == "In no head does another word give w1 as much as 10 % of its attention."
    assert first["rows"] == [[0, 4, 60, None]]
    assert "Strongest first." in said(asked(shown_for(View(lock=1, look="ask"), maps))["about"])
    (line, _) = (answer["line"] for answer in asked(shown_for(View(lock=0, look="ask"), maps))["answers"])
    assert said(line) == "From w0, no head gives another word as much as 10 % of its attention."


def causal_of(text):
    own = text.split()
    starts = [len(" ".join(own[:place])) + bool(place) for place in range(len(own))]
    tokens = tuple(
        Token(word, word=place, start=start, end=start + len(word))
        for place, (word, start) in enumerate(zip(own, starts, strict=True))
    )
    rows = np.tril(np.ones((len(own), len(own)))) / np.arange(1, len(own) + 1)[:, None]
    return AttentionMaps(np.tile(rows, (2, 3, 1, 1)), tokens, text=text, causal=True)


def test_last_word_of_a_causal_text_looks_and_is_not_looked_at():
    maps = causal_of("The capital of France is")
    shown = shown_for(View(text=maps.text, lock=4, look="at"), maps)
    assert (shown.lock, shown.look) == (3, "from")
    assert shown_for(View(text=maps.text, lock=1, look="at"), maps).look == "at"
    first, second = impossible_connections(maps, "is")
    assert first == ""
    assert second == "No word can look at {word}: this model reads left to right, and no word comes after it."
    assert impossible_connections(maps, "capital")[0].startswith("{word} has no other word to look at")
    sent = asked(shown_for(View(text=maps.text, lock=4, look="ask"), maps))
    assert said(sent["answers"][1]["line"]).startswith("No word can look at is: this model reads left to right")
    assert impossible_connections(mha.attend(TROPHY), "big") == ("", "")
