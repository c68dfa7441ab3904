"""Two readings: the words of a link, sentences and component data of each tab, by hand-made numbers."""

from dataclasses import replace

import numpy as np
import pytest

from mha.analysis.proposals import answer_prompt, answer_rate
from mha.analysis.readings import N_SHUFFLES, Leaning, Leans
from mha.intervention.calibrated import Floor, KindCalibration, NamingRates
from mha.intervention.outcomes import Patch, ScoreChange, Sweep
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import model_row
from mha.tokens import Token
from mha.views import readings, readings_change, readings_look, readings_matter
from mha.views.readings import (
    CHOICES,
    NONE,
    OPEN,
    choices_of_text,
    click_choices,
    likeliest_word,
    resolve,
    suggested_choices,
)

DOG = "A dog ate the food because it was hungry."
CLERK = "The clerk thanked the guest because he waited"
CHOSEN = {"readings_pivot": "6 he", "readings_a": ["1 clerk"], "readings_b": ["4 guest"]}


def ambiguous_text(text=DOG, **choices):
    return resolve(text, CHOICES | choices)


# ---- the words of the link


def test_an_example_has_its_readings_and_the_link_changes_them():
    dog = ambiguous_text()
    assert (dog.number, dog.a, dog.b, dog.deciding_word, dog.kind, dog.forces) == (6, (1,), (4,), 8, "pronoun", "B")
    assert dog.changed_version == "A dog ate the food because it was delicious."
    assert dog.second_words == ("starving", "tasty")
    assert ambiguous_text(readings_b=["3 the"]).b == (3,)
    assert ambiguous_text(readings_contrast=NONE).changed_version == ""


def test_an_own_text_is_suggested_once():
    assert suggested_choices(CLERK, CHOICES) == CHOSEN | {"readings_by": "suggested"}
    assert suggested_choices(CLERK, CHOICES | {"readings_by": "not ambiguous"}) == {}
    assert suggested_choices(DOG, CHOICES) == {}
    assert ambiguous_text(CLERK).missing == "readings_pivot"
    assert ambiguous_text(CLERK, **CHOSEN).kind == "pronoun"


def test_clicks_choose_the_word_that_is_missing():
    first = click_choices(ambiguous_text(CLERK, **CHOSEN), 4)
    assert first == {"readings_pivot": "4 guest", "readings_a": [], "readings_b": [], "readings_by": OPEN}
    second = click_choices(ambiguous_text(CLERK, **first), 1)
    assert second == {"readings_a": ["1 clerk"], "readings_by": OPEN}
    third = click_choices(ambiguous_text(CLERK, **(first | second)), 2)
    assert third == {"readings_b": ["2 thanked"], "readings_by": None}


def test_an_edit_keeps_words_in_place():
    choices = CHOICES | CHOSEN | {"readings_contrast": CLERK.replace("waited", "won")}
    edited = choices_of_text(CLERK + " there", choices)
    assert (edited["readings_pivot"], edited["readings_contrast"]) == ("6 he", "")
    assert choices_of_text("It rained in May", choices) == CHOICES


@pytest.mark.parametrize(
    ("choices", "note"),
    [
        ({"readings_a": ["6 it"]}, "three different words"),
        ({"readings_b": ["1 dog", "4 food"]}, "three different words"),
        ({"readings_contrast": "two words"}, "as many words"),
        ({"readings_contrast": f"a{DOG[1:]}"}, "one of them another word"),
        ({"readings_contrast": "…"}, "cannot be used"),
    ],
)
def test_what_does_not_fit_gets_a_note(choices, note):
    assert note in " ".join(ambiguous_text(**choices).notes)


def test_words_occurring_twice_are_numbered_and_escaped():
    text = ambiguous_text("The *man* saw the man", readings_pivot="2 saw", readings_a=["1 man"], readings_b=["4 man"])
    assert text.candidate_names == ("*man₁*", "*man₂*")
    assert ambiguous_text("a_b saw it", readings_pivot="0 a_b").name(0) == "*a\\_b*"


def test_the_word_to_replace_is_the_likeliest_to_decide():
    assert likeliest_word(ambiguous_text(CLERK, **CHOSEN)) == 7
    assert likeliest_word(ambiguous_text("I saw the man with the telescope")) == 6
    nephew = "The nephew of the lawyers who was late paid the bill"
    assert likeliest_word(ambiguous_text(nephew, **suggested_choices(nephew, CHOICES))) == 7


def test_the_question_names_the_phrase():
    telescope = ambiguous_text("I saw the man with the telescope")
    assert readings.question(telescope) == "Does *with the telescope* go with *saw* or *man*?"
    nephew = "The nephew of the lawyers who was late paid the bill"
    text = ambiguous_text(nephew, **suggested_choices(nephew, CHOICES))
    assert readings.question(text) == "Does *who* refer to *nephew* or *lawyers*?"


def test_prompts_ask_for_one_word_at_a_time():
    assert readings.prompt(ambiguous_text(CLERK)) == "Which word is ambiguous? Click it. Words such as *he* often are."
    assert "Which word could *he* refer to?" in readings.prompt(ambiguous_text(CLERK, readings_pivot="6 he"))
    both = ambiguous_text(CLERK, readings_pivot="6 he", readings_a=["1 clerk"])
    assert readings.prompt(both) == "Which other word than *clerk* could *he* refer to? Click candidate B."
    assert readings.prompt(ambiguous_text("Hello there")).endswith("This text has two.")


def test_the_text_has_its_roles_and_every_word_can_be_clicked():
    data = readings.sentence_data(ambiguous_text())
    states = {token["text"]: token["state"] for token in data["tokens"] if token["state"]}
    assert states == {"dog": "candidate-a", "food": "candidate-b", "it": "ambiguous", "hungry": "deciding"}
    assert data["select"]["numbers"][-2:] == [8, None]
    assert data["tokens"][-1] == {"text": ".", "space": False, "state": ""}


# ---- where heads look


def maps(causal=False):
    """Two heads over the nine words: head 0 gives all of *it* to *dog*, head 1 half of it to *food*."""
    words = DOG.rstrip(".").split()
    weights = np.zeros((1, 2, 9, 9), dtype=np.float32)
    weights[0, :, range(9), range(9)] = 1
    weights[0, 0, 6] = np.eye(9)[1]
    weights[0, 1, 6] = (np.eye(9)[4] + np.eye(9)[6]) / 2
    tokens = tuple(Token(word, word=number) for number, word in enumerate(words))
    return AttentionMaps(weights, tokens, text=DOG, units="words", causal=causal)


def look_case(lean=0.4, copies=(), causal=False):
    a = np.array([[lean, 0.0]])
    leans = Leans(a, np.zeros((1, 2)), 1 / 9)
    case = readings_look.LookCase(model_row("minilm"), ambiguous_text(), maps(causal), leans)
    if not copies:
        return case
    shuffles = tuple(Leans(np.array([[copy, 0.0]]), np.zeros((1, 2)), 1 / 9) for copy in copies)
    return replace(case, result=Leaning(leans, shuffles))


def test_the_headline_is_the_shuffled_test():
    reached = [0.5] * 132 + [0.1] * 67
    assert (
        readings_look.finding(look_case(copies=reached)) == "Nothing unusual: 132 of 199 shuffled copies lean as far."
    )
    assert readings_look.finding(look_case(copies=[0.5] * 9 + [0.1] * 190)).startswith("Unusual: 9 of 199")
    assert readings_look.finding(look_case(copies=[0.5] * 10 + [0.1] * 189)).startswith("Nothing unusual: 10")
    none = readings_look.finding(look_case(copies=[0.1] * 199))
    assert none == "Unusual: 0 of 199 shuffled copies lean as far as `L0H0`."
    partial = readings_look.finding(look_case(copies=[0.5] * 3 + [0.1] * 7))
    assert partial.endswith("by 40 points towards *dog*. So far 3 of 10 shuffled copies lean as far.")


def test_a_lean_that_every_order_has_is_no_finding():
    every = readings_look.finding(look_case(copies=[0.4] * N_SHUFFLES))
    assert every == "Nothing unusual: 199 of 199 shuffled copies lean as far."
    assert readings_look.finding(look_case(lean=0.0)).startswith("No head leans by half a point")


def test_a_lean_has_one_unit():
    """The finding, the grid and the chart write points."""
    case = look_case(copies=[0.3] * 132 + [0.1] * 67)
    assert "by 40 points towards *dog*" in readings_look.explanation(case)[0]
    assert readings_look.grid_data(case)["texts"][0] == "+40"
    figure, _ = readings_look.chart(case, "light")
    assert (figure.layout.xaxis.range[1], max(figure.data[0].x)) == (pytest.approx(41), 30)
    assert figure.layout.annotations[0].text == "this sentence: 40 points"
    assert figure.layout.xaxis.title.text.endswith("in points")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ({6: (0.97, 1, 0.03)}, "3\xa0% of the attention of *it* in `L0H0` is left besides sinks."),
        ({6: (0.85, 1, 0.15)}, ""),
        ({6: (0.95, 6, 0.05), 1: (0.98, 6, 0.02)}, "2\xa0% of the attention of *dog* in `L0H0` is left besides sinks."),
        ({6: (0.0, 1, 1.0), 1: (0.995, 6, 0.005)}, ""),  # a row with less than 1 % left gives nothing
    ],
)
def test_little_left_besides_sinks_is_said(rows, sentence):
    """The first word is a sink here; rows are (share of it, another word, share of that)."""
    of_case = maps()
    weights = of_case.weights.copy()
    for query, (sink, key, rest) in rows.items():
        weights[0, 0, query] = sink * np.eye(9)[0] + rest * np.eye(9)[key]
    tokens = (Token("[CLS]", special=True), *of_case.tokens[1:])
    case = replace(look_case(), maps=replace(of_case, weights=weights, tokens=tokens, key_tokens=tokens))
    assert (
        readings_look.explanation(case)[0]
        .removesuffix("This shows where heads look, not how the model understands the sentence.")
        .strip()
        == sentence
    )
    assert "besides sinks" not in readings_look.explanation(replace(case, leans=look_case(0.0).leans))[0]


def test_source_of_leans_excludes_sinks():
    case = look_case()
    tokens = (Token("[CLS]", special=True), *case.maps.tokens[1:])
    case = replace(case, maps=replace(case.maps, tokens=tokens, key_tokens=tokens))
    source = readings_look.table(case).provenance
    assert (source.scale, source.sinks) == ("rows rescaled to 1 without sinks", "excluded: [CLS]")


def test_arcs_are_explained_if_there_are_some():
    """In a causal model no head looks from the ambiguous word at later candidates."""
    case = look_case(causal=True)
    assert readings_look.explanation(case)[1].startswith("Arcs from *it*")
    hidden = replace(case, ambiguous=replace(case.ambiguous, ambiguous_word=1, a=(4,), b=(6,)))
    (text,) = readings_look.explanation(hidden)
    assert "No head looks ahead from *dog* at *food* or *it*" in text
    assert readings_look.text_data(hidden)["arcs"] == []


def test_arcs_go_to_the_heads_that_look_most():
    data = readings_look.text_data(look_case())
    assert [(arc["head"], arc["side"], arc["share"]) for arc in data["arcs"]] == [
        ("L0H0", "a", 1.0), ("L0H1", "a", 0.0), ("L0H1", "b", 0.5), ("L0H0", "b", 0.0)
    ]  # fmt: skip
    assert data["arcs_label"].startswith("From it: L0H0 gives dog 100\xa0%")


def test_leans_have_a_sign_and_small_ones_no_number():
    grid = readings_look.grid_data(look_case())
    assert (grid["texts"], grid["states"]) == (["+40", ""], ["to_a", "within"])


# ---- what carries the change


def change_case(change=0.15, naming=None, carried=0.3, complete=True):
    floor = Floor(np.linspace(0, 0.1, 20), 0.08, 0.09, np.array([0.01]))
    known = KindCalibration("pronoun", 10, floor, naming)
    shares = np.full((6, 12), np.nan)
    shares[:5] = 0.0
    shares[2, 1], shares[2, 3] = carried, 0.2
    other = shares.copy()
    other[2, 3] = -0.1
    direct = np.zeros((6, 12), dtype=bool)
    direct[4] = True
    patch = Patch("", "", 5, (0.1, 0.0), shares, np.zeros((6, 0)), direct, into_text=shares, into_changed_version=other,
                  n_measured=60 if complete else 30, n_planned=60)  # fmt: skip
    result = ScoreChange((0.1, 0.1 - change), (0.09, -0.01), patch if abs(change) > 0.09 else None)
    return readings_change.ChangeCase(model_row("minilm"), ambiguous_text(), known, result)


def test_a_change_is_compared_with_control_swaps():
    beyond = readings_change.finding(change_case())
    assert beyond.startswith("Changing *hungry* to *delicious* moves the score by 0.15 towards *food*, more")
    assert beyond.endswith("than all 20 control swaps, but no head is named.")
    assert "within what control swaps do" in readings_change.finding(change_case(0.05))
    assert "away from the reading" in readings_change.finding(change_case(-0.15))
    assert readings_change.finding(change_case(0.001)).endswith("by less than 0.005.")


def test_a_head_is_named_only_if_control_swaps_name_one_rarely():
    rare, often = NamingRates(40, 4, 40, 30), NamingRates(40, 20, 40, 30)
    assert readings_change.finding(change_case(naming=rare)).endswith("`L2H1` carries 30\xa0% of the change.")
    assert readings_change.grid_data(change_case(naming=rare))["special"] == ["L2H1"]
    assert readings_change.finding(change_case(naming=often)).endswith("but no head is named.")
    assert readings_change.named_heads(change_case(naming=rare, complete=False)) == ()
    assert readings_change.finding(change_case(naming=rare, complete=False)).endswith("all 20 control swaps.")
    for rates in (often, NamingRates(11, 6, 15, 9)):
        assert "allow no head to be named" in readings_change.rates_text(change_case(naming=rates))
    assert "is not known" in readings_change.rates_text(change_case())


def test_shares_within_the_limit_have_no_number():
    grid = readings_change.grid_data(change_case())
    assert grid["texts"][2 * 12 + 1] == "30"
    assert grid["states"][2 * 12 + 3] == "outlined", "its directions differ"
    assert (grid["states"][0], grid["states"][48], grid["states"][60]) == ("within", "scored", "cannot")


def test_second_words_agree_or_not():
    text = readings_change.second_words_text(change_case())
    assert text.startswith("With *starving*: +0.09. With *tasty*: −0.01. Both words for *dog* score above both words")
    assert text.endswith("by chance one text in six does so.")
    mixed = change_case()
    mixed = replace(mixed, result=replace(mixed.result, second_scores=(-0.2, 0.3)))
    assert "Not both words for *dog* score above" in readings_change.second_words_text(mixed)


def test_second_words_of_an_own_text():
    changed = {"readings_contrast": CLERK.replace("waited", "paid")}
    own = ambiguous_text(CLERK, **CHOSEN, **changed, readings_seconds="stayed, left")
    assert own.second_texts == (CLERK.replace("waited", "stayed"), CLERK.replace("waited", "left"))
    assert ambiguous_text(CLERK, **CHOSEN, **changed, readings_seconds="one").second_words == ("", "")


@pytest.mark.parametrize(
    ("text", "choices", "has_swaps"),
    [
        (DOG, {"readings_contrast": "A dog ate the food because it was very."}, True),
        (DOG, {"readings_contrast": "A cat ate the food because it was fresh."}, False),
        (DOG, {"readings_contrast": "A dog saw the food because it was hungry."}, False),
        ("She sat on the bank and counted the money", {}, False),
    ],
)
def test_a_change_has_control_swaps_of_its_kind_and_place(text, choices, has_swaps):
    known = readings_change.calibration_of(model_row("minilm"), ambiguous_text(text, **choices))
    assert bool(known) == has_swaps


# ---- does it matter


def matter_case(effect, after=(), **fields):
    values = np.full((6, 12), np.nan)
    for place, value in effect.items():
        values[place] = value
    direct = np.zeros((6, 12), dtype=bool)
    direct[4] = True
    sweep = Sweep(DOG, "mean", 5, 5, 0.106, values, direct)
    return readings_matter.MatterCase(
        model_row("minilm"), ambiguous_text(), scores=(0.106, *after), result=sweep, **fields
    )


ALL = {(layer, head): 0.001 for layer in range(5) for head in range(12)}


def test_the_largest_change_is_named_up_or_down_and_not_of_the_scored_layer():
    case = matter_case(ALL | {(2, 8): -0.03, (4, 0): 0.5})
    assert readings_matter.finding(case) == (
        "Without `L2H8`, the score moves from +0.106 to +0.076, towards *food*, the largest change of 48 heads."
    )
    grid = readings_matter.grid_data(case)
    assert grid["texts"][2 * 12 + 8] == "−30"
    assert (grid["states"][0], grid["states"][48], grid["states"][60]) == ("to_a", "scored", "cannot")


def test_no_head_is_named_before_all_are_measured():
    some = matter_case({(0, head): 0.002 for head in range(8)} | {(1, 3): 0.2})
    assert readings_matter.finding(some).startswith("Which heads does the closeness of *it*")
    flat = matter_case(dict.fromkeys(ALL, 0.0))
    assert readings_matter.finding(flat) == "None of 48 heads changes the score by 0.0005 when it is ablated alone."


def test_ablated_heads_come_first():
    case = matter_case(ALL, ablated=(HeadId(2, 8),), after=(0.05,))
    assert readings_matter.finding(case) == "Without `L2H8`, the score moves from +0.106 to +0.050, towards *food*."
    late = matter_case(ALL, ablated=(HeadId(5, 0),), after=(0.106,))
    assert "cannot affect the score" in readings_matter.finding(late)


def test_own_answers_are_of_models_that_predict_and_words_that_refer():
    smollm2 = model_row("smollm2")
    assert readings_matter.prompt_of(smollm2, ambiguous_text()) == f"{DOG} The word it refers to the"
    assert readings_matter.prompt_of(model_row("minilm"), ambiguous_text()) == ""
    assert readings_matter.prompt_of(smollm2, ambiguous_text("I saw the man with the telescope")) == ""
    words = {"readings_pivot": "6 it", "readings_a": "2 dog", "readings_b": "5 dog"}
    assert readings_matter.prompt_of(smollm2, ambiguous_text("So the dog a big dog it", **words)) == ""
    words = {"readings_pivot": "5 it", "readings_a": "3 dog", "readings_b": "1 ate"}
    assert readings_matter.prompt_of(smollm2, ambiguous_text("It ate the dog and it", **words)) == ""
    assert answer_prompt("It is", "It", "[MASK]") == "It is. The word It refers to the [MASK]."
    rate = answer_rate("smollm2", smollm2.revision, "pronoun")
    assert 0 < rate.n_ordered < rate.n
    assert answer_rate("smollm2", "another", "pronoun") is None
    assert answer_rate("smollm2", smollm2.revision, "attachment") is None


def test_an_unmeasured_kind_has_unknown_reliability():
    telescope = ambiguous_text("I saw the man with the telescope")
    case = readings_matter.MatterCase(model_row("smollm2"), telescope)
    assert "Its reliability is unknown" in readings_matter.explanation(case)[0]
    assert "unknown" not in readings_matter.explanation(matter_case(ALL))[0]


def test_other_candidates_have_no_changed_version_of_the_example():
    assert (ambiguous_text(readings_b=["3 the"]).changed_version, ambiguous_text(readings_b=["3 the"]).forces) == (
        "",
        "",
    )
    assert ambiguous_text(readings_b=["4 food"]).forces == "B"


def test_a_changed_version_has_the_marks_of_the_text():
    changed = ambiguous_text(readings_contrast="A dog ate the food, because it was fresh!")
    assert changed.changed_version == "A dog ate the food because it was fresh."


def test_a_negative_share_beyond_the_limit_is_marked():
    grid = readings_change.grid_data(change_case(carried=-0.2))
    assert (grid["states"][25], grid["texts"][25]) == ("changes", "−20")
    assert grid["legend"]["within"] == "within the control limit, ±10\xa0%"
