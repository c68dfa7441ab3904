"""Anybody's own numbers as maps: the shapes of other programs, tokens as tokenizers write them, and what is refused."""

import ast
import io
import re
from pathlib import Path

import numpy as np
import pytest
import torch

import mha
from mha.errors import AttentionUnavailable, InputError, ShapeError
from mha.foreign import from_arrays
from mha.maps import Token

LAYERS, HEADS, TOKENS = 2, 3, 5
WEIGHTS = np.random.default_rng(5).dirichlet(np.ones(TOKENS), size=(LAYERS, HEADS, TOKENS)).astype(np.float32)
INPUTS = (Path(__file__).parents[1] / "docs" / "inputs.md").read_text(encoding="utf-8").partition("## Tokens")[2]
NAMES = ["[CLS]", "I", "walk", "##ed", "."]
TENSORS = torch.tensor(WEIGHTS)


class Cache:
    """Shaped as a TransformerLens cache."""

    cache_dict = {f"blocks.{n}.attn.hook_pattern": TENSORS[n][None] for n in (1, 0)} | {"blocks.0.hook_mlp": None}


@pytest.mark.parametrize(
    "given",
    [
        WEIGHTS, WEIGHTS[:, None], WEIGHTS.tolist(), [layer[None].tolist() for layer in WEIGHTS],
        tuple(layer[None] for layer in TENSORS), TENSORS.requires_grad_(), Cache(), Cache.cache_dict,
    ],
)  # fmt: skip
def test_every_shape_gives_the_same_maps(given):
    maps = mha.from_arrays(given, NAMES, model="mine")
    assert np.array_equal(maps.weights, WEIGHTS)
    assert (maps.origin, maps.model, maps.causal, maps.kind) == ("imported", "mine", False, "self")


def test_cache_of_several_stacks_refused():
    cache = {f"{side}.{n}.attn.hook_pattern": TENSORS[n] for n in (0, 1) for side in ("vision", "blocks")}
    with pytest.raises(
        InputError, match=r"stacks of layers: 'vision\.\*.*', 'blocks\.\*.*if name\.startswith\('vision"
    ):
        from_arrays(cache, NAMES)
    crossing = {"decoder.0.attn.hook_pattern": TENSORS[0], "decoder.0.cross_attn.hook_pattern": TENSORS[1]}
    assert np.array_equal(from_arrays(crossing, NAMES).weights, WEIGHTS[:1])
    assert np.array_equal(from_arrays(crossing, list("abcde"), NAMES).weights, WEIGHTS[1:])


@pytest.mark.parametrize(
    "name", ["<|image_pad|>", "<|video_pad|>", "<|vision_pad|>", "<fim_pad>", "<image>", "[IMG_PAD]"]
)
def test_image_pad_is_not_padding(name):
    rows = from_arrays(WEIGHTS[..., :4, 2:] / WEIGHTS[..., :4, 2:].sum(-1, keepdims=True), [name] * 4, list("abc"))
    assert len(rows.tokens) == 4
    assert len(from_arrays(np.eye(3, dtype=np.float32)[None, None], ["a", name, name]).tokens) == 3
    hidden = np.full((1, 1, 2, 4), 0.5, dtype=np.float32)
    hidden[..., :2] = 0
    assert len(from_arrays(hidden, ["a", "b"], [name, name, "c", "d"]).key_tokens) == 4


@pytest.mark.parametrize(
    "name", ["[PAD]", "<|PAD_TOKEN|>", "<｜▁pad▁｜>", "<pad_0>", "<|finetune_right_pad_id|>", "__pad__"]
)
def test_padding_is_dropped_by_its_name(name):
    hidden = np.full((1, 1, 2, 4), 0.5, dtype=np.float32)
    hidden[..., 2:] = 0
    assert len(from_arrays(hidden, ["a", "b"], ["c", "d", name, name]).key_tokens) == 2


def test_bytes_as_characters_guessed():
    def read(raws, text=""):
        return from_arrays(np.full((1, 1, len(raws), len(raws)), 1 / len(raws)), raws, text=text)

    assert read(list("cafÃ© â\x98\x95")).text == "café ☕"
    assert read(list("cafÃ© â\x98\x95"), "café ☕").text == "café ☕"
    assert read(list("café no")).text == "café no"  # characters that are no UTF-8
    assert read(["\ue000", *"a b", "\ue001"]).tokens[0].special  # CANINE


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
        (["<|endoftext|>", "=1+1", "<b>", "\u202e", ""], None, None),
    ],
)
def test_tokens_as_tokenizers_write_them(names, words, text):
    maps = from_arrays(WEIGHTS, names)
    merged = maps.merged()
    if words is not None:
        assert [token.text for token in merged.tokens] == words
        assert maps.text == text


@pytest.mark.parametrize(
    ("given", "half"),
    [
        (WEIGHTS, False),
        (WEIGHTS.astype(np.float64), False),
        (WEIGHTS.tolist(), False),
        (TENSORS, False),
        (WEIGHTS.astype(np.float16), True),
        (np.full(WEIGHTS.shape, 0.1, np.float16), True),  # no row sums to more than 1
        (TENSORS.bfloat16(), True),
        ([TENSORS[0].half(), TENSORS[1].half()], True),
        (TENSORS.detach().bfloat16().float().numpy(), True),  # rows that sum to 1.002 were made at half precision
    ],
)
def test_half_precision_is_what_comes_in_it_or_sums_no_better(given, half):
    maps = from_arrays(given, NAMES)
    assert maps.half_precision is half
    assert f"half_precision={half}" in repr(maps)


def even(tokens: list[str], **more):
    return from_arrays(np.full((1, 1, len(tokens), len(tokens)), 1 / len(tokens)), tokens, **more)


def words_of(maps) -> list[str]:
    return [token.text for token in maps.merged().tokens if token.word is not None]


WILD = [  # raw tokens, the text that they spell, its words
    ("Greek", ["<s>", "ÎĵÎµÎ¹Î±", "ĠÏĦÎ¹", ";", "</s>"], "Γεια τι;", ["Γεια", "τι"]),
    ("no space", ["Se", "Ã¡n"], "Seán", ["Seán"]),
    ("line break", ["Se", "Ã¡n", "ĠM", "Ċ", "Se", "Ã¡n"], "Seán M\nSeán", ["Seán", "M", "Seán"]),
    ("tabs, carriage return", ["a", "ĉ", "b", "č", "Ċ", "c"], "a\tb\r\nc", ["a", "b", "c"]),
    ("split emoji", ["Ġpo", "o", "Ġ(", "ðŁ", "Ĵ", "©", ")"], "poo (💩)", ["poo", "💩"]),
    ("split Han", ["æ¼", "¢", "åŃĹ"], "漢字", ["漢", "字"]),
    ("quotes", ["I", "Ġdon", "âĢ", "Ļ", "t", "Ġknow"], "I don’t know", ["I", "don’t", "know"]),
    ("line break in a token", ["a", "):ĊĊ", "b"], "a):\n\nb", ["a", "b"]),
    ("cut in a character", ["Ġhi", "Ġthere", "ĠðŁ"], "hi there \ufffd\ufffd", ["hi", "there", "\ufffd\ufffd"]),
    ("byte fallback", ["<s>", "▁Hi", "<0x0A>", "<0xE2>", "<0x82>", "<0xAC>", "</s>"], "Hi\n€", ["Hi", "€"]),
    ("runs of ▁", ["▁a", "▁▁", "▁b"], "a   b", ["a", "b"]),
    ("ends", ["the</w>", "ca", "ts</w>", ".</w>"], "the cats.", ["the", "cats"]),
    ("joins", ["the", "ca@@", "ts", "."], "the cats.", ["the", "cats"]),
    ("decoded tokens", ["<|endoftext|>", "The", " cat", "'s", "\n", "hat"], "The cat's\nhat", ["The", "cat's", "hat"]),
    ("Maltese", ["Ġorġ", "u", "Ġanni"], "Ġorġ u Ġanni", ["Ġorġ", "u", "Ġanni"]),
    ("Czech", ["čau", "světe"], "čau světe", ["čau", "světe"]),
    ("Esperanto", ["ĉu", "ne"], "ĉu ne", ["ĉu", "ne"]),
    ("French", ["café", "crème"], "café crème", ["café", "crème"]),
]


@pytest.mark.parametrize(("tokens", "text", "words"), [row[1:] for row in WILD], ids=[row[0] for row in WILD])
def test_raw_tokens_are_decoded(tokens, text, words):
    without, with_text = even(tokens), even(tokens, text=text.replace("\ufffd", ""))
    assert without.text == text
    assert words_of(without) == words
    assert with_text.text == text.replace("\ufffd", "")
    assert [token.text for token in with_text.tokens] == [token.text for token in without.tokens]
    assert "\ufffd" in text or with_text.tokens == without.tokens
    marks = set("ĠĊĉč▁") - set(text)
    assert not any(marks & set(token.text) for token in without.tokens if not token.special)


@pytest.mark.parametrize(("tokens", "words"), re.findall(r"\| `(\[.+?\])` \| `(\[.+?\])` \|", INPUTS))
def test_row_of_the_table_of_tokens(tokens, words):
    assert words_of(even(ast.literal_eval(tokens))) == ast.literal_eval(words)


@pytest.mark.parametrize(
    ("tokens", "text", "pieces"),
    [
        (["[CLS]", "the", "[UNK]", "ran", "[SEP]"], "The 🦖 ran", ["[CLS]", "The", "🦖", "ran", "[SEP]"]),
        (["[UNK]", "[UNK]", "ran"], "🦖 🦕 ran", ["🦖", "🦕", "ran"]),
        (["a", "[UNK]", "[SEP]"], "a 🦖 b", ["a", "🦖", "[SEP]"]),
        (["[CLS]", "cafe", "ole", "[SEP]", "[PAD]"], "Café  olé", ["[CLS]", "Café", "olé", "[SEP]", "[PAD]"]),
        (["a", "[SEP]", "b", "[SEP]"], "a [SEP] b", ["a", "[SEP]", "b", "[SEP]"]),
        (["the", "end", "[SEP]"], "This is the end", ["the", "end", "[SEP]"]),
        (["[CLS]", "this", "is", "[SEP]"], "This is the end", ["[CLS]", "This", "is", "[SEP]"]),
    ],
)
def test_tokens_align_with_the_text(tokens, text, pieces):
    maps = even(tokens, text=text)
    assert maps.text == text
    assert [token.text for token in maps.merged().tokens] == pieces
    assert all(text[token.start : token.end] == token.text for token in maps.tokens if token.word is not None)


SPECIAL = [
    ["▁The", "▁cat", "<sep>!", "<cls>!"],
    ["<cls>!", "M", "K", "<eos>!"],
    ["<｜begin▁of▁sentence｜>!", "The", "Ġcat", "<｜end▁of▁sentence｜>!"],
    ["<bos>!", "<start_of_turn>!", "user", "\n", "<end_of_turn>!", "<unused0>!"],
    ["__en__!", "▁Life", "</s>!"],
    ["▁Life", "</s>!", "eng_Latn!"],
    ["</s>!", "fr_XX!", "▁La", "▁vie", "</s>!"],
    ["<s>!", "▁Life", "</s>!", "fr_XX!", "<pad>!"],
    ["<s>!", "__add__", "(", "self", ")", "</s>!"],
    ["▁<extra_id_0>!", "▁Life", "</s>!"],
    [">>fra<<!", "▁Life", "</s>!"],
    ["<s>!", "[INST]!", "▁Hi", "[/INST]!"],
    ["<s>!", "<<SYS>>!", "▁Hi", "<</SYS>>!"],
    ["▁a", "<extra_id_0>!", "<0x0A>", "</s>!"],
    ["[CLS]!", "[MASK]!", "[UNK]!", "[unused1]!", "[SEP]!", "[PAD]!"],
    ["<pad>!", "<mask>!", "<unk>!", "<PAD>!", "madeupword0000!"],
    ["<fim_prefix>!", "Ġdef", "<fim_middle>!", "<repo_name>!", "<|reserved_special_token_0|>!"],
    ["<|im_start|>!", "user", "<|im_end|>!", "<|endoftext|>!"],
    ["[START]!", "a", "cat", "[END]!"],
    ["<sos>!", "a", "cat", "<end>!"],
    ["[TOOL_CALLS]!", "▁Hi", "[control_555]!"],
    ["<b>", "[1]", "__init__", "<3", "[TODO]", "eng_Latn", "x_y", "<my_tag>", "<0x41"],
    ["▁x", "<b>", "[1]", "__init__", "<3", "▁__en__", "en_XX", "▁y"],
]


@pytest.mark.parametrize("marked", SPECIAL, ids=[row[0] for row in SPECIAL])
def test_special_tokens_are_recognised(marked):
    tokens = [name.removesuffix("!") if len(name) > 1 else name for name in marked]
    maps = even(tokens)
    assert [token.text for token in maps.tokens if token.special] == [name[:-1] for name in marked if name[-1] == "!"]


def test_special_tokens_take_no_part_in_words():
    weights = np.zeros((1, 1, 5, 5), dtype=np.float32)
    weights[..., 3], weights[..., 0] = 0.6, 0.4
    maps = from_arrays(weights, ["▁The", "▁cat", "▁sat", "<sep>", "<cls>"]).merged()
    assert mha.set_aside(maps).share[0, 0] == pytest.approx(0.6)


def test_special_is_what_the_caller_sets():
    tokens = ["Q", "walk", "<b>", "[CLS]"]
    flags = [True, False, True, False]
    for special in (["Q", "<b>", "<never>"], flags, np.array(flags), [1, 0, 1, 0], torch.tensor(flags)):
        assert [token.special for token in even(tokens, special=special).tokens] == flags
    assert not any(token.special for token in even(tokens, special=()).tokens)
    crossed = from_arrays(np.full((1, 1, 2, 1), 1.0), ["a", "b"], ["c"], special=[False, True, True])
    assert [token.special for token in (*crossed.tokens, *crossed.key_tokens)] == [False, True, True]
    known = even([Token("a", word=0), Token("b", word=1)], special=["b"])
    assert [(token.special, token.word) for token in known.tokens] == [(False, 0), (True, None)]


@pytest.mark.parametrize(
    ("weights", "tokens", "sentence"),
    [
        (WEIGHTS, NAMES[:4], "4 tokens for the rows and 4 for the columns; the weights have 5 rows and 5 columns"),
        (WEIGHTS[0], NAMES, r"must be \[layer, head, query, key\]; these are \[3, 5, 5\]"),
        (np.stack([WEIGHTS] * 7, axis=1), NAMES, r"of one text\. If these weights \[2, 7, 3, 5, 5\] are"),
        ([WEIGHTS[0], WEIGHTS[0][:2]], NAMES, "full array of numbers: the same heads in every layer"),
        ([[[[1, 0], [1]]]], "ab", "full array of numbers: .* equally long rows"),
        ([[[["a", "b"], ["c", "d"]]]], "ab", "full array of numbers"),
        (WEIGHTS * 2, NAMES, "sums to|between 0 and 1"),
        (WEIGHTS, [], "1 to 4,096 tokens; 0 were given"),
        ({1: WEIGHTS[0]}, NAMES, r"this one has '1'. If its values are .*list\(cache.values\(\)\)"),
        ({}, NAMES, "this one has nothing"),
        ([], NAMES, "no weights in it"),
        (None, NAMES, "no weights in it"),
        (WEIGHTS + 1j, NAMES, "full array of numbers"),
        (np.zeros((1, 1, 5, 5), dtype=[("a", "f4")]), NAMES, "full array of numbers"),
        ([[[[10**400] * 5] * 5]], NAMES, "full array"),
        (np.full((1, 1, 5, 5), 1e300), NAMES, "between 0 and 1"),
        (np.full((1, 1, 5, 5), np.nan), NAMES, "between 0 and 1"),
        (torch.empty((1, 1, 5, 5), device="meta"), NAMES, "full array"),
        (TENSORS.to_sparse(), NAMES, "full array"),
        (np.zeros((0, 1, 5, 5)), NAMES, r"these are \[0, 1, 5, 5\]"),
        (WEIGHTS, ["a", "b", "\ud800", "d", "e"], "The raw of token 2 has half a letter"),
        (WEIGHTS, [Token("a", start=5, end=10)] * 5, "Characters 5 to 10 of text 0.* have 9 and"),
        (
            WEIGHTS,
            [Token("abc", start=n, end=n + 1) for n in (3, 2, 1, 0, 4)],
            "The span of token 1 begins before that of the prev",
        ),
        (WEIGHTS, [Token("a", segment=2)] * 5, "of text 2, the span of token 0, do not exist"),
        (WEIGHTS, [Token("a", word=-1)] * 5, "The word of token 0 must be from 0 to 999,999"),
        (WEIGHTS, [Token("a", start=None)] * 5, "The start of token 0 must be of type int, not NoneType"),
    ],
)
def test_what_is_no_attention_is_refused_with_a_sentence(weights, tokens, sentence):
    with pytest.raises((InputError, ShapeError, AttentionUnavailable), match=sentence):
        from_arrays(weights, tokens)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"text": 5}, "A text is a string, not a int"),
        ({"text": [*NAMES]}, "A text is a string, not a list"),
        ({"tokens": 5}, "Tokens are a list of texts, .*: 'int' object is not iterable"),
        ({"key_tokens": 5}, "Tokens are a list of texts, .*: 'int' object is not iterable"),
        ({"tokens": None}, "1 to 4,096 tokens; 0 were given"),
        ({"item": "0"}, "item is the number of a text, from 0: 'str' object"),
        ({"weights": WEIGHTS[:, None], "item": [0]}, "item is the number of a text, from 0: 'list' object"),
    ],
)
def test_what_is_said_beside_the_weights_is_of_its_kind(given, sentence):
    with pytest.raises(InputError, match=sentence):
        from_arrays(**{"weights": WEIGHTS, "tokens": NAMES} | given)


def test_steps_of_generate_fit_each_other():
    read, wrote = (torch.ones(1, n_heads, 1, n) / n for n_heads, n in ((1, 1), (2, 2)))
    with pytest.raises(ShapeError, match=r"Step 1 has the weights \[2, 1, 2\]; of 1 heads a row for each of 1 new"):
        mha.from_generate(((read,), (wrote,)), "ab")
    with pytest.raises(ShapeError, match=r"these are \[1, 0, 1, 1\]"):
        mha.from_generate(((read[:, :0],),), "a")
    with pytest.raises(InputError, match="Tokens are a list of texts"):
        mha.from_generate(((read,),), 5)


BATCH = np.stack([WEIGHTS] * 7, axis=1)  # [layer, text, head, query, key]


@pytest.mark.parametrize("more", [{}, {"item": 0}, {"item": 1}])
@pytest.mark.parametrize("given", [BATCH, BATCH[:1], torch.tensor(BATCH), [BATCH[0]], {"attentions": BATCH}])
def test_batch_axis_before_or_behind_layers_is_asked_for(given, more):
    """fair-esm keeps [text, layer, head, query, key]; stacked outputs of transformers are [layer, text, …]."""
    with pytest.raises(
        ShapeError,
        match=r"\[layer, text, head, .*tuple\(weights\) with item=0 to 6; .*\[text, layer, head, .*weights\[0\]",
    ):
        from_arrays(given, NAMES, **more)


def with_nan(*place):
    weights = WEIGHTS.copy()
    weights[place] = np.nan
    return weights


OUTPUTS = r"outputs\.attentions of a model that was called with output_attentions=True"


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (with_nan(1, 2, 3), r"row 3 \('ed'\) of L1H2 has weights from nan to nan.*NaN if a mask hides all of its keys"),
        (WEIGHTS - 0.5, r"between 0 and 1.*row 0 \('\[CLS\]'\) of L0H0 has weights from -0"),
        (WEIGHTS * 100, r"row 0 .* of L0H0 .* sums to [0-9.]+\. Scores before the softmax are not weights"),
        (np.where(np.arange(5) == 4, 0.6, WEIGHTS), r"row [0-4] .* of L0H[0-2] .* sums to 1\.[0-9]+"),
        ({"last_hidden_state": WEIGHTS, "pooler_output": WEIGHTS}, rf"this one has 'last_hidden_state', .*{OUTPUTS}"),
        (WEIGHTS[0, 0], r"these are \[5, 5\]\. Pass .* weights\[None, None\] for one head"),
        (WEIGHTS[0], r"Pass weights\[None\] for one layer"),
        (np.ones((1, 5, 8)), OUTPUTS),
        (np.ones((1, 32)), OUTPUTS),
        ([np.ones((1, 5, 8))] * 3, r"as outputs\.attentions are, not hidden states"),
        ((np.ones((1, 5, 8)), np.ones((1, 8))), OUTPUTS),  # return_dict=False
        (np.full((1, 1, 5, 4, 4), 1 / 4), "not between heads"),
        (np.full((1, 1, 8, 8), 1 / 8), r"Name padding, too \(\[PAD\]\), or pass attention_mask="),
    ],
)
def test_refusal_leads_to_a_call_that_works(weights, sentence):
    with pytest.raises((ShapeError, InputError), match=sentence):
        from_arrays(weights, NAMES)


def test_file_of_other_arrays_is_led_to_from_arrays():
    for write in (lambda file: np.savez(file, attention=WEIGHTS), lambda file: np.save(file, WEIGHTS)):
        file = io.BytesIO()
        write(file)
        file.seek(0)
        with pytest.raises(InputError, match=r"mha\.from_arrays\(weights, tokens\)\.save\(file\) writes such a file"):
            mha.load_maps(file)
