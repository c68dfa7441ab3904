"""What Heads shows of a recording: hand-made maps, and the bundled opening sentence."""

from functools import partial

import numpy as np
import pytest

from mha.engine.bundled import bundled
from mha.examples import OPENS_HEADS
from mha.maps import AttentionMaps, HeadId, Recording, Token
from mha.models.files.catalog import model_row
from mha.views import heads_pictures as pictures
from mha.views.heads import HeadsChoice, leading_cell, select, steps_link
from mha.views.heads_text import notices, table_caption, table_columns
from tests.spans import text_of

THEY = 10  # between words, [CLS] first


def tokens(*texts):
    """Return [CLS], words and [SEP], one token each."""
    words, start = [Token("[CLS]", special=True)], 0
    for number, text in enumerate(texts):
        words.append(Token(text, word=number, start=start, end=start + len(text)))
        start += len(text) + 1
    return (*words, Token("[SEP]", special=True))


def maps_of(*texts, n_heads=2):
    """Return maps of one layer: words give [CLS] .5, the next word .3 and themselves .2; the last gives [CLS] all."""
    n = len(texts) + 2
    weights = np.zeros((1, n_heads, n, n), dtype=np.float32)
    weights[..., 0] = 1
    for row in range(1, n - 2):
        weights[:, :, row] = 0
        weights[:, :, row, [0, row, row + 1]] = (0.5, 0.2, 0.3)
    return AttentionMaps(weights, tokens(*texts), text=" ".join(texts))


@pytest.fixture(scope="module")
def opening():
    return bundled(OPENS_HEADS).maps


def test_select_shares_are_of_all_attention():
    case = select(maps_of("dogs", "chase", "cats"), HeadsChoice(pins=(HeadId(0, 1),)))
    assert case.kept == (1, 2, 3)
    assert np.allclose(case.maps[0, 1], [[0.2, 0.3, 0], [0, 0.2, 0.3], [0, 0, 0]])
    assert np.allclose(case.excluded[0, 1], [0.5, 0.5, 1])
    header, arrays = pictures.pinned(case)
    assert np.allclose(arrays["weights"][0] / pictures.FULL, case.maps[0, 1], atol=1e-4)
    assert text_of(header["heads"][0]["caption"]).endswith("30\u00a0% of its attention.")


def test_select_opens_with_the_picked_heads(opening):
    case = select(opening)
    header, _ = pictures.overview(case)
    (sentence,) = header["finding"]
    assert text_of(sentence) == (
        "From they, L0H6 gives 29\u00a0% of its attention to crew, and L3H1 gives 81\u00a0% to sailors."
    )
    assert header["pins"] == ["L0H6", "L3H1"]
    assert header["readings"]["sides"] == {"L0H6": "a", "L3H1": "b"}
    assert case.is_automatic


@pytest.mark.parametrize("pins", [(), (HeadId(1, 1), HeadId(2, 2))])
def test_answer_leads_with_the_first_head_of_the_list(opening, pins):
    case = select(opening, HeadsChoice(pins=pins, lock=THEY, look="ask"))
    header, _ = pictures.overview(case)
    at, origin = header["asked"]["answers"]
    assert (at["way"], origin["way"]) == ("at", "from")
    assert header["leading"][0] == at["rows"][0][0] == 5
    assert text_of(header["finding"][-1]) == "In head L0H5, were gives 69\u00a0% of its attention to they."
    assert header["pins"] == [str(head) for head in pins or (HeadId(0, 5), HeadId(4, 0))]


def test_selection_turns_round_what_a_mask_makes_impossible():
    weights = np.tril(np.full((1, 1, 3, 3), 1, dtype=np.float32))
    weights /= weights.sum(axis=-1, keepdims=True)
    words = tuple(Token(text, word=n, start=4 * n, end=4 * n + 3) for n, text in enumerate(("one", "two", "six")))
    maps = AttentionMaps(weights, words, text="one two six", causal=True)
    last = select(maps, HeadsChoice(lock=2, look="at"), readings=())
    assert (last.look, last.word) == ("from", 1)  # the first token is excluded, so "six" is the second column


def test_steps_link_names_the_tokens_of_a_cell(opening):
    case = select(opening)
    query = steps_link(case, "minilm", *leading_cell(case))
    assert (query["layer"], query["head"]) == ("0", "6")
    assert opening.tokens[int(query["query"])].text == "they"
    assert opening.tokens[int(query["key"])].text == "crew"


def test_ablated_heads_are_marked(opening):
    header, _ = pictures.overview(select(opening, HeadsChoice(ablated=(HeadId(0, 6),))))
    assert header["ablated"] == ["L0H6"]
    assert text_of(header["note"]).startswith("Without L0H6: each head’s output is replaced by its mean")
    pinned, _ = pictures.pinned(select(opening, HeadsChoice(ablated=(HeadId(0, 6),))), ablates=True)
    assert [head["ablated"] for head in pinned["heads"]] == [True, False]


def test_share_beside_an_answer_is_not_that_of_the_selected_word(opening):
    case = select(opening, HeadsChoice(lock=THEY, look="ask"))
    header, _ = pictures.overview(case)  # the arc of the leading head starts at another word
    assert header["rests"] == header["share"]
    assert header["say"]["rests"].startswith("{percent} overall to ")


def test_head_of_a_text_of_one_word_has_no_finding():
    case = select(maps_of("dogs"))
    header, _ = pictures.pinned(case)
    expected = "dogs is the only word, so it has no other word to look at."
    assert {text_of(head["caption"]) for head in header["heads"]} == {expected}
    assert text_of(pictures.overview(case)[0]["say"]["nothing"]) == expected


def causal_maps(*texts):
    """Return causal maps of one head, in which every word gives the first all of its attention."""
    weights = np.zeros((1, 1, len(texts), len(texts)), dtype=np.float32)
    weights[..., 0] = 1
    words = tuple(Token(text, word=n, start=4 * n, end=4 * n + 3) for n, text in enumerate(texts))
    return AttentionMaps(weights, words, text=" ".join(texts), causal=True)


def test_sentence_without_a_connection_names_the_excluded_word():
    (only,) = pictures.overview(select(causal_maps("one", "two"), readings=()))[0]["finding"]
    assert text_of(only) == "two is the only word apart from the first “one”, so it has no other word to look at."
    maps = causal_maps("one", "two", "six")
    (head,) = pictures.pinned(select(maps, readings=()))[0]["heads"]
    assert text_of(head["caption"]).startswith("In head L0H0, no word gives another word apart from the first “one” as")
    (from_six,) = pictures.overview(select(maps, HeadsChoice(lock=2, look="from"), readings=()))[0]["finding"]
    assert "gives no other word apart from the first “one” as much as 1" in text_of(from_six)


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        (HeadsChoice(lock=1, look="from"), "two has no other word apart from the first “one” to look at"),
        (HeadsChoice(lock=0, look="ask", sinks=False), "one has no other word to look at"),
    ],
)
def test_zero_of_a_causal_mask_is_no_finding(choice, sentence):
    case = select(causal_maps("one", "two", "six"), choice, readings=())
    expected = f"{sentence}: the model reads left to right."
    assert [text_of(finding) for finding in pictures.overview(case)[0]["finding"]] == [expected]
    assert text_of(pictures.pinned(case)[0]["heads"][0]["caption"]) == expected


def test_marks_are_tokens_but_no_words():
    """Both words give the comma all of their attention."""
    texts = (Token("one", word=0, start=0, end=3), Token(",", start=3, end=4),
             Token("two", word=1, start=5, end=8))  # fmt: skip
    weights = np.zeros((1, 1, 3, 3), dtype=np.float32)
    weights[..., 1] = 1
    maps = AttentionMaps(weights, texts, text="one, two")
    (head,) = pictures.pinned(select(maps, HeadsChoice(units="tokens"), readings=()))[0]["heads"]
    assert text_of(head["caption"]).startswith("In head L0H0, no token of a word gives another token of a word as")
    (line,) = pictures.overview(select(maps, HeadsChoice(units="tokens", lock=0, look="from"), readings=()))[0][
        "finding"
    ]
    assert "gives no other token of a word as much as 1" in text_of(line)


def test_table_is_measured_between_words_whatever_is_selected():
    """The first word is excluded, although it is shown; a text of sinks alone keeps them."""
    case = select(causal_maps("one", "two", "six"), HeadsChoice(lock=0, look="at"), readings=())
    assert table_caption(case).startswith("Measured on words, without the first “one”.")
    pieces = (Token("un", word=0, start=0, end=2), Token("do", word=0, start=2, end=4), Token("!", start=4, end=5))
    weights = np.float32([[[[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.25, 0.25]]]])
    case = select(AttentionMaps(weights, pieces, text="undo!", causal=True), HeadsChoice(units="tokens"), readings=())
    assert case.excludes
    assert table_columns(case)[0]["Same word, %"].tolist() == [100]
    assert table_caption(case).startswith("Measured on words, with the first “undo” and the final “\\!”.")


def test_notice_says_where_the_tokens_of_one_word_are():
    pieces = (Token("un", word=0, start=0, end=2), Token("do", word=0, start=2, end=4))
    maps = AttentionMaps(np.full((1, 1, 2, 2), 0.5, dtype=np.float32), pieces, text="undo")
    about_text = partial(notices, model=model_row("minilm"), recording=Recording(maps), stack="Encoder")
    assert about_text(select(maps)) == ["The model reads this word as 2 tokens: Options, Axis shows them."]
    assert about_text(select(maps, HeadsChoice(units="tokens"))) == []


def test_opening_without_a_shared_word_states_each_heads_own_connection():
    weights = np.float32([[[[0, 1], [1, 0]], [[0.9, 0.1], [0.4, 0.6]]]])
    words = (Token("All", word=0, start=0, end=3), Token("well", word=1, start=4, end=8))
    header, _ = pictures.overview(select(AttentionMaps(weights, words, text="All well"), readings=()))
    assert [text_of(sentence) for sentence in header["finding"]] == [  # the heads differ, whatever was picked
        "In head L0H0, All gives 100\u00a0% of its attention to well.",
        "In head L0H1, well gives 40\u00a0% of its attention to All.",
    ]
