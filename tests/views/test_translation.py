"""Sentences and component data of Translation, on translations made by hand."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from mha.cuts import Cut
from mha.intervention.outcomes import NextWords, WordSweep
from mha.maps import AttentionMaps, CrossHead, EncoderHead, Token
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


def written(source, text, heads=(), weights=None, cut=()):
    """Return a translation; ``weights`` are those of heads from word 1 to word 4 of the source."""
    keys, tokens = tokens_of(source), tokens_of(text, 1)
    own = np.zeros((6, 8, len(keys), len(keys)), dtype=np.float32)
    own[..., 0] = 1
    for head, weight in (weights or {}).items():
        own[head][1, [0, 4]] = 1 - weight, weight
    cross = np.zeros((2, 8, len(tokens) + 1, len(keys)), dtype=np.float32)
    cross[1, 2, :, 1] = 0.9
    maps = AttentionMaps(own, keys, text=source)
    recording = SimpleNamespace(attention=lambda _: maps)
    return SimpleNamespace(
        source=source, text=text, words=tuple(text.rstrip(".").split()), tokens=tokens, heads=tuple(heads),
        cut=tuple(map(Cut.of, cut)),
        ids=tuple(sum(map(ord, token.text)) for token in tokens),
        attention=SimpleNamespace(weights=cross, key_tokens=keys),
        generation=SimpleNamespace(recording=recording),
    )  # fmt: skip


LOOKS = {EncoderHead(0, 7): 0.9, EncoderHead(2, 1): 0.6}


def case_of(weights=LOOKS, both=HIS, heads=(), source=SHE, full=HERS, shown=None, word=None, cut=(), words=None):
    other = translation.other_version(source)
    untouched, without = written(source, full, weights=weights), written(source, both)
    changed, rival = written(source, shown or full, heads, weights, cut), written(other, HIS) if other else None
    step = translation.pick_step(untouched, (rival, without), word)
    return translation.TranslationCase(ROW, untouched, without, changed, rival, step, words or NextWords(sweep_of()))


def sweep_of(names=("A", "O"), change=None, likeliest=1, revision="", tokens=()):
    change = np.zeros((6, 8, 2)) if change is None else change
    return WordSweep(
        text=SHE, tokens=tokens, place=0, kind="mean", ids=(1, 2), raws={}, texts=dict(enumerate(names, 1)),
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
    expected = "Without `E0H7` and `E2H1`, the translator writes *O professor* in place of *A professora*."
    assert translation.finding(weak) == expected
    same = translation.finding(case_of(both=HERS))
    assert "without them the translation stays the same" in same
    assert "English does not say" not in same


@pytest.mark.parametrize("source", [SHE.replace("teacher", "queen"), HE])
def test_english_is_judged_for_neutral_nouns_with_she_alone(source):
    assert "English does not say" not in translation.finding(case_of(source=source))


def test_the_default_is_named_for_masculine_words_without_both_heads():
    cases = [case_of(both=both) for both in (HIS, HERS)]
    assert [translation.MASCULINE_DEFAULT in translation.explanation(case)[-1] for case in cases] == [True, False]
    book = [("She opened the book.", "Ela abriu o livro."), ("The car broke because she hit it.", "O carro quebrou.")]
    doctor = ("The doctor slept because she was ill.", "O médico dormiu.")
    cases = [case_of({}, text, source=source, full=text) for source, text in (*book, doctor)]
    assert [translation.has_masculine_default(case) for case in cases] == [False, False, True]


def test_ablated_heads_come_first():
    case = case_of(heads=[CrossHead(1, 2)], shown=HIS)
    assert (
        translation.finding(case) == "Without `C1H2`, the translator writes *O professor* in place of *A professora*."
    )
    assert translation.finding(case_of(heads=[CrossHead(1, 2)])) == "Without `C1H2`, the translation stays the same."


def test_words_of_a_text_are_escaped():
    case = case_of(source=SHE.replace("teacher", "[teacher]"), both="O <b> dormiu.")
    assert r"from *\[teacher\]* to *she*" in translation.finding(case)
    assert r"\<b\>" in translation.finding(case)


def test_only_a_single_pronoun_has_another_version():
    assert translation.other_version("SHE's here.") == "HE's here."
    assert translation.other_version("The shepherd saw her.") == ""
    assert translation.find_look(case_of(source="The dog was here because it slept.")) is None


def test_an_article_has_that_of_the_other_gender_and_another_word_its_rival():
    full, rival = written(SHE, HERS), written(SHE, "A senhora dormiu.")
    assert translation.candidates_at_step(full, 0, [None]) == ("", (65, "O"))
    begun, words = translation.candidates_at_step(full, 1, [None, rival])
    assert (begun, words[1]) == ("A", sum(map(ord, "senhora")))
    assert len(translation.candidates_at_step(full, 2, [full])[1]) == 1


def test_largest_without_a_control():
    change = np.zeros((6, 8, 2))
    change[3, 5, 0] = -1.25
    case = case_of(words=NextWords(sweep_of(change=change)))
    assert translation.largest_text(case).startswith("The largest of 64 changes is −1.3 nats. No control")
    other = case_of(words=NextWords(sweep_of(("A", "Uma"), likeliest=2)))
    assert translation.largest_text(other) == "None of 64 heads changes *A* against the token *Uma* by 0.05 nats."


@pytest.mark.parametrize(
    ("full", "word", "sentence"),
    [
        (HERS, 1, "The control is of an article at the beginning alone."),
        ("Maria dormiu.", 0, "There is no control for *Maria*."),
    ],
)
def test_the_control_is_mentioned_where_an_article_is_written(full, word, sentence):
    change = np.full((6, 8, 2), [-1.25, 0])
    words = NextWords(sweep_of((full.split()[word].strip("."), "Uma"), change))
    assert sentence in translation.largest_text(case_of(full=full, both=full, word=word, words=words))


def test_a_part_of_a_word_is_called_a_token():
    """*Da* begins *Das*; nothing tells whether *Te* is a word. *Ela* is the word of another translation."""
    words = NextWords(sweep_of(("Da", "Te"), tokens=tokens_of("<pad>")), (), np.array([0.25, 0.7]), "Te")
    case = case_of({}, full="Das ist.", both="Das ist.", source="Das ist ein Test.", words=words)
    first, *others = case.full.tokens
    cut_tokens = (replace(first, text="Da", end=2), *others)
    written_tokens = SimpleNamespace(**vars(case.full) | {"tokens": cut_tokens})
    case = replace(case, full=written_tokens, without_heads=written_tokens, shown_translation=written_tokens)
    assert case.names == ("the token *Da*", "the token *Te*")
    assert translation.explanation(case)[1].startswith("The token *Da* falls from 75 to 25")
    picture = translation.words_picture(case)
    assert picture["hint"] == "probability of a token"
    assert [(bar["is_word"], bar["label"][:12]) for bar in picture["candidates"]] == [
        (False, "the token Da"), (False, "the token Te")
    ]  # fmt: skip
    assert "From the token Da, C1H2 gives" in translation.sentence_data(case)["label"]
    assert translation.grid_data(case)["legend"]["less"] == "the token Da loses to the token Te"
    both_words = NextWords(sweep_of(("Ela", "Ele"), tokens=tokens_of("<pad>")))
    picture = translation.words_picture(case_of(full="Ela dormiu.", both="Ele dormiu.", words=both_words))
    assert (picture["hint"], [bar["is_word"] for bar in picture["candidates"]]) == ("probability", [True, True])


def test_another_language_than_english_is_mentioned():
    german = "Der Hund hat das Essen gefressen"
    first = [translation.explanation(case_of({}, source=source))[0] for source in (german, SHE, "Dogs sleep.")]
    assert [line == translation.ENGLISH_ONLY for line in first] == [True, False, False]


def test_sentence_data_has_three_arcs_and_the_changed_words():
    data = translation.sentence_data(case_of(heads=translation.HEADS, shown=HIS))
    assert [(each["name"], each["from"], each["to"], each["off"]) for each in data["links"]] == [
        ("E0H7", [0, 1], [0, 4], True), ("E2H1", [0, 1], [0, 4], True), ("C1H2", [1, 0], [0, 1], False),
    ]  # fmt: skip
    assert (data["under"], data["changed"]) == ([1, 0], [0, 1])
    assert "From teacher, E0H7 is ablated." in data["label"]
    assert "From O, C1H2 gives 90\xa0% of its attention to teacher." in data["label"]


def test_a_cut_link_leads_and_its_arc_is_broken():
    words = NextWords(sweep_of(), (), np.array([0.25, 0.7]), "O")
    case = case_of(cut=["E0H7:1-4", "C1H2:0-1"], shown=HIS, words=words)
    data = translation.sentence_data(case)
    assert [(each["cut"], each["is_cut"], each["weight"]) for each in data["links"]] == [
        ("E0H7:1-4", True, 0.9), ("E2H1:1-4", False, 0.6), ("C1H2:0-1", True, 0.9),
    ]  # fmt: skip
    assert data["cut"] == "E0H7 teacher → she, C1H2 A → teacher"
    assert "From A, C1H2 has the link to teacher cut; it was 90\xa0%." in data["label"]
    assert translation.finding(case).startswith("With 2 links cut, the translator writes *O professor*")
    single = translation.finding(case_of(cut=["E0H7:1-4"], heads=[EncoderHead(2, 1)], shown=HIS))
    assert single.startswith("Without `E2H1` and with the link *teacher → she* of `E0H7` cut, the translator writes")
    assert translation.explanation(case)[0] == "*A* falls from 75 to 25\xa0%."
    assert "measured with no link cut" in translation.grid_caption(case)


def test_a_word_of_several_tokens_is_cut_whole():
    tokens = (Token("tea", "▁tea", 0, False, 0, 3), Token("cher", "cher", 0, False, 3, 7),
              Token("</s>", "</s>", None, True, 0, 0))  # fmt: skip
    maps = AttentionMaps(np.full((1, 1, 3, 3), 1 / 3, dtype=np.float32), tokens, text="teacher")
    full = SimpleNamespace(generation=SimpleNamespace(recording=SimpleNamespace(attention=lambda _: maps)))
    assert translation.token_runs(full) == [(0, 1), (2, 2)]


def test_a_pronoun_without_another_word_has_no_look():
    maps = AttentionMaps(np.ones((6, 8, 1, 1), dtype=np.float32), tokens_of("She"), text="She")
    full = SimpleNamespace(generation=SimpleNamespace(recording=SimpleNamespace(attention=lambda _: maps)))
    assert translation.find_look(SimpleNamespace(full=full, other_translation=full)) is None


def test_how_often_is_read_from_the_study(monkeypatch):
    study = json.loads(translation.STUDY.read_text())
    line = translation.study_sentence()
    both = study["exchange"]["chosen"]["all positions"]
    for name in ("both directions", "she to he", "he to she"):
        assert f"{both[name]['hits']} of {both[name]['n']}" in line
    alone = study["exchange"]["chosen"]["E2H1 alone"]["she to he"]
    assert f"`E2H1` alone: *she* to *he* {alone['hits']} of {alone['n']}" in line
    both["he to she"]["hits"] = 7
    monkeypatch.setattr(translation.assets, "optional", lambda *_: study)
    assert "*he* to *she* 7 of 72" in translation.study_sentence()
    monkeypatch.setattr(translation.assets, "optional", lambda *_: study | {"chosen": ["E0H7", "E1H1"]})
    assert translation.study_sentence() == ""


def test_grid_names_the_heads_of_both_stacks():
    case = case_of()
    data = translation.grid_data(case)
    assert (data["layers"], data["heads"], data["layer_names"][-1]) == (8, 8, "C1")
    assert set(data["states"]) == {"within"}
    assert translation.table(case).columns["head"][-1] == "C1H7"
