"""What a causal model can and cannot show: first words, labels of patterns, changed marks, names of several tokens."""

import numpy as np
import pytest

import mha
from mha.analysis.opening import opening
from mha.analysis.readings import orders
from mha.engine import experiments
from mha.engine import experiments as engine_readings
from mha.errors import InputError, NotComparable
from mha.intervention.direct import iter_head_effects
from mha.maps import Reading
from mha.views import compare

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


def test_one_token_is_of_a_causal_model_too():
    maps = mha.attend("Hi", model="smollm2")
    assert maps.shape == (30, 9, 1, 1)
    assert maps.causal
    assert not mha.attend("Hi").causal


def test_first_word_opens_no_head_of_smollm2():
    assert "a" not in opening(mha.attend(JOHN, model="smollm2")).sides
    assert opening(mha.attend(YESTERDAY, model="smollm2")).sides == ("a", "b")
    assert opening(mha.attend(JOHN)).sides == ("a", "b")
    with pytest.raises(InputError, match="“John” is an attention sink"):
        mha.shuffle_control(JOHN, "L18H8", "he", "John", model="smollm2")


@pytest.mark.parametrize("text", [YESTERDAY, f"“{YESTERDAY}”", f"“{JOHN}”"])
def test_shuffles_of_a_causal_model_keep_what_stands_first(monkeypatch, text):
    assert (orders(7, 20, fixed=1)[:, 0] == 0).all()
    monkeypatch.setattr(engine_readings, "N_SHUFFLES", 4)
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


def test_rows_that_see_only_sinks_are_no_finding():
    case = mha.compare("a b c d", "d c b a", model="smollm2")  # d sees everything else, then only itself
    assert not case.is_measured
    assert compare.finding(case).startswith("Each word that stayed sees only itself or attention sinks in this model")


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
