"""Sentences and component data of Translation, on translations made by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from mha.intervention.outcomes import WordSweep
from mha.maps import CrossHead, EncoderHead, Token
from mha.models.files.catalog import CATALOG
from mha.models.files.translator import NAME
from mha.views import translation

ROW = next(row for row in CATALOG if row.name == NAME)
SHE, HE = "The teacher slept because she was cold.", "The teacher slept because he was cold."
HERS, HIS = "A professora dormiu.", "O professor dormiu."


def tokens_of(text, segment=0):
    """Return one token for each word."""
    tokens, start = [], 0
    for number, word in enumerate(text.rstrip(".").split()):
        start = text.index(word, start)
        tokens.append(Token(word, f"▁{word}", number, False, start, start + len(word), segment))
    return tuple(tokens)


def written(source, text, heads=(), weights=None):
    """Return a translation; ``weights`` are those of heads from word 1 to word 4 of the source."""
    keys, tokens = tokens_of(source), tokens_of(text, 1)
    own = np.zeros((6, 8, len(keys), len(keys)), dtype=np.float32)
    for head, weight in (weights or {}).items():
        own[head][1, 4] = weight
    cross = np.zeros((2, 8, len(tokens) + 1, len(keys)), dtype=np.float32)
    cross[1, 2, :, 1] = 0.9
    recording = SimpleNamespace(attention=lambda _: SimpleNamespace(tokens=keys, weights=own))
    return SimpleNamespace(
        source=source, text=text, words=tuple(text.rstrip(".").split()), tokens=tokens, heads=tuple(heads),
        ids=tuple(sum(map(ord, token.text)) for token in tokens),
        attention=SimpleNamespace(weights=cross, key_tokens=keys),
        generation=SimpleNamespace(recording=recording),
    )  # fmt: skip


LOOKS = {EncoderHead(0, 7): 0.9, EncoderHead(2, 1): 0.6}


def case_of(weights=LOOKS, both=HIS, heads=(), source=SHE, full=HERS, shown=None, word=None):
    other = translation.other_version(source)
    return translation.case_of(
        ROW, written(source, full, weights=weights), written(source, both), written(source, shown or full, heads),
        written(other, HIS) if other else None, word,
    )  # fmt: skip


def sweep_of(names=("A", "O"), change=None, likeliest=1, revision=""):
    change = np.zeros((6, 8, 2)) if change is None else change
    return WordSweep(
        text=SHE, tokens=(), place=0, kind="mean", ids=(1, 2), raws={}, texts=dict(enumerate(names, 1)),
        special=frozenset(), log_probability=np.log([0.75, 0.25]), change=change,
        likeliest=np.full((6, 8), likeliest), cross_change=np.zeros((2, 8, 2)), cross_likeliest=np.ones((2, 8)),
        revision=revision,
    )  # fmt: skip


def test_both_heads_are_said_to_look_where_they_alone_do():
    assert translation.finding(case_of()) == (
        "English does not say whether *the teacher* is a woman. Two of 48 heads look from *teacher* to *she*; without "
        "them the translator writes *O professor*."
    )
    three = translation.finding(case_of(LOOKS | {EncoderHead(1, 1): 0.55}))
    assert "`E0H7` and `E2H1` look from *teacher* to *she*" in three
    assert "Two of 48" not in three


def test_a_weak_look_or_an_unchanged_word_is_not_said_to_decide():
    weak = case_of({EncoderHead(0, 7): 0.9, EncoderHead(2, 1): 0.49})
    expected = "Without `E0H7` and `E2H1` the translator writes *O professor* in place of *A professora*."
    assert translation.finding(weak) == expected
    same = translation.finding(case_of(both=HERS))
    assert "without them the translation stays the same" in same
    assert "English does not say" not in same


@pytest.mark.parametrize("source", [SHE.replace("teacher", "queen"), HE])
def test_english_is_judged_for_neutral_nouns_with_she_alone(source):
    assert "English does not say" not in translation.finding(case_of(source=source))


def test_the_default_is_named_for_masculine_words_without_both_heads():
    cases = [translation.with_changes(case_of(both=both), sweep_of(), None) for both in (HIS, HERS)]
    assert [translation.DEFAULT in translation.explanation(case)[-1] for case in cases] == [True, False]


def test_a_weak_look_has_both_shares():
    case = translation.with_changes(case_of({EncoderHead(0, 7): 0.9, EncoderHead(2, 1): 0.2}), sweep_of(), None)
    expected = "From *teacher*, `E0H7` gives 90\xa0% and `E2H1` 20\xa0% of its attention to *she*."
    assert translation.explanation(case)[0] == expected


def test_ablated_heads_come_first():
    case = case_of(heads=[CrossHead(1, 2)], shown=HIS)
    assert translation.finding(case) == "Without `C1H2` the translator writes *O professor* in place of *A professora*."
    assert translation.finding(case_of(heads=[CrossHead(1, 2)])) == "Without `C1H2` the translation stays the same."


def test_words_of_a_text_are_escaped():
    case = case_of(source=SHE.replace("teacher", "[teacher]"), both="O <b> dormiu.")
    assert r"from *\[teacher\]* to *she*" in translation.finding(case)
    assert r"\<b\>" in translation.finding(case)


def test_only_a_single_pronoun_has_another_version():
    assert translation.other_version("SHE's here.") == "HE's here."
    assert translation.other_version("The shepherd saw her.") == ""
    assert translation.link(case_of(source="The dog was here because it slept.")) is None


def test_an_article_has_that_of_the_other_gender_and_another_word_its_rival():
    assert translation.question(case_of()) == ("", (65, "O"), translation.HEADS)
    begun, words, _ = translation.question(case_of(word=1, both="A senhora dormiu."))
    assert (begun, words[1]) == ("A", sum(map(ord, "senhora")))
    assert len(translation.question(case_of(word=2, both=HERS))[1]) == 1


def test_alone_and_largest_without_a_control():
    change = np.zeros((6, 8, 2))
    change[3, 5, 0] = -1.25
    case = translation.with_changes(case_of(), sweep_of(change=change), None)
    assert translation.alone_text(case) == "Ablated alone, neither `E0H7` nor `E2H1` changes *A* to another word."
    assert translation.largest_text(case).startswith("Largest of 64 changes: `E3H5`, −1.3 nats. No control")
    assert translation.mainly_here(case) == ()
    other = translation.with_changes(case_of(), sweep_of(("A", "Uma"), likeliest=2), None)
    assert "first written article alone" in other.no_control
    assert translation.largest_text(other) == "None of 64 heads changes *A* against *Uma* by 0.05 nats."
    assert "both `E0H7` and `E2H1` change *A*" in translation.alone_text(other)


def test_sentence_data_has_three_arcs_and_the_changed_words():
    data = translation.sentence_data(case_of(heads=translation.HEADS, shown=HIS))
    assert [(each["name"], each["from"], each["to"], each["off"]) for each in data["links"]] == [
        ("E0H7", [0, 1], [0, 4], True), ("E2H1", [0, 1], [0, 4], True), ("C1H2", [1, 0], [0, 1], False),
    ]  # fmt: skip
    assert (data["under"], data["changed"]) == ([1, 0], [0, 1])
    assert "From teacher, E0H7 is ablated." in data["label"]
    assert "From O, C1H2 gives 90\xa0% to teacher." in data["label"]


def test_grid_names_the_heads_of_both_stacks():
    case = translation.with_changes(case_of(), sweep_of(), None)
    data = translation.grid_data(case)
    assert (data["layers"], data["heads"], data["layer_names"][-1]) == (8, 8, "C1")
    assert set(data["states"]) == {"within"}
    assert translation.table(case).columns["head"][-1] == "C1H7"
