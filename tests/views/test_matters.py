"""Looks, adds, matters: the bundled example names two heads that pass their control; other texts report numbers."""

from dataclasses import replace

import numpy as np
import pytest

from mha.analysis.head_effects import HeadEffects
from mha.figures.charts import effect_scatter
from mha.intervention.outcomes import NextWords, WordSweep
from mha.maps import HeadId, Token
from mha.models.files.catalog import model_row
from mha.views import matters

MODEL = model_row("smollm2")
TEXT = "When Mary and John went to the store, John gave a drink to"
TOKENS = tuple(
    Token(word, word=number, start=4 * number, end=4 * number + 3)
    for number, word in enumerate(("The", "cat", "saw", "her"))
)


def sweep(words=("cat", "dog"), change=None):
    """Return a sweep of two next words by two layers of two heads, with no head measured."""
    change = np.full((2, 2, len(words)), np.nan) if change is None else change
    return WordSweep(
        text="The cat saw her", tokens=TOKENS, place=3, kind="mean", ids=tuple(range(len(words))),
        texts={number: f" {word}" for number, word in enumerate(words)},
        raws={number: f"Ġ{word}" for number, word in enumerate(words)}, special=frozenset(),
        log_probability=np.log([0.5, 0.25]), change=change, likeliest=np.where(np.isnan(change[..., 0]), -1, 0),
    )  # fmt: skip


def case_of(looks, adds, change=None, looked_at=("cat",), words=("cat", "dog")):
    """Return the case of a text of four words: ``looks`` and ``adds`` of two layers of two heads."""
    prediction = sweep(words, change)
    effects = HeadEffects(
        text="The cat saw her", tokens=TOKENS, words=words, ids=(0, 1), positions=((1,),) * len(looked_at),
        attention=np.array(looks, dtype=float)[..., None] * np.array([1, 0])[: len(looked_at)],
        direct=np.array(adds, dtype=float), log_probability=prediction.log_probability, change=prediction.change,
        looked_at=looked_at,
    )  # fmt: skip
    return matters.EffectsCase(MODEL, NextWords(prediction), effects)


LOOKS, ADDS = [[0.1, 0.7], [0.2, 0.0]], [[0.5, -0.25], [2.0, 0.0]]


@pytest.fixture(scope="module")
def example():
    stored = matters.bundled_effects(TEXT, ("", ""), None, MODEL)
    assert stored is not None
    return matters.EffectsCase(MODEL, NextWords(sweep(stored.example.words)), stored.example, stored)


def test_the_chart_and_the_table_name_words_as_sentences_do():
    case = case_of(LOOKS, ADDS, words=("I", "I"))
    measured = replace(sweep(("I", "I")), texts={0: " I", 1: "I"}, raws={0: "ĠI", 1: "I"})
    case = matters.with_sweep(case, measured)
    assert case.words == ("*␣I*", "the token *I*")
    assert matters.chart_values(case)["words"] == ("␣I", "I")
    assert "logits of ␣I minus I" in str(vars(matters.export(case).provenance))


def test_sizes_have_a_legend_only_in_a_chart():
    change = np.full((2, 2, 2), -0.5)
    assert matters.size_text(case_of(LOOKS, ADDS, change)).startswith("Size of a triangle")
    assert matters.size_text(case_of(LOOKS, ADDS)) == "", "nothing is measured"
    assert matters.size_text(case_of(LOOKS, ADDS, change, looked_at=())) == "", "no word to look at: no chart"


def test_the_named_heads_of_the_example_pass_their_control(example):
    assert example.is_named
    assert matters.guesses(example) == [("L23H3", "adds"), ("L24H4", "looks")]
    form = example.stored.form
    for head in example.roles.values():
        low, high = form.matched_range[form.heads.index(head)]
        assert not low <= form.head_matters[:, form.heads.index(head)].mean() <= high


def test_no_head_of_the_example_is_named_without_its_control(example):
    form = replace(example.stored.form, head_matters=np.zeros_like(example.stored.form.head_matters))
    failing = replace(example, stored=replace(example.stored, form=form))
    assert not failing.is_named
    assert "makes" not in matters.finding(failing)
    assert "In 200 other sentences" not in matters.control_text(failing)


def test_sentences_of_the_example_follow_the_signs(example):
    assert matters.finding(example) == (
        "The head that looks hardest at *Mary* makes *Mary* less likely. "
        "The head that adds most to *Mary* looks at *John*."
    )
    direct = np.where(example.effects.direct < 0, 0.1, example.effects.direct)
    turned = replace(example, effects=replace(example.effects, direct=direct))
    assert "makes *Mary* more likely" in matters.finding(turned)
    assert matters.question(example).endswith("Which head adds more to *Mary*?")
    looks, adds = matters.head_rows(example, "adds")
    assert "−1.06\xa0logits to *Mary* over *John*" in looks
    assert "(all occurrences)" in looks, "John occurs twice"
    assert adds.startswith("`L23H3` adds most, your guess\n")
    control = matters.explanation(example)
    assert "In 200 other sentences" in control
    assert "The other heads of the layer, moved as far from their outputs, change it by −" in control


@pytest.mark.parametrize(
    ("text", "words", "look_at"), [("Hi there", ("", ""), None), (TEXT, ("John", "Mary"), None), (TEXT, ("", ""), 3)]
)
def test_other_texts_words_and_looks_have_no_bundled_effects(text, words, look_at):
    assert matters.bundled_effects(text, words, look_at, MODEL) is None


@pytest.mark.parametrize(
    ("looks", "adds", "looked_at", "finding"),
    [
        (
            LOOKS, ADDS, ("cat",),
            "`L0H1` looks hardest at *cat* and adds −0.25\xa0logits to *cat* over *dog*. "
            "`L1H0` adds most: +2.00\xa0logits.",
        ),
        ([[0.1, 0.2], [0.9, 0.0]], ADDS, ("cat",), "`L1H0` looks hardest at *cat* and adds most to *cat* over *dog*."),
        (
            [[0.5, 0.5], [0, 0]], ADDS, ("cat",),
            "No single head looks hardest at *cat*. `L1H0` adds most to *cat* over *dog*: +2.00\xa0logits.",
        ),
        (
            LOOKS, [[-1, -2], [-0.001, 0.001]], ("cat", "dog"),
            "`L0H1` looks hardest at *cat* over *dog* and adds −2.00\xa0logits to *cat* over *dog*. "
            "`L1H1` adds most: less than 0.01 logits.",
        ),
        (
            LOOKS, [[-1, -2], [-3, 0]], ("cat",),
            "`L0H1` looks hardest at *cat* and adds −2.00\xa0logits to *cat* over *dog*. "
            "No single head adds most to *cat* over *dog*.",
        ),
        (LOOKS, ADDS, (), "`L1H0` adds most to *cat* over *dog*: +2.00\xa0logits."),
        (LOOKS, [[1, 1], [0, 0]], (), "No single head adds most to *cat* over *dog*."),
    ],
)  # fmt: skip
def test_the_finding_is_true_for_any_numbers(looks, adds, looked_at, finding):
    case = case_of(looks, adds, looked_at=looked_at)
    assert matters.finding(case) == finding
    assert not case.is_named
    assert ("no head is called special" in matters.explanation(case)) == bool(case.roles)


def test_no_head_is_named_in_a_text_of_three_tokens():
    case = case_of(LOOKS, ADDS, change=np.ones((2, 2, 2)))
    short = replace(case, effects=replace(case.effects, tokens=TOKENS[:3]))
    assert short.roles == {}
    assert not short.can_guess
    assert matters.finding(short) == (
        "SmolLM2 gives *cat* 50\xa0%. In a text of fewer than four tokens no head is named."
    )
    assert matters.head_rows(short, "") == []
    assert "largest numbers" not in matters.explanation(short)


def test_a_token_that_is_no_word_is_called_a_token():
    case = case_of(LOOKS, ADDS, words=("cat", "."))
    assert matters.finding(case).startswith(
        "`L0H1` looks hardest at *cat* and adds −0.25\xa0logits to *cat* over the token *"
    )


def test_a_head_that_is_not_ablated_has_no_effect_and_the_largest_waits_for_all():
    part = np.full((2, 2, 2), np.nan)
    part[0, 1] = [-0.5, 0.0]
    case = matters.with_sweep(case_of(LOOKS, ADDS), sweep(change=part))
    looks, adds = matters.head_rows(case, "")
    assert "without it the score changes by −0.50\xa0logits (*cat* falls from 50 to 30\xa0%)" in looks
    assert adds.endswith("- **matters** not measured yet")
    full = np.zeros((2, 2, 2))
    full[1, 1] = [0.25, 0.0]
    case = matters.with_sweep(case, sweep(change=full))
    assert case.roles["matters"] == HeadId(1, 1)
    assert matters.head_rows(case, "")[-1].startswith("`L1H1` matters most")


def test_pair_of_takes_typed_words_then_the_likeliest():
    pair = sweep(("cat", "dog"))
    assert matters.pair_of(pair, "", "") == (0, 1)
    assert matters.pair_of(pair, "dog", "") == (1, 0)
    assert matters.pair_of(pair, "", "cat") == (1, 0)
    assert matters.pair_of(pair, "dog", "dog") == (1, 0)
    assert matters.pair_of(pair, "unknown", "") == (0, 1)


def test_words_can_be_selected_except_the_first():
    case = case_of(LOOKS, ADDS)
    assert matters.word_options(case.prediction) == {1: "cat", 2: "saw", 3: "her"}
    select = matters.sentence_data(case, None, None, can_select=True)["select"]
    assert (select["numbers"], select["selected"]) == ([None, 1, 2, 3], [False, True, False, False])
    assert "select" not in matters.sentence_data(case, None, None, can_select=False)


def test_the_chart_has_a_mark_a_head_and_sizes_without_a_limit(example):
    figure = effect_scatter(**matters.chart_values(example))
    assert sum(len(trace.x) for trace in figure.data) == 270
    assert [text for trace in figure.data for text in trace.text if text] == ["L23H3", "L24H4"]
    assert figure.layout.xaxis.title.text == "← looks more at John · looks more at Mary →"
    full = np.zeros((2, 2, 2))
    full[0] = [[-0.25, 0.0], [1.0, 0.0]]  # areas 1 to 4
    case = case_of(LOOKS, ADDS, full, words=("a<b", "c"))
    dots, falls, rises = effect_scatter(**matters.chart_values(case)).data
    assert (len(dots.x), list(falls.marker.size), list(rises.marker.size)) == (2, [10.0], [20.0])
    assert "a&lt;b" in falls.name
    assert dots.name == "no change"
    text = matters.chart_text(case)
    assert text.startswith("4 heads by what they look at and what they add. L0H1 looks hardest, matters most, looks 70")
    assert "*" not in text


def test_the_table_leaves_out_looks_that_nothing_has():
    assert list(matters.table(case_of(LOOKS, ADDS, np.zeros((2, 2, 2))))) == ["head", "looks", "adds", "matters"]
    table = matters.table(case_of(LOOKS, ADDS, looked_at=()))
    assert list(table) == ["head", "adds"]
    assert table["head"][1] == "L0H1"
    assert matters.export(case_of(LOOKS, ADDS)).columns["adds"].tolist() == [0.5, -0.25, 2.0, 0.0]
