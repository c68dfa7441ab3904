"""What Heads shows of a recording: hand-made maps, and the bundled opening sentence."""

import numpy as np
import pytest

from mha.engine.bundled import bundled
from mha.examples import OPENS_HEADS
from mha.maps import AttentionMaps, HeadId, Token
from mha.views import heads_pictures as pictures
from mha.views.heads import HeadsChoice, cell_tokens, leading_cell, select
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


def test_cell_tokens_takes_the_largest_weight_of_a_word(opening):
    case = select(opening)
    head, query, key = leading_cell(case)
    first = cell_tokens(case, query, key, head)
    assert opening.tokens[first[0]].text == "they"
    assert opening.tokens[first[1]].text == "crew"


def test_ablated_heads_are_marked(opening):
    header, _ = pictures.overview(select(opening, HeadsChoice(ablated=(HeadId(0, 6),))))
    assert header["ablated"] == ["L0H6"]
    assert text_of(header["note"]).startswith("Without L0H6: each head’s output is replaced by its mean")
    pinned, _ = pictures.pinned(select(opening, HeadsChoice(ablated=(HeadId(0, 6),))), ablates=True)
    assert [head["ablated"] for head in pinned["heads"]] == [True, False]
