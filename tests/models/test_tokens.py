"""Tokens know their words by character offsets, whatever the tokenizer cuts."""

from collections.abc import Iterable

import numpy as np
import pytest
import transformers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, normalizers

from mha.errors import InputError
from mha.maps import AttentionMaps, Token
from mha.models.files.loading import load
from mha.models.watch.recording import record
from mha.models.watch.tokens import encode, names_of_ids, tokens_of_ids
from mha.saved import sound
from mha.tokens import axes, read_tokens
from mha.words import accept, words
from tests.models.tiny import TOKENIZERS


def shown(tokens: tuple[Token, ...]) -> list[str]:
    return [token.text for token in tokens]


def joined(texts: Iterable[str]) -> str:
    return "".join(texts).replace("␣", "")


@pytest.mark.parametrize("kind", TOKENIZERS)
@pytest.mark.parametrize(
    "text",
    ["it doesn't", "a well-known man.", "\"So,\" he said: 'no'!", "I saw the man with the telescope", "É is 1 letter"],
)
def test_words_are_those_of_the_text(kind, text):
    tokens = encode(TOKENIZERS[kind](), text).tokens
    numbers = [token.word for token in tokens if token.word is not None]
    assert sorted(set(numbers)) == list(range(len(words(text))))
    assert numbers == sorted(numbers)
    for token in tokens:
        assert text[token.start : token.end] in (words(text)[token.word] if token.word is not None else text)


def test_minilm_shows_the_text_as_it_was_typed(minilm):
    tokens = encode(minilm.tokenizer, "The stargazers' well-known Naïveté.").tokens
    assert shown(tokens) == [
        "[CLS]", "The", "star", "ga", "zers", "'", "well", "-", "known", "Naïve", "té", ".", "[SEP]",
    ]  # fmt: skip
    assert tokens[3].raw == "##ga"
    assert [token.word for token in tokens] == [None, 0, 1, 1, 1, None, 2, 2, 2, 3, 3, None, None]
    assert tokens[0].special
    assert tokens[-1].special
    assert not tokens[-2].special


@pytest.mark.parametrize(("kind", "special"), [("pieces", "[SEP]"), ("bytes", "<|endoftext|>"), ("metaspace", "</s>")])
def test_a_typed_special_token_is_text(kind, special):
    tokenizer = TOKENIZERS[kind]()
    tokens = encode(tokenizer, f"a {special} man").tokens
    own = tokenizer.num_special_tokens_to_add()
    assert sum(token.special for token in tokens) == own
    ids = encode(tokenizer, f"a {special} man").inputs["input_ids"][0]
    signs = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    assert sum(number in signs for number in ids) == own
    assert joined(token.text for token in tokens if not token.special) == f"a{special}man"


def test_two_texts_know_their_segment_and_go_on_counting_words(minilm):
    tokens = encode(minilm.tokenizer, "I saw him.", "Who, me?").tokens
    assert shown(tokens) == ["[CLS]", "I", "saw", "him", ".", "[SEP]", "Who", ",", "me", "?", "[SEP]"]
    assert [token.segment for token in tokens] == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert [token.word for token in tokens] == [None, 0, 1, 2, None, None, 3, None, 4, None, None]
    assert (tokens[6].start, tokens[6].end) == (0, 3)


def test_what_the_model_cannot_read_at_once_is_cut_and_said(minilm):
    encoded = encode(minilm.tokenizer, "word " * 600)
    assert len(encoded.tokens) == 512
    assert encoded.notes == ("Only the first 512 tokens are used; the model reads no more at once.",)
    assert len(encode(minilm.tokenizer, "one two three four five", max_tokens=5).tokens) == 5
    assert encode(minilm.tokenizer, "word " * 300).notes == ()


def test_nothing_left_is_said():
    tokenizer = TOKENIZERS["pieces"]()
    with pytest.raises(InputError, match="removes everything in this text"):
        encode(tokenizer, "\u0301")


def test_pieces_of_one_character_show_their_bytes():
    tokens = encode(TOKENIZERS["bytes"](), "a 😀").tokens
    assert shown(tokens)[-4:] == ["<F0>", "<9F>", "<98>", "<80>"]
    assert {token.word for token in tokens[-4:]} == {1}


@pytest.mark.parametrize(
    ("raw", "writes_bytes", "expected"),
    [
        ("##scope", False, "scope"),
        ("▁man", False, "man"),
        ("▁", False, "␣"),
        ("Ġman", True, "man"),
        ("Ġ", True, "␣"),
        ("Ċ", True, "↵"),
        ("ĊĊ", True, "↵↵"),
        ("<0x0A>", False, "↵"),
        ("<0xE2>", False, "<E2>"),
        ("man</w>", False, "man"),
        ("Ã©", True, "é"),
        ("ðŁ", True, "<F0><9F>"),
        ("Ġ", False, "Ġ"),
        ("漢", True, "漢"),
        ("##", False, "##"),
    ],
)
def test_display(raw, writes_bytes, expected):
    assert shown(read_tokens([raw], [False], byte_level=writes_bytes)[0]) == [expected]


@pytest.mark.parametrize("make", [transformers.ByT5Tokenizer, transformers.PerceiverTokenizer])
def test_bytes_as_characters_decoded(make):
    """ByT5 and Perceiver write each byte as the character of that number."""
    tokenizer, text = make(), "café ☕"
    for source in (text, ""):
        tokens, read = tokens_of_ids(tokenizer, tokenizer(text).input_ids, source)
        assert read == text
        plain = [token.text for token in tokens if not token.special]
        assert plain == ["c", "a", "f", "<C3>", "<A9>", "␣", "<E2>", "<98>", "<95>"]
        assert [token.word for token in tokens if not token.special] == [0] * 5 + [1] * 4
    assert names_of_ids(tokenizer, tokenizer("é").input_ids)[0][-3:-1] == ("<C3>", "<A9>")


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_names_of_ids_keep_a_vocabulary_apart(kind):
    tokenizer = TOKENIZERS[kind]()
    names, raws = names_of_ids(tokenizer, range(len(tokenizer)))
    assert len(set(names)) == len(tokenizer)
    assert list(raws) == tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    assert sum(name.endswith(" (special)") for name in names) == len(set(tokenizer.all_special_ids))
    assert all(name and not any(sign in name for sign in "ĠĊ▁\n") for name in names)


def test_ids_that_no_text_gives_stand_for_themselves(minilm):
    tokens, _ = tokens_of_ids(minilm.tokenizer, [102, 2158, 101, 2158])
    assert shown(tokens) == ["[SEP]", "man", "[CLS]", "man"]
    assert [token.word for token in tokens] == [None, 0, None, 1]


SCRIPTS = {
    "Latin with marks": "abcéñ\u0301\u0323ïßﬁ", "Hebrew": "אבגדשל\u05b8", "Arabic": "ابتثمع\u064b\u200c",
    "Han and kana": "漢字日本かなカナ。", "Thai": "กขคงสวดี\u0e35", "Devanagari": "नमसतदय\u0947\u094d",
    "emoji": "👩👧🇩🇪❤\u200d\ufe0f", "marks": "\u0301\u0308,.;:!?'\"()[]-…—",
}  # fmt: skip


@pytest.mark.parametrize("kind", [*TOKENIZERS, "minilm"])
@given(text=st.text(st.sampled_from(" " + "".join(SCRIPTS.values())), min_size=1, max_size=24))
def test_the_spans_of_the_tokens_joined_are_the_text_without_its_spaces(kind, text):
    tokenizer = load("minilm").tokenizer if kind == "minilm" else TOKENIZERS[kind]()
    try:
        accepted = accept(text).text
        tokens = encode(tokenizer, accepted).tokens
    except InputError:
        return  # nothing is left to look at, which is said
    covered: list[int] = []
    for token in tokens:
        if not token.special:
            covered += range(max(token.start, covered[-1] + 1 if covered else 0), token.end)
    joined_spans = "".join(accepted[place] for place in covered)
    assert "".join(joined_spans.split()) == "".join(accepted.split())
    starts = [token.start for token in tokens if not token.special]
    assert starts == sorted(starts)


@pytest.mark.parametrize("kind", TOKENIZERS)
@given(
    parts=st.lists(st.sampled_from(["  ", "\n", "\t", "didn't", "well-known ", "the man", *"".join(SCRIPTS.values())]))
)
def test_raw_tokens_give_the_tokens_of_encode(kind, parts):
    """`from_arrays` and `attend` show the same tokens and words of one text."""
    tokenizer, text = TOKENIZERS[kind](), "".join(parts)
    try:
        encoded = encode(tokenizer, text)
    except InputError:
        return
    raws = tokenizer.convert_ids_to_tokens(encoded.inputs["input_ids"][0])
    if tokenizer.unk_token in raws:  # what a row of unknown characters stands for cannot be cut as the tokenizer did
        return
    read = axes(raws, text=text)[0]
    assert [(token.text, token.word) for token in read] == [(token.text, token.word) for token in encoded.tokens]


CODE = "def f(x):\n    return\t1"


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        ("bytes", [*"def", "␣", *"f(x):", "↵", *"␣␣␣␣", *"return", "⇥", "1"]),
        ("metaspace", ["<s>", "␣", *"def", "␣", *"f(x):", "↵", *"␣␣␣␣", *"return", "⇥", "1", "</s>"]),  # ↵, ⇥ unknown
    ],
)
def test_encode_keeps_white_space(kind, labels):
    tokenizer = TOKENIZERS[kind]()
    encoded = encode(tokenizer, CODE)
    assert shown(encoded.tokens) == labels
    maps = AttentionMaps(np.zeros((1, 1, len(encoded.tokens), len(encoded.tokens))), encoded.tokens, text=CODE)
    assert [token.text for token in maps.merged().tokens if token.word is not None] == ["def", "f(x", "return", "1"]


@pytest.mark.parametrize(
    ("text", "kind", "note"),
    [
        ("a\nb\tc  d", "pieces", "The model reads line breaks, tabs and runs of spaces like one space."),
        ("a  b", "pieces", "The model reads runs of spaces like one space."),
        ("a b\n", "pieces", "The model reads line breaks like one space."),
        ("a b ", "pieces", ""),
        ("a\nb  c", "bytes", ""),
        ("a b ", "bytes", "The text ends with a space, which the model reads as a token of its own."),
        ("a\tb  c", "folding", "The model reads tabs and runs of spaces like one space."),
        ("a\nb  c", "folding", "The model reads runs of spaces like one space."),
        ("a\nb", "folding", ""),
        ("a\nb  c", "unbroken", "The model reads line breaks like one space."),
    ],
)
def test_encode_notes_white_space_that_is_lost(text, kind, note):
    tokenizer = TOKENIZERS[{"folding": "bytes", "unbroken": "bytes"}.get(kind, kind)]()
    if kind == "folding":
        tokenizer.backend_tokenizer.normalizer = normalizers.Replace(Regex(r"[ \t]+"), " ")
    if kind == "unbroken":
        tokenizer.backend_tokenizer.normalizer = normalizers.Replace("\n", " ")
    assert encode(tokenizer, text).notes == ((note,) if note else ())


IDS = {  # what a tokenizer is called with
    "plain": ({"text": "unhappiness is overrated"}, {}),
    "contraction": ({"text": "they didn't get it"}, {}),
    "typed [SEP]": ({"text": "what is unhappiness [SEP] telescoping"}, {}),
    "typed [MASK]": ({"text": "the [MASK] of unhappiness"}, {}),
    "pair": ({"text": "unhappiness", "text_pair": "telescoping"}, {}),
    "padded": ({"text": "unhappiness", "padding": "max_length", "max_length": 11}, {}),
    "padded left": ({"text": "unhappiness", "padding": "max_length", "max_length": 11, "padding_side": "left"}, {}),
    "no special": ({"text": "unhappiness is overrated", "add_special_tokens": False}, {}),
    "text": ({"text": "Unhappiness is well-known", "padding": "max_length", "max_length": 11}, {"text": ...}),
    "typed [SEP], text": ({"text": "what is unhappiness [SEP] well-known"}, {"text": ...}),
    "no special, text": ({"text": "Unhappiness is well-known", "add_special_tokens": False}, {"text": ...}),
}


@pytest.mark.parametrize(("call", "more"), IDS.values(), ids=IDS)
def test_record_with_a_tokenizer_names_the_same_words(minilm, call, more):
    inputs = minilm.tokenizer(**call, return_tensors="pt")
    said = {"text": call["text"]} if more else {}
    by_tokenizer = record(minilm.model, **inputs, tokenizer=minilm.tokenizer, **said).maps
    raws = minilm.tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
    by_tokens = record(minilm.model, **inputs, tokens=raws, **said).maps
    assert by_tokenizer.text == by_tokens.text
    assert shown(by_tokenizer.merged().tokens) == shown(by_tokens.merged().tokens)
    assert {"unhappiness", "they"} & {token.text.lower() for token in by_tokenizer.merged().tokens}
    sound(by_tokenizer)


@pytest.mark.parametrize(
    ("text", "words_of_it"),
    [
        ("cafe\u0301 au lait", ["cafe\u0301", "au", "lait"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("漢字です", ["漢", "字", "です"]),
        ("สวัสดีชาวโลก", ["สวัสดีชาวโลก"]),
    ],
)
def test_words_of_other_scripts(text, words_of_it):
    tokens = encode(load("minilm").tokenizer, text).tokens
    merged = AttentionMaps(
        np.full((1, 1, len(tokens), len(tokens)), 1 / len(tokens)), tokens=tokens, text=text
    ).merged()
    assert [piece.text for piece in merged.tokens if piece.word is not None] == words_of_it


@pytest.mark.parametrize("kind", TOKENIZERS)
@given(text=st.text(max_size=40), pair=st.none() | st.text(max_size=20))
def test_the_tokens_of_any_text_are_sound(kind, text, pair):
    """What is recorded here can be saved and read again: see `mha.saved.sound`."""
    try:
        text, pair = accept(text).text, None if pair is None else accept(pair).text
        tokens = encode(TOKENIZERS[kind](), text, pair).tokens
    except InputError:
        return
    weights = np.zeros((1, 1, len(tokens), len(tokens)), dtype=np.float32)
    sound(sound(AttentionMaps(weights, tokens, text=text, pair=pair)).merged())
