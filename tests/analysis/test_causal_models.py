"""What a causal model can and cannot show: first words, labels of patterns, changed marks, names of several tokens."""

import numpy as np
import pytest

import mha
from mha.analysis.changes import align, changes
from mha.analysis.leaning import orders
from mha.analysis.opening import opening
from mha.analysis.sinks import word_sinks
from mha.engine import experiments
from mha.engine import experiments as engine_readings
from mha.errors import InputError, NotComparable
from mha.intervention.direct import iter_head_effects
from mha.maps import Reading
from mha.models.files.catalog import model_row
from mha.views import compare, next_word, next_word_sentences
from mha.views.heads import select
from mha.views.heads_pictures import overview
from mha.words import words

JOHN = "John told Bill that he was late"
YESTERDAY = f"Yesterday {JOHN}"
READINGS = Reading("John", ((4, 0),)), Reading("Bill", ((4, 2),))
REASON = "SmolLM2 reads from left to right, and its first position collects attention .* for “John”"


def test_first_word_has_no_lean_in_smollm2():
    for call in (lambda: mha.lean(JOHN, model="smollm2"), lambda: experiments.leaning(JOHN, READINGS, "smollm2")):
        with pytest.raises(NotComparable, match=REASON):
            call()
    assert mha.lean(YESTERDAY, model="smollm2").shape == (30, 9)
    assert mha.lean(JOHN).shape == (6, 12), "MiniLM begins with [CLS]"


def test_first_word_opens_no_head_of_smollm2():
    assert "a" not in opening(mha.attend(JOHN, model="smollm2")).sides
    assert opening(mha.attend(YESTERDAY, model="smollm2")).sides == ("a", "b")
    assert opening(mha.attend(JOHN)).sides == ("a", "b")
    with pytest.raises(InputError, match="“John” is an attention sink"):
        mha.shuffle_control(JOHN, "L18H8", "he", "John", model="smollm2")


@pytest.mark.parametrize("text", [YESTERDAY, f"“{YESTERDAY}”", f"“{JOHN}”"])
def test_shuffles_of_a_causal_model_keep_what_stands_first(monkeypatch, text):
    assert (orders(7, 20, fixed=1)[:, 0] == 0).all()
    monkeypatch.setattr(engine_readings, "MANY", 4)
    pair = mha.propose(text)[0].readings
    found = experiments.leaning(text, pair, "smollm2")
    assert len(found.shuffles) == 4
    assert np.isfinite(found.summary.leans).all()


@pytest.mark.parametrize(
    "text", ["“Dogs bark loudly at night.”", '"Come here," she said.', "We saw it again.", "bark dogs a (at"]
)
@pytest.mark.parametrize("model", ["smollm2", "minilm"])
def test_labels_name_only_what_text_and_model_have(text, model):
    maps = mha.attend(text, model=model)
    names = {row.name for role in mha.roles(maps) for row in (role.usual, role.here) if row is not None}
    special = {token.text for token in maps.tokens if token.special}
    assert ("[CLS] and [SEP]" in names) == ({"[CLS]", "[SEP]"} <= special)
    assert names.isdisjoint({"the first word"}) or maps.tokens[0].word == 0
    assert "final punctuation" not in names or model == "minilm", "no word of a causal model sees the final mark"
    assert "next word" not in names or model == "minilm"


@pytest.mark.parametrize(
    "second", ["The old dog barked loudly!", "The old dog barked loudly", "The old dog barked loudly ..."]
)
def test_changed_final_mark_of_a_causal_model_is_not_comparable(second):
    first = "The old dog barked loudly."
    with pytest.raises(NotComparable, match=r"the changed mark “\S+” comes after “dog”, “barked” and “loudly”"):
        mha.compare(first, second, model="smollm2")
    found = mha.compare(first, second, model="minilm")
    assert found.changes.mean.max() > 0
    assert compare.finding(found).startswith("Heads change by up to")


def test_changed_mark_counts_as_changed_token():
    case = mha.compare("Old dogs bark, and they bite", "Old dogs bark and they bite", model="smollm2")
    assert case.changes.counted.tolist() == [False, False, False, True, True, True]
    both = mha.compare("The old dog barked.", "The old cat barked!", model="minilm")
    assert both.changed_word is None
    assert both.limit is None
    assert "A control limit needs exactly one changed word, and no changed mark." in compare.explanation(both)
    with pytest.raises(NotComparable, match="the changed mark “.” comes after “saw”, “man” and “telescope”"):
        mha.patch("I saw the man with the telescope.", "I saw the man with the telescope!", TELESCOPE, model="smollm2")


TELESCOPE = Reading("saw", ((6, 1),)), Reading("man", ((6, 3),))


def test_rows_that_see_only_sinks_are_no_finding():
    case = mha.compare("a b c d", "d c b a", model="smollm2")  # d sees everything else, then only itself
    assert not case.is_measured
    assert compare.finding(case).startswith("Each word that stayed sees only itself or attention sinks in this model")


@pytest.mark.parametrize(("model", "n_sinks"), [("smollm2", 1), ("minilm", 0)])
def test_sinks_of_a_changed_sentence_belong_to_the_rest(model, n_sinks):
    first, second = (mha.attend(f"Once the {word} man saw the dog", model=model).merged() for word in ("old", "tall"))
    pair = words(first.text), words(second.text)
    found = changes(first, second, align(*pair))
    sinks = [
        token.word
        for token, sink in zip(first.tokens, word_sinks(first), strict=True)
        if sink and token.word is not None
    ]
    assert sinks[:1] == [0] * n_sinks
    assert not found.first[..., sinks].any()
    assert found.first.sum(axis=-1) == pytest.approx(1)


def test_names_of_several_tokens_are_named_by_their_first():
    text = "Yesterday Nadia and John went to the shop. John gave a drink to"
    assert mha.direct(text, "Nadia", "John", model="smollm2").words == ("␣Nad…", "␣John")
    effects = next(iter_head_effects(text, "smollm2", ("Nadia", "John")))
    assert effects.words == ("Nad…", "John")
    assert effects.positions[1] == (5, 11), "both occurrences of John"
    first = text.removeprefix("Yesterday ")
    effects = next(iter_head_effects(first, "smollm2", ("Nadia", "John")))
    assert "no share is counted for “Nadia”" in effects.notes[0]
    assert "Nadia" not in effects.looked_at
    with pytest.raises(NotComparable, match="no share is counted for “Nadia”"):
        next(iter_head_effects(first, "smollm2", look_at="Nadia"))


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("In 1999", r"the token *\,*"),
        ("Yesterday we flew to Lith", "the token *ia*"),
        ("Dogs bark at night.", "the token *↵*"),
        ("When I came home, I saw that", "*the*"),
    ],
)
def test_tokens_that_are_no_words_are_called_tokens(text, start):
    finding = next_word_sentences.finding(next_word.case_of(model_row("smollm2"), mha.next_words(text, "smollm2")))
    assert finding.startswith(f"SmolLM2 predicts {start} with")


def test_heads_says_why_the_first_word_has_no_head():
    maps = mha.attend(JOHN, model="smollm2")
    case = select(maps, readings=READINGS)
    assert "John" not in [token.text for token in case.maps.key_tokens]
    header = overview(case).header
    said = "".join(text for spans in header["finding"] for _, text in spans)
    assert "no share is counted for John. Put a word such as “Yesterday” in front of it." in said
    assert header["readings"]["a"] == []
    later = select(mha.attend(YESTERDAY, model="smollm2"))
    assert "no share is counted" not in str(overview(later).header["finding"])
