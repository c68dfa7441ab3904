"""Typed words: tokenised together with the text, in byte-level, SentencePiece and WordPiece models."""

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

import mha
from mha.errors import InputError
from mha.intervention.direct import direct
from mha.intervention.readout import Continuations
from mha.intervention.sweep import preference
from mha.intervention.typed import ids_of_words, typed_words
from mha.maps import Reading
from mha.models.files.loading import load_snapshot
from mha.words import next_word_text
from tests.models.tiny import GPT, LLAMA, PLAIN, SIDES, TOKENIZERS, Tiny

WORDS = ["Paris", "London", "man", "the", "it", "is", "7", "8", "old", "'s"]
MERGED = ["Ġ" + word for word in WORDS if not word.isdigit()] + WORDS


def words_tokenizer():
    """Return a byte-level tokenizer that has some words with and without a space, and digits without."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges, entries = [], ["<|endoftext|>", *letters]
    for word in dict.fromkeys(MERGED):
        for end in range(2, len(word) + 1):
            if word[:end] not in entries:
                merges.append((word[: end - 1], word[end - 1]))
                entries.append(word[:end])
    tokenizer = Tokenizer(models.BPE({entry: number for number, entry in enumerate(entries)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|endoftext|>", model_input_names=["input_ids", "attention_mask"]
    )


TOKENIZERS["words and digits"] = words_tokenizer
GPT2 = Tiny("GPT2LMHeadModel", GPT | {"n_inner": 23, "vocab_size": 331}, "words and digits", causal=True)
LLAMA_ROW = Tiny("LlamaForCausalLM", LLAMA, "metaspace", causal=True, n_heads=6)
BERT = Tiny("BertLMHeadModel", PLAIN | {"is_decoder": True}, "pieces", causal=True)
BART = Tiny("BartForConditionalGeneration", SIDES, "bytes")
MASKED = Tiny("RobertaForMaskedLM", PLAIN | {"max_position_embeddings": 67, "pad_token_id": 0}, "masked words")


def masked_tokenizer():
    tokenizer = words_tokenizer()
    tokenizer.add_special_tokens({"mask_token": "<mask>", "pad_token": "<pad>"})
    return tokenizer


TOKENIZERS["masked words"] = masked_tokenizer


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    loaded = {}

    def open_row(row):
        if row.architecture not in loaded:
            loaded[row.architecture] = load_snapshot(row.save(tmp_path_factory.mktemp("typed") / row.architecture))
        return loaded[row.architecture]

    return open_row


def word_id(word, loaded, text, target=""):
    (number,), notes = ids_of_words([word], loaded, text, target)
    return number, notes


def raws(loaded, ids):
    return loaded.tokenizer.convert_ids_to_tokens(list(ids))


@pytest.mark.parametrize(
    ("text", "word", "piece"),
    [
        ('It is "', "Paris", "Paris"), ('He said "yes"', "and", " and"), ("It is (", "Paris", "Paris"),
        ("Answer:\n", "A", "A"), ("Answer:", "A", " A"), ("well-", "known", "known"), ("l’", "eau", "eau"),
        ("don", "'t", "'t"), ("did", "n't", "n't"), ("the 'old'", "man", " man"), ("It is", ".", "."),
        ("It is", "␣.", " ."), ("It is", " .", " ."), ("It is", "\n", "\n"), ("It is", "↵", "\n"),
        ("It is", "(Paris)", " (Paris)"), ("It is", '"Paris"', ' "Paris"'), ("It is ", "Paris", "Paris"),
        ("It is", "Paris ", " Paris"), ("3 + 4 =", "7", " 7"), ("x=", "7", "7"), ("pi is 3.", "14", "14"),
        ("at 10:", "30", "30"), ("1,", "000", "000"), ("Years 1,", "20", " 20"), ("It is", "-5", " -5"),
        ("It costs $", "5", "5"), ("It costs 5 $", "more", " more"), ("50%", "of", " of"), ("20", "°C", "°C"),
        ("2*", "3", "3"), ("a ->", "b", " b"), ("x==", "7", "7"), ("the boys'", "dog", " dog"),
        ("James’", "dog", " dog"), ("s’", "il", "il"), ("cos'", "altro", "altro"), ("Hawaiʻ", "i", "i"),
        ("هذا", "؟", "؟"), ("यह है", "।", "।"), ("It is", "。", "。"), ("བོད་", "སྐད", "སྐད"), ("我喜欢", "猫", "猫"),
        ("私はPython", "が", "が"), ("彼は", "Python", "Python"), ("ผมชอบ", "แมว", "แมว"),
        ("Beijing is", "北京", " 北京"), ("안녕", "친구", " 친구"), ("„Paris“", "ist", " ist"),
        ("Er sagt »", "Paris", "Paris"), ("«Paris»", "est", " est"), ("¿", "Que", "Que"),
        ('{"capital":"', "Paris", "Paris"), ("**Bold**", "text", " text"), ("a word —", "and", " and"),
        ("a word—", "and", "and"), ("Tom", "&", " &"), ("", "Paris", "Paris"),
    ],
)  # fmt: skip
def test_next_word_text_sets_a_space_as_the_language_does(text, word, piece):
    assert next_word_text(text, word) == piece


@pytest.mark.parametrize("row", [GPT2, LLAMA_ROW, BERT], ids=lambda row: row.tokenizer)
@pytest.mark.parametrize("text", ["the man is", 'the man is "', "the man (", "the man:\n", "the man-", "the man's"])
def test_typed_words_have_the_tokens_of_text_and_word_together(opened, row, text):
    loaded = opened(row)
    typed = typed_words(loaded, text, ("man", "it"))
    for word, ids in zip(("man", "it"), typed.ids, strict=True):
        piece = next_word_text(text, word)
        whole = loaded.tokenizer(text + piece, add_special_tokens=False)["input_ids"]
        before = loaded.tokenizer(text, add_special_tokens=False)["input_ids"]
        assert before + ids == whole


def test_direct_scores_the_token_behind_a_quotation_mark(opened):
    loaded = opened(GPT2)
    for text, names in (("the man is", ("␣Paris", "␣London")), ('the man is "', ("Paris", "London"))):
        effect = direct(text, "Paris", "London", loaded)
        assert effect.words == names
        with torch.no_grad():
            logits = loaded.model(torch.tensor([loaded.tokenizer(text)["input_ids"]])).logits[0, -1].double()
        assert effect.total == pytest.approx(float(logits[effect.ids[0]] - logits[effect.ids[1]]), abs=1e-3)
    assert direct("the man is", ".", ",", loaded).words == (".", ",")
    assert direct("the man is", "␣.", ".", loaded).words == ("␣…", ".")  # here "␣." is two tokens


def test_a_space_at_the_end_becomes_a_part_of_the_word(opened):
    loaded = opened(GPT2)
    effect, other = direct("the man is ", "Paris", "London", loaded), direct("the man is", "Paris", "London", loaded)
    assert effect.words == ("␣Paris", "␣London")
    assert effect.notes == (
        "The space at the end of the text is read as the beginning of the next word, as inside a text.",
    )
    np.testing.assert_array_equal(effect.heads, other.heads)
    mixed = direct("the man is ", "Paris", "7", loaded)  # 7 keeps the space a token of the text, so Paris has none
    assert (mixed.words, mixed.notes) == (("Paris", "7"), ())


def test_continuations_are_read_as_typed(opened):
    loaded = opened(GPT2)
    text, readings = 'the man is old, it is "', (Reading("A", ((4, 1),)), Reading("B", ((4, 3),)))

    def score(continuation):
        ids = loaded.tokenizer(text + continuation)["input_ids"]
        count = len(loaded.tokenizer(text)["input_ids"])
        with torch.no_grad():
            logged = loaded.model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
        return float(sum(logged[place - 1, ids[place]] for place in range(count, len(ids))))

    found = preference(text, readings, Continuations("Paris", "London is"), model=loaded)
    assert found == pytest.approx(score("Paris") - score("London is"), abs=2e-5)
    found = preference(text, readings, Continuations(" Paris", "Paris"), model=loaded)  # not equal: one has a space
    assert found == pytest.approx(score(" Paris") - score("Paris"), abs=2e-5)
    with pytest.raises(InputError, match="both are 'Paris'"):
        preference("the man is old, it is", readings, Continuations(" Paris", "Paris"), model=loaded)


def test_word_id_of_next_words(opened):
    loaded = opened(GPT2)
    for text, word, raw in (
        ("the man is", "Paris", "ĠParis"),
        ('the man is "', "Paris", "Paris"),
        ("the man is", ".", "."),
        ("the man is", "\n", "Ċ"),
        ("the man is ", "Paris", "Paris"),
        ("the man is ", "7", "7"),
    ):
        number, notes = word_id(word, loaded, text)
        assert (raws(loaded, [number]), notes) == ([raw], ())
    number, notes = word_id("7", loaded, "the man is")
    assert raws(loaded, [number]) == ["7"]
    assert notes[0].startswith("“7” behind a space is two tokens, so it is read without a space here.")
    with pytest.raises(InputError, match="“dog” is 4 tokens"):
        word_id("dog", loaded, "the man is")


def test_words_are_typed_in_predict_and_sweeps(opened):
    loaded = opened(GPT2)
    prediction = mha.predict('the man is "', loaded, ["Paris", "."])
    assert prediction.raws == ("Paris", ".")
    sweep = next(mha.iter_word_sweep("the man is", loaded, ["Paris", "7"]))
    assert [sweep.raws[number] for number in sweep.ids] == ["ĠParis", "7"]
    assert len(sweep.notes) == 1
    assert ids_of_words(5, loaded, "the man") == (5, ())


def test_typed_words_in_a_mask_and_in_a_target(opened):
    loaded = opened(MASKED)
    for text, raw in (("the man [MASK] it", "Ġis"), ('the man "[MASK]" it', "is"), ("the man-[MASK] it", "is")):
        assert raws(loaded, [word_id("is", loaded, text)[0]]) == [raw]
    two = opened(BART)
    assert raws(two, [word_id("a", two, "the man", target="")[0]]) == ["a"]
    assert raws(two, [word_id(".", two, "the man", target="the man")[0]]) == ["."]
    pieces = opened(BERT)
    assert raws(pieces, [word_id("##scope", pieces, "the man")[0]]) == ["##scope"]
