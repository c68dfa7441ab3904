"""The overview's spec says what is drawn; its face drops what a page may not ask for."""

import dataclasses
import json
import shutil
import subprocess

import numpy as np
import pytest
from mha.readers.envelope import seal

from mha.analysis.opening import Opening
from mha.analysis.usual import N_DISTANCES, Habit, column
from mha.assets import ASSETS
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Reading, Token
from mha.screens.blocks import Drawing
from mha.screens.heads import findings
from mha.screens.heads.overview import overview_of
from mha.screens.pieces import sentence_pieces
from mha.screens.shown import shown_for
from tests.screens.heads.specs import overview_spec
from tests.unsealed import unseal

CLS, SEP = Token("[CLS]", special=True), Token("[SEP]", special=True)
STOP = Token(".", start=19, end=20)


def said(sentence):
    return "".join(text for _, text in sentence).replace("\u00a0", " ")


def test_the_spec_carries_thumbnails_looks_and_shares(shown, share):
    spec = overview_spec(shown, share, pins=(HeadId(0, 1), HeadId(1, 0)), sinks=(CLS, SEP))
    header, arrays = unseal(seal(spec))
    assert (header["layers"], header["heads"], header["size"]) == (2, 3, [5, 5])
    assert header["pins"] == ["L0H1", "L1H0"]
    assert header["share"] == [30, 40, 50, 62, 13, 0]  # halves up
    assert header["looks"][1] == [2, 4, 68, None]
    assert header["looks"][5] == [3, 0, 95, None]
    assert header["keys"] == ["the₁", "dog", "saw", "the₂", "cat"]
    assert header["title"] == "All 6 heads"
    assert arrays["maps"].shape == (2, 3, 5, 5)
    assert arrays["maps"][0, 1, 2, 4] == round(255 * 0.68**0.5)


def test_at_a_word_each_head_has_its_sentence_with_the_verb(shown, share):
    pins = (HeadId(0, 1), HeadId(1, 0))
    first, second = overview_spec(shown, share, pins=pins, lock=4, sinks=(CLS, SEP)).header["finding"]
    assert said(first) == "In head L0H1, saw gives 68 % of its attention to cat."
    assert said(second) == "In head L1H0, dog gives 69 % of its attention to cat."
    assert ("word", "saw") in first
    assert ("head", "L0H1") in first


def test_from_a_word_the_finding_is_one_sentence(shown, share):
    pins = (HeadId(0, 1), HeadId(1, 2))
    header = overview_spec(shown, share, pins=pins, lock=2, look="from").header
    (finding,) = header["finding"]
    assert said(finding) == "From saw, L0H1 gives 68 % of its attention to cat, and L1H2 gives 20 % to the₁."
    (alone,) = overview_spec(shown, share, pins=pins[:1], lock=2, look="ask").header["finding"]
    assert said(alone) == "From saw, L0H1 gives 68 % of its attention to cat."
    assert said(header["note"]) == "{Click} a word to see which heads look at it, and where it looks."
    assert header["looks"][1] == [2, 4, 68, None]


def test_a_head_is_told_by_the_look_it_was_chosen_for(shown, share):
    spec = overview_spec(shown, share, pins=(HeadId(0, 1),), lock=2, look="from", named={HeadId(0, 1): (2, 0)})
    assert said(spec.header["finding"][0]) == "From saw, L0H1 gives 8 % of its attention to the₁."
    assert spec.header["looks"][0][1] == 0, "others by their strongest"


def test_a_head_that_was_picked_for_a_look_the_other_way_is_told_and_drawn_by_it(shown, share):
    pins, named = (HeadId(0, 1), HeadId(1, 2)), {HeadId(1, 2): (3, 2)}
    spec = overview_spec(shown, share, pins=pins, lock=2, look="from", named=named)
    first, second = (said(sentence) for sentence in spec.header["finding"])
    assert first == "From saw, L0H1 gives 68 % of its attention to cat."
    assert second.startswith("From the₂, L1H2 gives ")
    assert second.endswith(" of its attention to saw.")
    links = [spec.arrays[f"link_{name}"] for name in ("queries", "keys", "percents")]
    drawn = {
        (head, int(q), int(k)) for head in (1, 5) for q, k, p in zip(*(one[head] for one in links), strict=True) if p
    }
    assert all(query == 2 for head, query, _ in drawn if head == 1)
    assert all(key == 2 for head, _, key in drawn if head == 5)


def test_how_usual_a_look_is_stands_under_the_finding(shown, share):
    habit = Habit(np.full((2, 3, N_DISTANCES), 0.03, dtype=np.float32), {})
    habit.weights[0, 1, column(2)], habit.weights[1, 2, column(-2)] = 0.04, 0.2

    def told(*pins):
        return said(overview_spec(shown, share, pins=pins, lock=2, look="from", habit=habit).header["note"])

    assert told(HeadId(0, 1)).startswith("Usually this head gives 4 % at this distance.")
    assert told(HeadId(0, 1), HeadId(1, 2)).startswith("Usually these heads give 4 % and 20 % at these distances.")
    habit.weights[0, 1, column(2)] = 0.5
    assert told(HeadId(0, 1)).startswith("Usually this head gives 50 % at this distance.")
    spec = overview_spec(shown, share, pins=(HeadId(0, 1),), lock=2, look="from", habit=habit)
    assert spec.header["looks"][1] == [2, 4, 68, 50]
    tokens = dataclasses.replace(shown, units="tokens")
    spec = overview_spec(tokens, share, pins=(HeadId(0, 1),), lock=2, look="from", habit=habit)
    assert spec.header["looks"][1] == [2, 4, 68, None], "a habit goes by whole words"


def test_shares_are_those_before_rescaling(shown, share):
    raw = dataclasses.replace(shown, weights=shown.weights * 0.5)
    mass = np.full((2, 3, 5), 0.5)
    spec = overview_spec(shown, share, raw=raw, mass=mass, pins=(HeadId(0, 1),), lock=2, look="from", sinks=(CLS, SEP))
    assert said(spec.header["finding"][0]) == "From saw, L0H1 gives 34 % of its attention to cat."
    assert spec.header["rests"] == [50] * 6
    assert spec.header["share"] == [30, 40, 50, 62, 13, 0]
    assert spec.arrays["left"].tolist() == [[[50] * 5] * 3] * 2
    assert spec.arrays["maps"][0, 1, 2, 4] == round(255 * 0.68**0.5), "maps share what is left"
    own = [spec.arrays[f"link_{name}"][1].tolist() for name in ("queries", "keys", "percents")]
    assert {link for link in zip(*own, strict=True) if link[2]} == {(2, 4, 34), (2, 0, 4), (2, 1, 4), (2, 3, 4)}
    assert "left" not in overview_spec(shown, share, raw=raw, mass=mass, aside=False, sinks=(CLS, SEP)).arrays


def test_what_goes_to_special_tokens_is_of_the_row_that_the_arc_starts_from(shown, share):
    head, mass = HeadId(0, 1), np.zeros((2, 3, 5))
    mass[..., 2], mass[..., 4] = 0.3, 0.2
    spec = overview_spec(
        shown, share, mass=mass, pins=(head,), lock=2, look="from", named={head: (4, 2)}, sinks=(CLS, SEP)
    )
    assert spec.header["rests"] == [30, 20, 30, 30, 30, 30]


def test_two_readings_mark_their_words_and_say_where_no_head_was_found(shown, share):
    head, habit = HeadId(0, 1), Habit(np.zeros((2, 3, N_DISTANCES), dtype=np.float32), {})
    header = overview_spec(
        shown, share, pins=(head,), lock=2, look="from", named={head: (2, 4)}, habit=habit, chosen_pins=True,
        opening=Opening((head,), 2, ((2, 4),), sides=("b",)),
        readings=(Reading("the dog saw", ((2, 1),)), Reading("saw the cat", ((2, 4),))),
    ).header  # fmt: skip
    assert header["readings"] == {"pivot": [2], "a": [1], "b": [4], "sides": {"L0H1": "b"}}
    first, second = (said(sentence) for sentence in header["finding"])
    assert first == "Between saw and dog, no head gives 10 percentage points more attention than usual."
    assert second == "From saw, L0H1 gives 68 % of its attention to cat."
    assert overview_spec(shown, share).header["readings"] is None
    assert said(findings.lacking("saw", ["dog"], 10, known=False)[0]).endswith("more attention than an even share.")


def test_a_lock_asks_for_the_strongest_look_at_that_word(shown, share):
    looks = overview_spec(shown, share, lock=0).header["looks"]
    assert looks[5] == [3, 0, 95, None]
    assert looks[0] == [1, 0, 20, None]  # not the word itself
    assert looks[1][1] == 0


def test_no_pin_and_more_than_two_pins_are_said(shown, share):
    assert "No head is pinned" in said(overview_spec(shown, share).header["finding"][0])
    three = overview_spec(shown, share, pins=shown.heads[:3]).header
    assert len(three["finding"]) == 2
    assert "{Point} at another pin to show it here" in said(three["note"])


def test_a_head_that_looks_at_nothing_says_so(shown, share):
    empty = dataclasses.replace(shown, weights=np.zeros((2, 3, 5, 5)))
    header = overview_spec(empty, share, pins=(HeadId(0, 0),), lock=1).header
    assert header["looks"] == [None] * 6
    assert said(header["finding"][0]) == "In head L0H0, no other word gives dog as much as 1 % of its attention."
    assert said(overview_spec(empty, share, pins=(HeadId(0, 0),)).header["finding"][0]).startswith(
        "In head L0H0, no word"
    )
    (finding,) = overview_spec(empty, share, pins=(HeadId(0, 0), HeadId(0, 1)), lock=1, look="from").header["finding"]
    assert said(finding) == (
        "From dog, L0H0 gives no other word as much as 1 % of its attention, "
        "and L0H1 gives no other word as much as 1 %."
    )


@pytest.mark.parametrize(
    ("words", "near", "known", "expected"),
    [
        ("knock knock", True, True, "This text repeats a single word, so heads cannot differ"),
        (
            "Snow falls",
            True,
            True,
            "With only two words, a word can look at itself or at the other one.",
        ),
        (
            "one two three",
            True,
            True,
            "In this sentence these heads mostly look at the word itself and its neighbours. {Click} a word to see "
            "which heads",
        ),
        (
            "one two three",
            False,
            True,
            "In this sentence, no two heads clearly differ in where they look from the same word, compared with what",
        ),
        (
            "one two three",
            False,
            False,
            "In this sentence, no two heads clearly differ in where they look from the same word, compared with an",
        ),
    ],
)
def test_where_nothing_disagrees_that_is_said(words, near, known, expected):
    (sentence,) = findings.nothing_to_tell(words.split(), near, known, 12)
    assert said(sentence).startswith(expected)


@pytest.mark.parametrize("words", ["one two three", "knock knock", "Snow falls"])
def test_a_single_head_is_not_said_to_be_like_others(words):
    (sentence,) = findings.nothing_to_tell(words.split(), False, False, 1)
    assert said(sentence).startswith("These maps are of a single head, so there is no other to compare it with. {Cl")


def test_one_word_stands_alone(shown):
    (sentence,) = findings.stands_alone(shown)
    assert said(sentence) == "the is the only word, so it has no other word to look at."


def test_a_short_text_without_a_locked_word_carries_its_strongest_looks(shown, share):
    arrays = overview_spec(shown, share).arrays
    links = zip(*(arrays[f"link_{name}"][5].tolist() for name in ("queries", "keys", "percents")), strict=True)
    found = [link for link in links if link[2]]
    assert found[0] == (3, 0, 95)
    assert len(found) == len({link[:2] for link in found}), "each look once"


def test_long_texts_send_the_looks_at_the_word_in_focus():
    n = 53
    words = tuple(Token(f"w{i}", word=i, start=4 * i, end=4 * i + 3) for i in range(n))
    weights = np.full((1, 2, n, n), 1 / n, dtype=np.float32)
    weights[0, 1, 7] = 0.1 / (n - 1)
    weights[0, 1, 7, 11] = 0.9
    maps = AttentionMaps(weights, words, text=" ".join(f"w{i:02}" for i in range(n)), units="words")
    arrays = overview_spec(maps, np.zeros((1, 2))).arrays
    assert arrays["maps"].shape == (1, 2, 27, 27)
    assert (arrays["link_queries"][1, 0], arrays["link_keys"][1, 0], arrays["link_percents"][1, 0]) == (7, 11, 90)
    assert set(overview_spec(maps, np.zeros((1, 2)), lock=3).arrays["link_keys"].ravel()) == {3}
    assert set(overview_spec(maps, np.zeros((1, 2)), lock=3, look="ask").arrays["link_queries"].ravel()) == {3}


def test_bytes_stay_below_what_the_design_asks():
    rng = np.random.default_rng(5)
    weights = rng.dirichlet(np.ones(64), size=(6, 12, 64)).astype(np.float32)
    words = tuple(Token(f"word{i:02}", word=i, start=7 * i, end=7 * i + 6) for i in range(64))
    maps = AttentionMaps(weights, words, text=" ".join(word.text for word in words), units="words")
    assert len(seal(overview_spec(maps, np.zeros((6, 12))))) < 174_000


def test_text_that_is_not_on_the_axis_stands_in_the_sentence(shown):
    maps = dataclasses.replace(shown, text=shown.text + ".")
    pieces = sentence_pieces(maps)
    assert [piece["text"] for piece in pieces] == [*shown.text.split(), "."]
    assert [piece["at"] for piece in pieces] == [0, 1, 2, 3, 4, None]
    assert [piece["space"] for piece in pieces] == [False, True, True, True, True, False]


def test_special_tokens_stand_where_the_model_has_them():
    second = Token("b", start=0, end=1, segment=1, word=1)
    tokens = (CLS, Token("a", start=1, end=2, word=0), SEP, second, SEP)
    maps = AttentionMaps(np.zeros((1, 1, 5, 5)), tokens, text="(a!", pair="b?")
    pieces = sentence_pieces(maps)
    assert [piece["text"] for piece in pieces] == ["[CLS]", "(", "a", "!", "[SEP]", "b", "?", "[SEP]"]
    assert [piece["at"] for piece in pieces] == [0, None, 1, None, 2, 3, None, 4]
    assert [piece["space"] for piece in pieces] == [False, True, False, False, True, True, False, True]


def test_sinks_are_named_once_specials_first():
    assert findings.sink_names((CLS, STOP, SEP, SEP)) == "[CLS], [SEP] and the final “.”"
    assert findings.sink_names((Token("The", word=0),)) == "the first “The”"
    assert findings.sink_names(()) == ""


def test_a_mark_that_begins_a_causal_text_is_named_as_the_first():
    tokens = (Token("“", start=0, end=1), Token("No", start=1, end=3, word=0), Token("”", start=3, end=4))
    maps = AttentionMaps(np.eye(3)[None, None], tokens, text="“No”", causal=True)
    assert findings.sink_names(shown_for(View(), maps).sinks) == "the first ““” and the final “””"


def test_what_goes_to_no_token_is_named_where_it_is_counted():
    tokens = tuple(Token(text, word=number) for number, text in enumerate(("No", "one", "came")))
    weights = np.array([[0.4, 0, 0], [0.1, 0.3, 0], [0.1, 0.1, 0.2]])[None, None]
    maps = AttentionMaps(weights, tokens, causal=True)  # 60 % of every row goes nowhere
    kept, aside = (shown_for(View(sinks=sinks), maps) for sinks in (False, True))
    drawn = overview_of(kept, "all").header
    assert (drawn["share"], drawn["say"]["share"]) == ([80], "{percent} to a sink that is no token and the first “No”")
    assert findings.sink_names(aside.sinks) == "a sink that is no token and the first “No”"
    whole = AttentionMaps(weights / weights.sum(axis=-1, keepdims=True), tokens, causal=True)
    assert findings.sink_names(shown_for(View(), whole).sinks) == "the first “No”"


def test_measured_sinks_are_named_with_their_threshold():
    texts = ["I", "saw", "the", "man", "with", "the", "telescope"]
    starts = [sum(len(one) + 1 for one in texts[:place]) for place in range(len(texts))]
    tokens = tuple(
        Token(text, word=place, start=start, end=start + len(text))
        for place, (text, start) in enumerate(zip(texts, starts, strict=True))
    )
    rows = np.tril(np.ones((7, 7))) / np.arange(1, 8)[:, None]
    rows[2:] *= 0.5
    rows[2:, 2] += 0.5
    maps = AttentionMaps(np.tile(rows, (4, 4, 1, 1)), tokens, text=" ".join(texts), causal=True)
    shown = shown_for(View(), maps, ())
    assert findings.sink_names(shown.sinks, maps.text) == "the first “I” and “the” (word 3)"
    line = findings.measured_sinks_said(shown.full, shown.sinks)
    assert line.startswith("“the” (word 3) collects attention whatever the word: in 4 of 4 layers")
    assert "at least 20\u00a0% of their attention" in line
    selected = shown_for(View(lock=2), maps, ())
    assert [token.text for token in selected.sinks] == ["I"]
    assert findings.measured_sinks_said(selected.full, selected.sinks) == ""
    readings = tuple(Reading(name, ((6, word),)) for name, word in (("by it", 1), ("of it", 2)))
    assert [token.text for token in shown_for(View(), maps, readings).sinks] == ["I"]


def test_labels_number_what_repeats_and_cut_what_is_long():
    words = [Token(text) for text in ("the", "x" * 3000, "the", *["a"] * 12)]
    labels = findings.labels(words)
    assert labels[:3] == ("the₁", "x" * 17 + "…", "the₂")
    assert labels[-1] == "a₁₂"


def test_hostile_words_travel_as_they_are(shown, share):
    words = ["<b>", "{key}", "%{x}", "\u202e", "😀"]
    tokens = tuple(dataclasses.replace(token, text=word) for token, word in zip(shown.tokens, words, strict=True))
    header, _ = unseal(seal(overview_spec(dataclasses.replace(shown, tokens=tokens, key_tokens=tokens), share)))
    assert header["keys"] == words


def test_an_envelope_opens_to_what_was_sealed():
    arrays = {"a": np.arange(7, dtype=np.uint8), "b": np.arange(6, dtype=np.uint16).reshape(2, 3)}
    header, opened = unseal(seal(Drawing({"word": "Straße"}, arrays)))
    assert header == {"word": "Straße"}
    assert all((opened[name] == arrays[name]).all() for name in arrays)


NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_javascript_opens_what_python_sealed(shown, share, tmp_path):
    (tmp_path / "spec.bin").write_bytes(seal(overview_spec(shown, share)))
    script = (
        f'import {{ openEnvelope }} from "{(ASSETS / "js" / "lib" / "envelope.js").as_uri()}";'
        'import { readFileSync } from "fs";'
        f'const {{ header, arrays }} = openEnvelope(readFileSync("{tmp_path / "spec.bin"}"));'
        "console.log(JSON.stringify([header.keys, arrays.maps.shape, arrays.maps.data[2 * 5 + 4 + 25]]));"
    )
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(done.stdout) == [["the₁", "dog", "saw", "the₂", "cat"], [2, 3, 5, 5], round(255 * 0.68**0.5)]
