"""A long text: what is said of it is the survey's, nothing is cut without a word, and what travels fits the picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.figures.thumbnails import encode_roots
from mha.formats import percent
from mha.maps import HeadId
from mha.models.watch.lengths import Measure
from mha.screens.blocks import as_text
from mha.screens.long import drawings, long_text
from mha.screens.long.surveyed import AT, FROM, TOPS, SurveyedText, first_token, found_in, top_of
from tests.screens.long.cases import WORDS, survey, tokens, whole

MANY = tuple(f"word{n}" for n in range(701))


def test_the_first_locked_word_is_the_long_one_that_stands_most_often() -> None:
    assert first_token(tokens()) == 4  # river, four times; the first of them stands at the very beginning
    assert first_token(tokens(("a", "b", "c"))) == 1
    assert first_token(tokens(("tree", "stone", "a", "stone"))) == 2


@pytest.mark.parametrize("side", [AT, FROM])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("token", [1, 4, 11])
def test_the_finding_is_the_largest_weight_of_all_heads(side: str, causal: bool, token: int) -> None:
    found = survey(token, causal=causal)
    long = SurveyedText(found, token, side)
    values = (found.columns if side == AT else found.rows)[token].copy()
    values[..., token] = values[..., 0] = 0  # itself, and the special token
    sentence = as_text(drawings.finding(long).spans)
    if values.max() == 0:
        assert ("In no head does another token look at" in sentence) or ("looks at no other" in sentence)
        return
    layer, head, place = np.unravel_index(int(values.argmax()), values.shape)
    assert f"Of 6 heads, L{layer}H{head} looks most" in sentence
    distance = abs(int(place) - token)
    assert f"{distance} token{'s' if distance > 1 else ''} {'later' if place > token else 'before'}" in sentence
    assert sentence.endswith(f", {percent(float(values.max()))} of its attention.")
    assert long.head == HeadId(int(layer), int(head))
    assert [line.weight for line in long.lines] == sorted((line.weight for line in long.lines), reverse=True)


def test_what_cannot_be_is_absent_and_not_zero() -> None:
    long = SurveyedText(survey(4), 4)
    assert list(np.flatnonzero(long.absent)) == [0, 1, 2, 3]
    assert list(np.flatnonzero(SurveyedText(survey(4), 4, FROM).absent)) == list(range(5, 12))
    assert not SurveyedText(survey(4, causal=False), 4).absent.any()
    header = drawings.reader(long).header
    assert [piece[3] for piece in header["pieces"]] == [1, 1, 1, 1] + [0] * 8


def test_the_window_stays_inside_and_has_64_tokens() -> None:
    found = survey(1, MANY)
    for start in (-9, 0, 300, 5000):
        window = SurveyedText(found, 1, start=start).window
        assert len(window) == 64
        assert window.start >= 0
        assert window.stop <= 702
    assert SurveyedText(survey(), 1, start=7).window == range(12)


def test_what_travels_of_the_window_is_the_heads_map_there() -> None:
    full = whole(HeadId(1, 2), MANY)
    long = SurveyedText(survey(1, MANY), 1, pin=HeadId(1, 2), start=100, whole=full)
    drawing = drawings.reader(long)
    np.testing.assert_array_equal(drawing.arrays["map"], full[100:164, 100:164])
    column = long.values[1, 2]
    assert drawing.header["cell"] == 3
    assert drawing.arrays["strip"].shape == (234,)
    pooled = [column[i : i + 3].max() for i in range(0, 702, 3)]
    np.testing.assert_array_equal(drawing.arrays["strip"], encode_roots(np.array(pooled)))
    assert drawings.profiles(long).arrays["weights"].shape == (2, 3, 234)
    header = drawings.reader(SurveyedText(survey(1, MANY), 1)).header
    assert not header["map"]
    assert header["say"] == {"none": "No other token does.", "map": drawings.NO_MAP}


@pytest.mark.parametrize("at", [AT, FROM])
def test_under_the_map_stands_its_direction_and_what_is_framed_in_it(at: str) -> None:
    pin, maps = HeadId(1, 2), survey(1, MANY)
    away = SurveyedText(maps, 3, at, pin, start=100, whole=whole(pin, MANY))
    there = SurveyedText(maps, 110, at, pin, start=100, whole=whole(pin, MANY))
    way = "look back at" if maps.causal else "look at"
    assert drawings.map_about(away) == f"Rows {way} columns, inside the window."
    side = "column" if at == AT else "row"
    framed = f" {as_text((there.name(110),))}: the framed {side}."
    assert drawings.map_about(there) == f"Rows {way} columns, inside the window.{framed}"


def test_a_line_of_text_has_the_token_in_the_middle() -> None:
    long = SurveyedText(survey(1, MANY), 1)
    for line, look in zip(drawings.reader(long).header["lines"], long.lines, strict=True):
        text = long.survey.text
        token = long.survey.tokens[look.query]
        assert line["token"] == text[token.start : token.end]
        assert (line["before"].removeprefix("…") + line["token"] + line["after"].removesuffix("…")) in text


def test_a_scale_ends_at_a_round_weight_that_covers_the_quantile() -> None:
    values = np.linspace(0, 0.3, 1001)
    assert top_of(values, 0.97, 4096) == 0.5
    assert top_of(values / 10, 0.97, 4096) == 0.05
    assert top_of(values, 0.97, 64) == 1
    assert top_of(np.zeros(5), 0.97, 4096) == TOPS[0]


def test_what_was_read_and_what_was_not_is_said() -> None:
    measure = Measure("", 6840, 4096, (), ())
    assert long_text.said_read(measure, 0, 4096) == (
        "Read: tokens 0 to 4,095 of 6,840, the limit of this model. Not read: the last 2,744."
    )
    assert long_text.said_read(measure, 5000, 1840) == (
        "Read: tokens 5,000 to 6,839 of 6,840. Not read: the first 5,000."
    )
    assert "Not read: the first 9 and the last 2,735." in long_text.said_read(measure, 9, 4096)
    short = Measure("", 700, 4096, (), ())
    assert long_text.said_read(short, 0, 700) == "Read: all 700 tokens (limit 4,096)."


def test_what_is_kept_is_counted() -> None:
    long = SurveyedText(survey(1, MANY), 1, pin=HeadId(0, 0))
    line = long_text.said_kept(long, whole=True)
    assert "the overview, 6 × 47 × 47 (0.1 MB)" in line
    assert "all of L0H0, 702 × 702 (0.9 MB)" in line
    assert "Too large to save: all maps (11 MB)" in line
    assert "all of L0H0" not in long_text.said_kept(long, whole=False)


def test_layers_that_are_not_done_are_not_there() -> None:
    found = survey()
    partial = drawings.overview(list(found.overview)[:1], 2, 1, None, causal=True)
    assert (partial.header["done"], partial.header["layers"]) == (1, 2)
    assert partial.arrays["cells"].shape == (1, 3, 12, 12)
    assert long_text.under_way(1, 4, 2.0, again=False) == "Layer 2 of 4 · about 6 s left"
    assert long_text.under_way(0, 4, 0.0, again=False) == "Layer 1 of 4."
    assert long_text.stopped(1, 4, known=False) == "Stopped after 1 of 4 layers. Hatched layers are not computed yet."
    assert "Nothing is drawn" in long_text.stopped(0, 4, known=False)
    assert "hatched" not in long_text.stopped(1, 4, known=True)


def test_search_finds_tokens_wherever_the_text_stands() -> None:
    own, text = tokens(), " ".join(WORDS)
    assert found_in(own, text, "River") == (1, 4, 7, 11)
    assert found_in(own, text, "ver b") == (1, 7)
    assert found_in(own, text, " ") == ()
    assert found_in(own, text, "nowhere") == ()


@given(st.text(max_size=6))
def test_every_hit_overlaps_what_was_searched_for(wanted: str) -> None:
    own, text = tokens(), " ".join(WORDS)
    for place in found_in(own, text, wanted):
        assert wanted.strip().casefold()[0] in text[own[place].start : own[place].end].casefold() + " "
