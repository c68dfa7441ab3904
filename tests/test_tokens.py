"""Tokens and heads by their names: texts wherever tokens are taken, a word in the place of a number."""

import numpy as np
import pytest
import torch
import transformers

import mha
from mha.errors import InputError
from mha.tokens import visible_token, visible_tokens

NAMES = ["[CLS]", "walk", "##ed", "."]
IDS = torch.tensor([[1, 2, 3, 4]])
EVEN = np.full((2, 2, 4, 4), 0.25, dtype=np.float32)
CAT = "The cat sat on the mat."


@pytest.fixture(scope="module")
def bert():
    small = {"hidden_size": 32, "num_attention_heads": 2, "num_hidden_layers": 2, "intermediate_size": 32}
    return transformers.BertModel(transformers.BertConfig(vocab_size=50, **small)).eval()


def test_texts_become_the_same_tokens_wherever_they_are_taken(bert):
    wanted = mha.from_arrays(EVEN, NAMES)
    recording = mha.record(bert, tokens=NAMES, input_ids=IDS)
    taken = [mha.AttentionMaps(EVEN, NAMES), recording.maps, recording.attention(tokens=NAMES)]
    for maps in taken:
        assert (maps.tokens, maps.key_tokens, maps.text) == (wanted.tokens, wanted.tokens, "walked.")
    assert mha.survey(bert, tokens=NAMES, input_ids=IDS).tokens == wanted.tokens
    assert [token.text for token in recording.maps.merged().tokens] == ["[CLS]", "walked", "."]
    assert "walked." in mha.show(recording).html


def test_texts_stand_where_the_text_that_was_read_has_them(bert):
    maps = mha.record(bert, text="Walked  .", tokens=NAMES, input_ids=IDS).maps
    assert [(token.start, token.end) for token in maps.tokens] == [(0, 0), (0, 4), (4, 6), (8, 9)]


def test_columns_that_are_named_apart_are_a_text_of_their_own():
    maps = mha.AttentionMaps(EVEN, NAMES, ["a", "b", "c", "d"], kind="cross")
    assert (maps.text, maps.pair) == ("walked.", "a b c d")
    assert {token.segment for token in maps.key_tokens} == {1}


def test_a_wrong_number_of_tokens_is_told(bert):
    with pytest.raises(InputError, match="There are 3 tokens for an axis of 4 places"):
        mha.record(bert, tokens=NAMES[:3], input_ids=IDS)
    with pytest.raises(InputError, match="reads 4 tokens here, and 3 were given"):
        mha.survey(bert, tokens=NAMES[:3], input_ids=IDS)


def test_a_token_stands_for_its_place():
    by_name, by_place = mha.cell(CAT, "L5H3", "cat", "mat"), mha.cell(CAT, (5, 3), 2, 6)
    assert (by_name.query, by_name.key) == (by_place.query, by_place.key) == (2, 6)
    assert by_name.weight == by_place.weight
    assert mha.cell(CAT, "L0H1", "cat", "mat", model="toy").key == mha.cell(CAT, (0, 1), 1, 5, model="toy").key
    np.testing.assert_array_equal(mha.survey(CAT, words=("cat",)).rows[2], mha.survey(CAT, words=(2,)).rows[2])


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("dog", "There is no token 'dog' in this text. Its tokens: 0 [CLS], 1 The, 2 cat"),
        ("THE", "The token 'THE' occurs 2 times; say which by its number: 1, 5."),
    ],
)
def test_a_token_that_is_not_there_or_more_than_once_is_told(word, sentence):
    for ask in (lambda: mha.cell(CAT, "L5H3", word, 6), lambda: mha.survey(CAT, words=(word,))):
        with pytest.raises(InputError) as told:
            ask()
        assert str(told.value).startswith(sentence)


def test_a_head_goes_by_its_name():
    maps = mha.attend(CAT)
    np.testing.assert_array_equal(maps["L5H3"], maps[5, 3])
    assert mha.head_heatmap(maps, "L5H3").to_json() == mha.head_heatmap(maps, (5, 3)).to_json()
    assert list(mha.survey(CAT, heads=("L5H3",)).maps) == [(5, 3)]
    for ask in (lambda: maps["five"], lambda: mha.head_heatmap(maps, "five"), lambda: mha.survey(CAT, heads=("five",))):
        with pytest.raises(InputError, match="A head is named like L5H3"):
            ask()


def test_visible_token_shows_white_space():
    texts = ("\n", "\n\n", " ", "\t", " a b ", "\u00a0", "\u200b", "a\n", "")
    assert [visible_token(text) for text in texts] == [
        "↵", "↵↵", "␣", "⇥", "␣a b␣", "<00A0>", "<200B>", "a↵", "∅",
    ]  # fmt: skip
    assert visible_token("</s>", special=True) == "</s> (special)"


def test_visible_tokens_keep_two_tokens_apart():
    texts = [" Italy", "Italy", "italy", " the", " ", "  ", "</s>", "</s>"]
    special = [False] * 7 + [True]
    names = visible_tokens(texts, special)
    assert names == ("␣Italy", "Italy", "italy", "the", "␣", "␣␣", "</s>", "</s> (special)")
    assert visible_tokens([]) == ()
