"""Sentences and component data of Next word, on bundled results and on sweeps made by hand."""

from dataclasses import replace

import numpy as np
import pytest

from mha.analysis.ablation_control import AblationControl
from mha.engine.bundled import bundled_next_words
from mha.engine.writing import attention, next_words
from mha.intervention.outcomes import NextWords, WordSweep
from mha.maps import AttentionMaps, HeadId, Token
from mha.models.files.catalog import model_row
from mha.views import next_word

FRANCE = "The capital of France is"
ROW = model_row("smollm2")


def sweep_of(change, probability=(0.5, 0.1), n_tokens=5):
    """Return a sweep of two words over two layers of two heads; ``change`` is [layer, head, word] in nats."""
    change = np.array(change, dtype=float)
    return WordSweep(
        text="a b", tokens=tuple(Token(str(n)) for n in range(n_tokens)), place=n_tokens - 1, kind="mean", ids=(1, 2),
        raws={1: "x", 2: "y"}, texts={1: " x", 2: " y"}, special=frozenset(), model="M", revision="r",
        log_probability=np.log(probability), change=change, likeliest=np.where(np.isnan(change[..., 0]), -1, 1),
    )  # fmt: skip


def control_of(change, shuffled_change=None):
    change = np.array(change, dtype=float)
    n, names = len(change), ("t",) * len(change)
    shuffled_change = change if shuffled_change is None else shuffled_change
    sources = ("sample sentences", "other texts") * (n // 2)
    return AblationControl(
        "M", "r", "mean", (4, 8), names, sources, np.full(n, 5), names, np.zeros(n), change, names, shuffled_change
    )


ZEROS = np.zeros((2, 2, 2))
QUIET = control_of(np.full((10, 2, 2), 0.1))  # no head changes a control text by more than 0.1 nats, so none is named
LOUD = control_of(np.where(np.eye(10, 4, dtype=bool), -1.0, 0.01).reshape(10, 2, 2))  # 4 of 10 texts name a head
SHUFFLED = control_of(QUIET.change, LOUD.change)  # 0 of 10 texts, but 4 of their shuffled copies


def test_bundled_example_states_the_rank_of_its_largest_change():
    result = next_words(FRANCE, "smollm2")
    control, reason = next_word.control_of(result.sweep, "smollm2", 0, None)
    assert reason == ""
    sentence = next_word.finding(result, ROW, 0, None, control)
    count = control.n_texts_changed(float(result.sweep.change[23, 4, 0]))
    assert sentence == (
        "Without `L23H4`, *Paris* falls from 77\xa0% to 13\xa0%, the largest change of 270 heads; "
        f"as large in {count} of 48 control texts."
    )
    assert "so no head is called special to this text" in next_word.explanation(result, 0, None, control, reason)
    result = next_words(FRANCE, "smollm2", ablated=[HeadId(23, 4)])
    assert next_word.explanation(result, 0, None, control, "") == (
        f"This change is 1.79 nats; in {count} of 48 control texts some head changes the likeliest word "
        "by at least that."
    )


def test_bundled_ablation_needs_no_model():
    result = next_words(FRANCE, "smollm2", ablated=[HeadId(23, 4)])
    assert result.after[0] == pytest.approx(0.129, abs=0.01)
    assert next_word.finding(result, ROW, 0, None, None).startswith("Without `L23H4`, *Paris* falls from 77\xa0% to 13")


def test_finding_names_no_head_before_every_head_is_measured():
    partial = ZEROS.copy()
    partial[0, 0, 0], partial[1, 1] = -2, np.nan
    result = NextWords(sweep_of(partial))
    assert next_word.finding(result, ROW, 0, None, LOUD) == "SmolLM2 predicts *x* with 50\xa0%."
    assert next_word.explanation(result, 0, None, LOUD, "") == ""


def test_finding_names_no_head_without_a_control():
    change = ZEROS.copy()
    change[0, 0, 0] = -2
    assert next_word.finding(NextWords(sweep_of(change)), ROW, 0, None, None) == "SmolLM2 predicts *x* with 50\xa0%."


def test_finding_of_a_rule_that_names_rarely():
    change = ZEROS.copy()
    change[1, 0, 0] = -2
    assert QUIET.may_name
    named = next_word.finding(NextWords(sweep_of(change)), ROW, 0, None, QUIET)
    assert named == (
        "Without `L1H0`, *x* falls from 50\xa0% to 7\xa0%, the largest change of 4 heads; "
        "as large in 0 of 10 control texts."
    )
    change[1, 0, 0] = -0.05
    result = NextWords(sweep_of(change))
    assert next_word.finding(result, ROW, 0, None, QUIET) == (
        "Without `L1H0`, *x* falls from 50\xa0% to 48\xa0%, the largest change of 4 heads; "
        "as large in 10 of 10 control texts."
    )
    explained = next_word.explanation(result, 0, None, QUIET, "")
    assert "0 of 4 heads pass the control limit" in explained
    assert "names one on 0\xa0% (0 to 28) of the control texts and on 0\xa0% (0 to 28) of their shuffled" in explained
    assert "no head is called" not in explained


def test_no_head_is_special_if_shuffled_copies_often_have_one():
    change = ZEROS.copy()
    change[1, 0, 0] = -2
    result = NextWords(sweep_of(change))
    assert next_word.finding(result, ROW, 0, None, SHUFFLED).startswith("Without `L1H0`, ")
    assert next_word.shown_head(None, (), result.sweep, 0, SHUFFLED) is None
    explained = next_word.explanation(result, 0, None, SHUFFLED, "")
    assert "and on 40\xa0% (17 to 69) of their shuffled copies, so no head is called special to this text." in explained
    method = next_word.method(result.sweep, SHUFFLED)
    assert "(5 sample sentences, 5 other texts)" in method
    unmeasured = replace(SHUFFLED, shuffled_change=np.full((10, 2, 2), np.nan))
    assert "was not measured, so no head is called special to this text." in next_word.explanation(
        result, 0, None, unmeasured, ""
    )
    assert "A head is called special to a text only if both are at most 20\xa0%." in method


def test_finding_states_a_rank_where_the_rule_names_often():
    assert not LOUD.may_name
    change = ZEROS.copy()
    change[1, 0, 0] = -2
    sentence = next_word.finding(NextWords(sweep_of(change)), ROW, 0, None, LOUD)
    assert sentence == (
        "Without `L1H0`, *x* falls from 50\xa0% to 7\xa0%, the largest change of 4 heads; "
        "as large in 0 of 10 control texts."
    )


def test_no_rank_is_stated_for_a_change_that_is_not_printed():
    change = ZEROS.copy()
    change[1, 0, 0] = -0.002  # 50 → 49.9 points
    assert next_word.finding(NextWords(sweep_of(change)), ROW, 0, None, LOUD) == "SmolLM2 predicts *x* with 50\xa0%."


def test_the_second_word_is_another_word():
    sweep = sweep_of(ZEROS)
    assert [next_word.second_index_of(sweep, word, 0) for word in ("", "x", "y", "z")] == [None, None, 1, None]


def test_no_head_is_named_if_nats_and_points_disagree():
    change = ZEROS.copy()
    change[0, 0, 0], change[1, 1, 0] = -0.6, 0.5  # 0.5 → 0.274 and 0.824: more points, fewer nats
    assert QUIET.named_head(change[..., 0]) == HeadId(0, 0)
    assert next_word.named(sweep_of(change), 0, QUIET) is None
    change[1, 1, 0] = 0.3
    assert next_word.named(sweep_of(change), 0, QUIET) == HeadId(0, 0)


def test_several_ablated_heads_are_listed_with_each_alone():
    change = ZEROS.copy()
    change[0, 0, 0], change[1, 1, 0] = -1, -0.5
    result = NextWords(sweep_of(change), (HeadId(0, 0), HeadId(1, 1)), np.array([0.05, 0.2]), "y")
    sentence = next_word.finding(result, ROW, 0, None, LOUD)
    assert sentence == "Without `L0H0` and `L1H1`, *x* falls from 50\xa0% to 5\xa0%, and *y* is likeliest."
    explained = next_word.explanation(result, 0, None, LOUD, "")
    assert explained == "*x* with one of them ablated: without `L0H0` 18\xa0%, without `L1H1` 30\xa0%."


@pytest.mark.parametrize(
    ("word", "versus", "reason"),
    [(1, None, "the likeliest word"), (0, 1, "a difference of two words"), (0, None, "No control was measured")],
)
def test_numbers_alone_have_a_reason(word, versus, reason):
    control, sentence = next_word.control_of(sweep_of(ZEROS), "unknown", word, versus)
    assert control is None
    assert reason in sentence


def test_texts_below_four_tokens_have_no_control():
    sweep = replace(bundled_next_words(FRANCE, "smollm2"), tokens=(Token("Hi"),) * 3)
    control, reason = next_word.control_of(sweep, "smollm2", 0, None)
    assert control is None
    assert "three tokens" in reason


def test_cells_within_the_limit_are_empty():
    change = ZEROS.copy()
    change[..., 0] = [[-0.05, -2], [0.3, np.nan]]
    data = next_word.grid_data(sweep_of(change), 0, None, QUIET, [HeadId(0, 1)], HeadId(1, 0), 1)
    assert data["states"] == ".mu?"  # +0.3 nats is more than twice 0.1
    assert data["names"]["u"] == "more likely without it, mainly on this text"
    assert data["texts"] == {1: "−43", 2: "+17"}  # 50 (e^-2 - 1) and 50 (e^0.3 - 1) points
    assert data["shades"] == {1: pytest.approx(0.865, abs=1e-3), 2: pytest.approx(0.35, abs=1e-3)}
    assert data["ablated"] == ["L0H1"]
    assert data["head"] == "L1H0"
    assert set(data["states"]) <= set(data["names"])


def test_cells_of_a_difference_are_in_nats():
    change = ZEROS.copy()
    change[0, 0] = [-1, 0.5]
    data = next_word.grid_data(sweep_of(change), 0, 1, None)
    assert data["texts"] == {0: "−1.5"}
    assert data["states"] == "f..."
    assert "loses to y" in data["names"]["f"]


def test_sentence_data_has_no_arc_for_the_first_token_or_the_query():
    result = next_words(FRANCE, "smollm2")
    maps = attention(FRANCE, "smollm2")
    data = next_word.sentence_data(result, 0, maps, HeadId(23, 4))
    assert [token["text"] for token in data["tokens"]] == FRANCE.split()
    assert (data["attention"]["first"], data["attention"]["query"]) == (0, 4)
    assert data["attention"]["shares"][3] == pytest.approx(0.90, abs=0.01)
    assert [candidate["word"] for candidate in data["candidates"]] == ["Paris", "the", "London", "Le", "New"]


def test_attention_sentence_names_the_first_token_as_such():
    weights = np.tril(np.full((1, 1, 2, 2), 0.5, np.float32))
    weights[0, 0, 0] = [1, 0]
    maps = AttentionMaps(weights=weights, tokens=(Token("The"), Token("<b>")), causal=True)
    sentence = next_word.attention_sentence(maps, HeadId(0, 0), 1)
    assert sentence == r"From *\<b\>*, `L0H0` gives 50" + "\xa0% of its attention to the first *The*."


@pytest.mark.parametrize(
    ("text", "model", "expected"),
    [
        ("Hi", "minilm", "predicts no words"),
        ("Hi", "toy", "predicts no words"),
        (" ", "smollm2", "Type a text"),
        ("A [MASK] b", "smollm2", "not a gap inside it"),
        ("Hi", "smollm2", ""),
    ],
)
def test_refusal_says_why_a_model_cannot_predict(text, model, expected):
    refusal = next_word.refusal(text, model_row(model))
    assert expected in refusal if expected else refusal == ""


def test_table_has_a_row_a_head_and_its_source():
    table = next_word.table(bundled_next_words(FRANCE, "smollm2"), ROW)
    assert len(table.columns["head"]) == 270
    assert table.columns["Paris, without the head"][23 * 9 + 4] == pytest.approx(0.129, abs=0.01)
    assert table.provenance.texts == (FRANCE,)


def test_user_text_is_escaped_in_markdown():
    from mha.formats import markdown

    assert markdown("*a* :smile: $x$ <b> [b](c)\nd") == (
        "\\*a\\* \\:\u2060smile\\:\u2060 \\$x\\$ \\<b\\> \\[b\\]\\(c\\) d"
    )
