"""Sentences and component data of Next word, on bundled results and on sweeps made by hand."""

from dataclasses import replace

import numpy as np
import pytest

from mha.analysis.ablation_control import AblationControl
from mha.cuts import Cut
from mha.engine.bundled import bundled_next_words, bundled_ranks
from mha.engine.word_sweeps import head_positions
from mha.engine.writing import attention, next_words
from mha.formats import ordinal
from mha.intervention.outcomes import NextWords, PositionEffects, WordRanks, WordSweep
from mha.maps import AttentionMaps, HeadId, Token
from mha.models.files.catalog import model_row
from mha.views import cuts, next_word
from mha.views import next_word_sentences as sentences
from mha.views.next_word import NextWordCase

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


def case_of(change, control=None, word_index=0, versus_index=None, **more):
    """Return a case of a sweep made by hand; ``change`` has pairs (head, word): nats."""
    values = ZEROS.copy()
    for (layer, head, word), nats in change.items():
        values[layer, head, word] = nats
    prediction = NextWords(sweep_of(values))
    return NextWordCase(ROW, prediction, word_index, versus_index, control, "" if control else "No control.", **more)


def unmeasured(case, *heads):
    """Return the case with some heads not measured."""
    change, likeliest = case.sweep.change.copy(), case.sweep.likeliest.copy()
    for head in heads:
        change[head], likeliest[head] = np.nan, -1
    return next_word.with_sweep(case, replace(case.sweep, change=change, likeliest=likeliest))


def bundled_case(text=FRANCE, word="", ablated=()):
    prediction = next_words(text, "smollm2", ablated=ablated)
    case = next_word.case_of(ROW, prediction, word)
    case = replace(case, ranks=bundled_ranks(text, "smollm2", case.sweep.ids[case.word_index]))
    positions = head_positions(text, "smollm2", case.head, case.sweep.ids, case.position_word)
    return replace(case, maps=attention(text, "smollm2"), positions=positions)


def test_bundled_example_states_the_rank_of_its_largest_change():
    case = bundled_case()
    some = case.control.n_texts_changed(float(case.sweep.change[23, 4, 0]))
    finding = "Without `L23H4`, *Paris* falls from 77 to 13\xa0%, the largest change of 270 heads."
    assert sentences.finding(case) == finding
    line = sentences.explanation(case)
    assert line.startswith(
        "From *is*, `L23H4` gives 90\xa0% of its attention to *France*. Ablated at *is* alone, *Paris*"
    )
    rank = (
        f"In {some} of 48 control texts some head changes the likeliest word as much (1.79 nats), `L23H4` itself in 0."
    )
    assert rank in line
    assert "No head is called special: the rule would name a head on" in line


def test_another_word_keeps_the_head():
    case = bundled_case(word="London")
    assert case.head == HeadId(23, 4)
    assert sentences.finding(case).startswith("Without `L23H4`, *London* rises from 1 to 11\xa0%")
    case = bundled_case(word="Le")  # another head changes it most
    assert case.head == HeadId(23, 4)
    assert sentences.finding(case) == (
        "Without `L23H4`, *Le* falls from 1\xa0% to less than 1\xa0%. The largest change of 270 heads is without "
        "`L11H7`: 1 to 5\xa0%."
    )


def test_an_early_head_is_shown_by_the_positions_where_it_acts():
    case = bundled_case("When Mary and John went to the store, John gave a drink to")
    assert case.head == HeadId(0, 8)
    assert case.acts_elsewhere
    data = next_word.sentence_data(case)
    assert data["attention"] is None
    assert data["effects"]["texts"][0] == "−76"  # the first word, which nearly all later heads look at
    acts = "`L0H8` acts at earlier tokens. Ablated at *to* alone, *Mary* stays at 92\xa0%."
    assert sentences.explanation(case).startswith(acts)


def test_bundled_ablation_needs_no_model():
    case = bundled_case(ablated=[HeadId(23, 4)])
    assert case.prediction.after[0] == pytest.approx(0.129, abs=0.01)
    assert sentences.finding(case) == "Without `L23H4`, *Paris* falls from 77 to 13\xa0%, and *the* is likeliest."


def test_finding_before_and_while_heads_are_measured():
    case = case_of({(0, 0, 0): -2, (1, 1, 0): 0.6}, LOUD)
    heads = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert sentences.finding(unmeasured(case, *heads)) == "SmolLM2 predicts *x* with 50\xa0%."
    many = np.zeros((3, 3, 2))
    many[0, 0, 0] = -2
    case = next_word.with_sweep(case, sweep_of(many))
    partial = unmeasured(case, (2, 2))
    assert sentences.finding(partial) == "Of the 8 heads measured so far, `L0H0` changes *x* most: 50 to 7\xa0%."
    assert sentences.finding(unmeasured(case, (2, 2), (2, 1))) == "SmolLM2 predicts *x* with 50\xa0%."
    assert unmeasured(case, (0, 0)).head is None
    assert sentences.finding(unmeasured(case, (0, 0))) == (
        "None of the 8 heads measured so far changes *x* by half a point when it is ablated alone."
    )


def test_the_largest_change_is_ranked_in_points_up_or_down():
    case = case_of({(0, 0, 0): -0.6, (1, 1, 0): 0.5}, LOUD)  # 0.5 → 0.274 and 0.824: more points, fewer nats
    finding = "Without `L1H1`, *x* rises from 50 to 82\xa0%, the largest change of 4 heads."
    assert sentences.finding(case) == finding
    assert next_word.grid_data(case)["shown"] == "L1H1"


def test_the_largest_change_is_reported_without_a_control():
    finding = sentences.finding(case_of({(0, 0, 0): -2}))
    assert finding == "Without `L0H0`, *x* falls from 50 to 7\xa0%, the largest change of 4 heads."


@pytest.mark.parametrize(("n_tokens", "length"), [(1, "one token"), (3, "three tokens"), (40, "40 tokens")])
def test_the_largest_change_is_reported_in_a_text_whose_length_has_no_control(n_tokens, length):
    case = case_of({(0, 0, 0): -2})
    tokens = tuple(Token(str(number)) for number in range(n_tokens))
    case = next_word.with_sweep(case, replace(case.sweep, tokens=tokens, place=n_tokens - 1))
    largest = "Without `L0H0`, *x* falls from 50 to 7\xa0%, the largest change of 4 heads"
    assert sentences.finding(case) == f"{largest}; a text of {length} has no control."
    two_sided = replace(case, model=replace(ROW, two_sided=True))
    assert sentences.finding(two_sided) == f"{largest}.", "its tokens are those of the output, not of the text"
    assert case.head == HeadId(0, 0)
    assert next_word.grid_data(case)["texts"] == ["−43", "", "", ""]


def test_a_token_alone_has_no_arcs_and_no_effect_by_position():
    case = bundled_case()
    alone = replace(case.sweep, text="Rain", tokens=(Token("Rain"),), place=0)
    maps = AttentionMaps(weights=np.ones((30, 9, 1, 1), np.float32), tokens=alone.tokens)
    case = next_word.with_sweep(replace(case, maps=maps), alone)
    assert next_word.sentence_data(case).get("attention") is None
    assert sentences.attention_text(case, case.head) == ""


def test_a_special_head_leads_only_if_the_control_may_name_heads():
    change = {(1, 0, 0): -2}
    assert QUIET.may_name
    named = case_of(change, QUIET)
    special = "Without `L1H0`, *x* falls from 50 to 7\xa0%, the largest change of 4 heads and special to this text."
    assert sentences.finding(named) == special
    assert sentences.explanation(named).startswith("In 0 of 10 control texts some head changes the likeliest word as")
    assert next_word.grid_data(named)["special"] == ["L1H0"]
    for control in (LOUD, SHUFFLED):
        assert not control.may_name
        case = case_of(change, control)
        assert "special" not in sentences.finding(case)
        assert next_word.grid_data(case)["special"] == []
        assert "No head is called special" in sentences.explanation(case)


def test_a_special_head_that_is_not_the_largest_comes_first():
    usual = np.full((10, 2, 2), 0.1)
    usual[:, 0, 0] = 1.5  # this head changes every text
    control = control_of(usual)
    case = case_of({(0, 0, 0): -2, (1, 0, 0): -1.6}, control)
    assert control.may_name
    assert control.limit == 1.5
    assert sentences.finding(case) == (
        "Special to this text: without `L1H0`, *x* falls from 50 to 10\xa0%. The largest change of 4 heads is without "
        "`L0H0`: 50 to 7\xa0%."
    )
    nothing = case_of({(0, 0, 0): -2}, control)
    assert sentences.finding(nothing).startswith("No head is special to this text. Without `L0H0`, *x* falls")


def test_both_rates_of_naming_are_stated_if_no_head_may_be_special():
    line = sentences.explanation(case_of({(1, 0, 0): -2}, SHUFFLED))
    assert "on 0\xa0% (0 to 28) of these texts and 40\xa0% (17 to 69) of shuffled copies." in line


def test_a_change_as_large_is_that_of_any_head_of_a_control_text():
    case = case_of({(1, 0, 0): -0.9}, LOUD)  # L0H0, L0H1, L1H0 and L1H1 change one of ten texts by one nat each
    line = sentences.control_text(case)
    assert line.startswith(
        "In 4 of 10 control texts some head changes the likeliest word as much (0.90 nats), `L1H0` itself in 1."
    )
    assert "if any head changes its likeliest word" in sentences.method(case)


def test_an_ablated_head_is_compared_with_itself_and_with_any_head():
    case = case_of({(1, 0, 0): -0.9}, LOUD)
    ablated = NextWords(case.sweep, (HeadId(1, 0),), case.sweep.ablated_probability[1, 0], "x")
    line = sentences.control_text(replace(case, prediction=ablated))
    assert line.startswith(
        "In 4 of 10 control texts some head changes the likeliest word as much (0.90 nats), `L1H0` itself in 1."
    )


def test_a_change_without_a_number_is_not_compared():
    case = case_of({(1, 0, 0): -0.002}, LOUD)
    ablated = NextWords(case.sweep, (HeadId(1, 0),), case.sweep.ablated_probability[1, 0], "x")
    assert sentences.control_text(replace(case, prediction=ablated)) == ""


def test_a_change_without_a_number_names_no_head():
    case = case_of({(1, 0, 0): -0.002}, LOUD)  # 50 → 49.9 points
    assert sentences.finding(case) == "None of 4 heads changes *x* by half a point when it is ablated alone."
    assert case.head is None


def test_a_difference_of_two_words_is_in_nats():
    case = case_of({(0, 0, 0): -1, (0, 0, 1): 0.5, (1, 1, 0): 0.04}, versus_index=1)
    assert sentences.finding(case) == (
        "Without `L0H0`, the lead of *x* over *y* falls from 1.61 to 0.11 nats, the largest change of 4 heads."
    )
    data = next_word.grid_data(case)
    assert data["texts"] == ["−1.5", "", "", ""]
    assert data["states"] == ["less", "within", "within", "within"]
    assert "in nats" in sentences.grid_caption(case)
    assert data["legend"]["less"] == "x loses to y without it"


def test_a_small_change_over_the_likeliest_word_is_stated_in_nats():
    case = case_of({(0, 0, 0): -0.01}, word_index=1, versus_index=0)
    assert sentences.finding(case) == (
        "None of 4 heads changes the lead of *y* over *x* by 0.05 nats when it is ablated alone."
    )


def test_several_ablated_heads_are_listed():
    case = case_of({(0, 0, 0): -1, (1, 1, 0): -0.5}, LOUD)
    after = NextWords(case.sweep, (HeadId(0, 0), HeadId(1, 1)), np.array([0.05, 0.2]), "y")
    case = replace(case, prediction=after)
    assert sentences.finding(case) == "Without `L0H0` and `L1H1`, *x* falls from 50 to 5\xa0%, and *y* is likeliest."
    assert sentences.explanation(case) == ""


@pytest.mark.parametrize(
    ("word", "versus", "reason"),
    [("y", "", "the likeliest word"), ("x", "y", "a difference of two words"), ("x", "", "No control was measured")],
)
def test_numbers_alone_have_a_reason(word, versus, reason):
    case = next_word.case_of(replace(ROW, name="unknown"), NextWords(sweep_of(ZEROS)), word, versus)
    assert case.control is None
    assert reason in case.no_control


def test_the_second_word_is_another_word():
    prediction = NextWords(sweep_of(ZEROS))
    indices = [next_word.case_of(ROW, prediction, "", word).versus_index for word in ("", "x", "y", "z")]
    assert indices == [None, None, 1, None]


def test_cells_within_the_limit_are_empty_and_ramps_share_a_scale():
    case = case_of({(0, 0, 0): -0.05, (0, 1, 0): -2, (1, 0, 0): 0.3}, QUIET)
    data = next_word.grid_data(unmeasured(case, (1, 1)))
    assert data["states"] == ["within", "less", "more", "unmeasured"]
    assert data["texts"] == ["", "−43", "+17", ""]  # 50 (e^-2 - 1) and 50 (e^0.3 - 1) points
    assert data["shades"] == {1: 1.0, 2: pytest.approx(17.5 / 43.2, abs=2e-3)}
    assert data["details"][1] == "−43 points"
    assert data["legend"]["within"] == ("within the control limit of 0.10 nats (x 45 to 55\xa0%) or half a point")
    assert set(data["states"]) <= set(data["legend"])


def test_no_cell_shows_a_zero():
    case = case_of({(0, 0, 0): -0.002, (0, 1, 0): 0.006, (1, 0, 0): 0.012})
    assert next_word.grid_data(case)["texts"] == ["", "", "+1", ""]


def test_arcs_leave_out_the_first_token_and_the_query():
    typed = next_word.case_of(ROW, next_words(FRANCE, "smollm2", ("Berlin",)))
    assert next_word.words_picture(typed)["title"] == "Five likeliest and typed next words"
    data = next_word.sentence_data(bundled_case())
    assert [token["text"] for token in data["tokens"]] == FRANCE.split()
    assert (data["attention"]["first"], data["attention"]["query"]) == (0, 4)
    assert data["attention"]["shares"][3] == pytest.approx(0.90, abs=0.01)
    words = next_word.words_picture(bundled_case())
    assert [candidate["word"] for candidate in words["candidates"]] == ["Paris", "the", "London", "Le", "New"]
    assert words["title"] == "Five likeliest next words"


def test_tokens_that_are_no_words_are_named_so():
    case = case_of({(0, 0, 0): -2})
    case = next_word.with_sweep(case, replace(case.sweep, texts={1: ",", 2: " y"}, raws={1: ",", 2: "Ġy"}))
    assert sentences.finding(case).startswith(r"Without `L0H0`, the token *\,* falls from 50 to 7")
    part = next_word.with_sweep(case, replace(case.sweep, texts={1: "<F0><9F>", 2: " y"}))
    assert not next_word.is_word(part.sweep, 0)
    picture = next_word.words_picture(case)
    assert [bar["is_word"] for bar in picture["candidates"]] == [False, True]
    assert picture["title"] == "Likeliest next tokens"


def test_a_byte_after_a_space_is_a_token():
    case = case_of({(0, 0, 0): -2})
    bytes_ = next_word.with_sweep(case, replace(case.sweep, texts={1: " <D7>", 2: " y"}, raws={1: "Ġ×", 2: "Ġy"}))
    assert next_word.word_name(bytes_.sweep, 0) == r"the token *␣\<D7\>*"


def test_changes_together_have_no_effect_by_position_and_many_heads_a_number():
    positions = positions_of(-2.0, -1.5)
    case = replace(case_of({(0, 0, 0): -2}), positions=positions, chosen=HeadId(0, 0))
    heads = [HeadId(layer, head) for layer in range(3) for head in range(3)]
    for ablated, cut in ((heads, ()), (heads[:1], (Cut.of("L0H1:4-2"),))):
        prediction = replace(case.prediction, ablated=tuple(ablated), after=np.array([0.3, 0.1]), cut=cut)
        assert not replace(case, prediction=prediction).shows_effect
    alone = replace(case.prediction, ablated=(HeadId(0, 0),), after=np.array([0.3, 0.1]), likeliest_after="_")
    assert replace(case, prediction=alone).shows_effect
    finding = sentences.finding(replace(case, prediction=alone))
    assert finding == "Without `L0H0`, *x* falls from 50 to 30\xa0%, and the token *\\_* is likeliest."
    many = replace(alone, ablated=tuple(heads), likeliest_after="x")
    assert sentences.finding(replace(case, prediction=many)) == "Without 9 heads, *x* falls from 50 to 30\xa0%."


def test_a_lead_that_keeps_its_digits_stays():
    prediction = NextWords(sweep_of(ZEROS), (HeadId(0, 1),), np.array([0.5001, 0.1]), "x")
    case = replace(case_of({}, versus_index=1), prediction=prediction)
    assert sentences.finding(case) == "Without `L0H1`, the lead of *x* over *y* stays at 1.61 nats."


def test_a_special_token_is_a_token():
    case = case_of({})
    end = next_word.with_sweep(case, replace(case.sweep, texts={1: "<|im_end|>", 2: " y"}, special=frozenset({1})))
    assert next_word.word_name(end.sweep, 0).startswith("the token *")
    assert next_word.word_name(end.sweep, 1) == "*y*"


def test_guesses_have_the_likeliest_word_and_no_order():
    case = bundled_case()
    assert next_word.guesses(case) == [("Le", "Le"), ("London", "London"), ("Paris", "Paris"), ("the", "the")]
    assert sentences.guess_text(case, "London") == "Your guess: *London*, 1\xa0%."
    assert sentences.guess_text(case, "Rome") == ""
    ablated = bundled_case(ablated=[HeadId(23, 4)])
    assert sentences.question(ablated).startswith("Without `L23H4`, which word does SmolLM2 expect?")
    assert sentences.guess_text(ablated, "London") == "Your guess: *London*, 1\xa0%; 11\xa0% without `L23H4`."


def cut_case(now, changed, same=None):
    """Return a case of one token's link with two ranks before; ``now`` are those with it cut."""
    maps = AttentionMaps(weights=np.full((1, 2, 5, 5), 0.2, np.float32), tokens=tuple(Token(str(n)) for n in range(5)))
    prediction = NextWords(sweep_of(ZEROS), (), np.array([changed, 0.1]), "x", (Cut.of("L0H0:4-2"),))
    before = replace(ranked(100, 3), prediction=prediction, uncut=maps)
    if same is not None:
        same = NextWords(prediction.sweep, (), np.array([same, 0.1]), "x", (Cut.of("L0H1:4-2"),))
    return replace(before, changed_ranks=replace(before.ranks, rank=np.array(now)), same_cut=same)


def test_a_cut_states_the_layer_with_the_largest_factor_between_the_ranks():
    case = cut_case((40, 1), 0.2)
    assert sentences.rank_text(case) == "With the link cut, *x* ranks first after layer 1 instead of 3rd."
    assert sentences.rank_text(cut_case((100, 3), 0.2)) == "With the link cut, *x* has the same rank after every layer."
    line = next_word.ranks_data(case)
    assert (line["ranks"], line["before"], line["drops"]) == ([40, 1], [100, 3], [1])
    assert line["label"].endswith(": 40, 1, with the link cut; before: 100, 3")
    two = replace(case.prediction, cut=(Cut.of("L0H0:4-2"), Cut.of("L1H0:4-2")), ablated=(HeadId(1, 1),))
    assert sentences.rank_text(replace(case, prediction=two)).startswith("With L1H1 ablated and 2 links cut, *x* ranks")


@pytest.mark.parametrize(
    ("changed", "same", "sentence"),
    [
        (0.7, 0.3, "With the same cut in `L0H1` (20\xa0%) instead, *x* falls from 50 to 30\xa0%."),
        (0.7, 0.6, "With the same cut in `L0H1` (20\xa0%) instead, *x* rises from 50 to 60\xa0%."),
        (0.7, 0.499, "With the same cut in `L0H1` (20\xa0%) instead, *x* stays at 50\xa0%."),
        (0.501, 0.3, "With the same cut in `L0H1` (20\xa0%) instead, *x* falls from 50 to 30\xa0%."),
        (0.7, None, ""),
    ],
)
def test_effect_of_the_same_cut_in_another_head_stated(changed, same, sentence):
    case = cut_case((100, 3), changed, same)
    assert cuts.other_head_text(case.prediction, case.same_cut, case.uncut, 0, "*x*") == sentence


def test_the_same_cut_is_that_of_the_head_with_the_next_largest_share():
    weights = np.full((2, 2, 5, 5), 0.2, np.float32)
    weights[:, :, 4, 2] = [[0.9, 0.6], [0.7, 0.1]]
    weights[:, :, 4, [0, 1, 3, 4]] = (1 - weights[:, :, 4, 2:3]) / 4
    maps = AttentionMaps(weights=weights, tokens=tuple(Token(str(n)) for n in range(5)))
    words = NextWords(sweep_of(ZEROS), (), np.array([0.2, 0.1]), "x", (Cut.of("L0H0:4-2"),))
    assert str(cuts.same_cut(words, maps)) == "L1H0:4-2"
    assert cuts.same_cut(replace(words, cut=(Cut.of("L0H0:4-3"),)), maps) is None, "no other gives it half"
    assert cuts.same_cut(replace(words, ablated=(HeadId(0, 1),)), maps) is None


def positions_of(everywhere, alone, *others):
    changes = np.array([[value, 0.0] for value in (alone, *others)])
    places = (4, *range(len(others)))
    log_probability = np.log([0.5, 0.1])
    return PositionEffects(
        HeadId(0, 0), tuple(Token(str(n)) for n in range(5)), (1, 2), places, log_probability, changes,
        np.array([everywhere, 0.0]),
    )  # fmt: skip


@pytest.mark.parametrize(("alone", "elsewhere"), [(-2.0, False), (-0.6, False), (-0.4, True), (0.0, True), (0.5, True)])
def test_a_head_acts_elsewhere_below_half_of_its_effect(alone, elsewhere):
    case = case_of({(0, 0, 0): -2})  # 43 points; 0.6 nats are 23 points, 0.4 nats 16
    case = replace(case, positions=positions_of(-2.0, alone, -1.0))
    assert case.acts_elsewhere is elsewhere
    assert ("acts at earlier tokens" in sentences.attention_text(case, case.head)) is elsewhere
    assert not replace(case, chosen=HeadId(0, 0)).acts_elsewhere, "its attention was asked for"


def test_the_tint_has_the_sign_and_the_size_of_each_position():
    case = replace(case_of({(0, 0, 0): -2}), positions=positions_of(-2.0, 0.0, -1.0, 0.3))
    effects = next_word.sentence_data(case)["effects"]
    assert effects["texts"] == ["−32", "+17", "", "", ""]
    assert effects["shades"] == [1.0, pytest.approx(0.553, abs=1e-3), 0, 0, 0]


def ranked(*ranks):
    sweep, rank = sweep_of(ZEROS), np.array(ranks)
    zeros = np.zeros(len(ranks))
    return replace(case_of({}), ranks=WordRanks("a b", sweep.tokens, 4, "x", 1, 100, rank, zeros, rank, zeros))


NO_TENFOLD = "No two successive layers divide its rank by more than ten."


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((3,), "ranks 3rd after the only layer."),
        ((1, 1, 1), "ranks first after every layer."),
        ((40, 30, 9), f"ranks 40th after layer 0 and 9th after layer 2. {NO_TENFOLD}"),
        ((9, 40), f"ranks 9th after layer 0 and 40th after layer 1. {NO_TENFOLD}"),
        ((900, 40), "ranks 900th after layer 0 and 40th after layer 1."),
        ((5, 7446, 417, 60, 1), "ranks 7,446th after layer 1 and 417th after layer 2. It ranks 60th before"),
        ((2079, 396, 92, 113, 3, 1), "ranks 113th after layer 3 and 3rd after layer 4. It ranks 3rd before"),
        ((2079, 396, 92, 50, 30, 20), "ranks 2,079th after layer 0 and 92nd after layer 2. It ranks 30th before"),
        ((90, 1, 1), "ranks 90th after layer 0 and first after layer 1."),
        (
            (90, 1, 2, 2),
            "ranks 90th after layer 0 and first after layer 1. It ranks 2nd before the last layer and 2nd after it.",
        ),
    ],
)
def test_rank_sentence_of_every_course(ranks, expected):
    case = ranked(*ranks)
    end = f" the last layer and {ordinal(ranks[-1])} after it." if expected.endswith("before") else ""
    assert sentences.rank_text(case) == f"*x* {expected}{end}"
    assert next_word.ranks_data(case)["label"].startswith("Rank of x after layers 0 to ")


def test_drops_are_layers_that_divide_the_rank_by_more_than_ten():
    assert next_word.ranks_data(ranked(100, 10, 9, 110, 10))["drops"] == [4]


def test_missing_ranks_have_their_reason():
    case = replace(case_of({}), no_ranks="The layers are not read here.")
    assert sentences.rank_text(case) == "No rank after each layer: The layers are not read here\\."


@pytest.mark.parametrize(("first", "target"), [(Token("The", word=0), "*The*"), (Token(","), r"token *\,*")])
def test_attention_sentence_names_the_first_token_as_such(first, target):
    weights = np.tril(np.full((1, 1, 2, 2), 0.5, np.float32))
    weights[0, 0, 0] = [1, 0]
    maps = AttentionMaps(weights=weights, tokens=(first, Token("<b>", word=1)), causal=True)
    case = replace(case_of({(0, 0, 0): -2}), chosen=HeadId(0, 0), maps=maps)
    sentence = sentences.attention_text(case, case.head)
    assert sentence == r"From *\<b\>*, `L0H0` gives 50" + f"\xa0% of its attention to the first {target}."


def test_method_states_the_unit_of_the_control_and_both_rates():
    method = sentences.method(case_of({(0, 0, 0): -2}, SHUFFLED))
    assert "(5 sample sentences, 5 other texts), in nats" in method
    assert "and 40\xa0% (17 to 69) of shuffled copies" in method
    assert "only if both are at most 20\xa0%." in method
    nan = replace(SHUFFLED, shuffled_change=np.full((10, 2, 2), np.nan))
    assert "was not measured" in sentences.method(case_of({}, nan))


@pytest.mark.parametrize(
    ("text", "model", "expected"),
    [
        ("Hi", "minilm", "predicts no words"), ("Hi", "toy", "predicts no words"), (" ", "smollm2", "Type a text"),
        ("A [MASK] b", "smollm2", "not a gap inside it"), ("Hi", "smollm2", ""),
    ],
)  # fmt: skip
def test_refusal_says_why_a_model_cannot_predict(text, model, expected):
    refusal = next_word.refusal(text, model_row(model))
    assert expected in refusal if expected else refusal == ""


def test_table_has_a_row_a_head_and_its_source():
    table = next_word.table(bundled_next_words(FRANCE, "smollm2").sweep, ROW)
    assert len(table.columns["head"]) == 270
    assert table.columns["Paris, without the head"][23 * 9 + 4] == pytest.approx(0.129, abs=0.01)
    assert table.provenance.texts == (FRANCE,)


def test_user_text_is_escaped_in_markdown():
    from mha.formats import markdown

    assert markdown("*a* :smile: $x$ <b> [b](c)\nd") == (
        "\\*a\\* \\:\u2060smile\\:\u2060 \\$x\\$ \\<b\\> \\[b\\]\\(c\\) d"
    )
