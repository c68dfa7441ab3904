"""Anybody's own numbers as maps: the shapes of other programs, tokens as tokenizers write them, and what is refused."""

import numpy as np
import pytest
import torch

import mha
from mha.errors import InputError, ShapeError
from mha.foreign import from_arrays
from mha.maps import Token

LAYERS, HEADS, TOKENS = 2, 3, 5
WEIGHTS = np.random.default_rng(5).dirichlet(np.ones(TOKENS), size=(LAYERS, HEADS, TOKENS)).astype(np.float32)
NAMES = ["[CLS]", "I", "walk", "##ed", "."]
TENSORS = torch.tensor(WEIGHTS)


class Cache:
    """Shaped as a TransformerLens cache."""

    cache_dict = {f"blocks.{n}.attn.hook_pattern": TENSORS[n][None] for n in (1, 0)} | {"blocks.0.hook_mlp": None}


@pytest.mark.parametrize(
    "given",
    [
        WEIGHTS,
        WEIGHTS[:, None],
        WEIGHTS.tolist(),
        [layer[None].tolist() for layer in WEIGHTS],
        tuple(layer[None] for layer in TENSORS),
        TENSORS.requires_grad_(),
        Cache(),
        Cache.cache_dict,
    ],
)
def test_every_shape_gives_the_same_maps(given):
    maps = mha.from_arrays(given, NAMES, model="mine")
    assert np.array_equal(maps.weights, WEIGHTS)
    assert (maps.origin, maps.model, maps.causal, maps.kind) == ("imported", "mine", False, "self")


def test_half_precision_tensors_are_taken():
    maps = from_arrays(torch.full((1, 1, 3, 3), 1 / 3, dtype=torch.bfloat16), "abc")
    assert maps.weights.dtype == np.float32


def test_word_pieces_belong_to_words():
    tokens = from_arrays(WEIGHTS, NAMES).tokens
    assert [token.word for token in tokens] == [None, 0, 1, 1, None]
    assert [token.special for token in tokens] == [True, False, False, False, False]
    maps = from_arrays(WEIGHTS, NAMES).merged()
    assert [token.text for token in maps.tokens] == ["[CLS]", "I", "walked", "."]
    assert maps.text == "I walked."


@pytest.mark.parametrize(
    ("names", "words", "text"),
    [
        (["<s>", "I", "Ġwalk", "ed", "."], ["<s>", "I", "walked", "."], "I walked."),
        (["▁I", "▁walk", "ed", "▁home", "</s>"], ["I", "walked", "home", "</s>"], "I walked home"),
        (["All", "is", "well", ",", "friend"], ["All", "is", "well", ",", "friend"], "All is well, friend"),
        (["<|endoftext|>", "=1+1", "<b>", "\ud800", ""], None, None),
    ],
)
def test_tokens_as_tokenizers_write_them(names, words, text):
    maps = from_arrays(WEIGHTS, names)
    merged = maps.merged()
    if words is not None:
        assert [token.text for token in merged.tokens] == words
        assert maps.text == text


def test_a_mask_is_seen_or_said():
    back = np.tril(np.ones((1, 1, 3, 3))) / [[1], [2], [3]]
    assert from_arrays(back, "abc").causal
    assert not from_arrays(back, "abc", causal=False).causal


def test_tokens_that_know_their_words_stay_as_they_are():
    tokens = tuple(Token(f"w{n}", word=n) for n in range(TOKENS))
    assert from_arrays(WEIGHTS, tokens).tokens == tokens
    assert from_arrays(WEIGHTS[..., :3] / 2, tokens, "abc").kind == "cross"


@pytest.mark.parametrize(
    ("weights", "tokens", "sentence"),
    [
        (WEIGHTS, NAMES[:4], "4 tokens for the rows and 4 for the columns; the weights have 5 rows and 5 columns"),
        (WEIGHTS[0], NAMES, r"must be \[layer, head, query, key\]; these are \[3, 5, 5\]"),
        (np.stack([WEIGHTS] * 7, axis=1), NAMES, "of one text; these are of 7"),
        ([WEIGHTS[0], WEIGHTS[0][:2]], NAMES, "Every layer must have the same heads"),
        ([[[[1, 0], [1]]]], "ab", "every row of a head equally long"),
        ([[[["a", "b"], ["c", "d"]]]], "ab", "Weights are numbers"),
        (WEIGHTS * 2, NAMES, "sums to|between 0 and 1"),
        (WEIGHTS, [], "1 to 4,096 tokens; 0 were given"),
        ({"blocks.1.attn.hook_pattern": WEIGHTS[0]}, NAMES, "for every layer; this one has 1"),
        ({}, NAMES, "for every layer; this one has none"),
        ([], NAMES, "none at all"),
    ],
)
def test_what_is_no_attention_is_refused_with_a_sentence(weights, tokens, sentence):
    with pytest.raises((InputError, ShapeError), match=sentence):
        from_arrays(weights, tokens)
