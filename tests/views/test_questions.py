"""The claims and the ten questions without a page: their texts, the numbers of their experiments, their sentences."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import distance

from mha import engine
from mha.analysis.changes import effective_heads, jensen_shannon
from mha.analysis.head_effects import bundled_head_effects
from mha.app.link import parse
from mha.assets import glossary
from mha.core import PRESETS, trace
from mha.engine.bundled import bundled_next_words, bundled_runs
from mha.errors import InputError
from mha.examples import NEXT_WORD_EXAMPLES
from mha.formats import percent
from mha.maps import AttentionMaps, HeadId, Token
from mha.models.files.catalog import model_row
from mha.models.toy import HAND_SET
from mha.views import claims, experiments
from mha.views.experiments import ALONE, ON_THE_SENTENCE, ONE_OR_TWO, many_heads, redundancy
from mha.views.questions import (
    MOST_WORDS,
    names,
    page_links,
    question,
    questions,
    real_models,
    sources,
    table,
    term_lines,
    verdict,
    without_marks,
)
from mha.views.questions import claims as three_claims

NEVER = r"\b(votes?|understands?|interprets?|decides?|important)\b"  # words that no head earns
TEXT = "A dog ate the food because it was hungry"
RUNS = [bundled_runs()[settings] for settings in ONE_OR_TWO]
SMOLLM2 = bundled_head_effects("smollm2", model_row("smollm2").revision)


def merged(text, model="minilm"):
    return engine.record(engine.Request(text, model)).maps.merged()


def even_maps(n_words, n_heads=2):
    weights = np.full((1, n_heads, n_words, n_words), 1 / n_words, dtype=np.float32)
    weights[0, -1, 1] = 0
    weights[0, -1, 1, 0] = 1
    return AttentionMaps(weights, tuple(Token(f"w{place}", word=place) for place in range(n_words)), units="words")


# the texts


def test_there_are_three_claims_ten_questions_and_an_experiment_for_each():
    assert len(three_claims()) == 3
    assert len(set(names())) == len(questions()) == 10
    assert {*ALONE, *ON_THE_SENTENCE} == {row.name for row in (*three_claims(), *questions())}
    for row in (*three_claims(), *questions()):
        assert len(row.options) == 3
        assert row.right is None or 0 <= row.right < 3
        assert row.ask.endswith(("?", ".”"))
        assert set(row.sources) <= set(sources())


def test_every_link_below_an_answer_opens_without_a_complaint():
    for row in (*three_claims(), *questions()):
        for file, label, query in page_links(row):
            page, values = (
                file.removesuffix(".py").replace("heads", ""),
                {name: [value] for name, value in query.items()},
            )
            problems = parse(page, values)[1]
            assert list(problems) == []
            assert label


def test_answers_are_two_to_four_sentences_and_claim_no_more_than_may_be_said():
    for row in (*three_claims(), *questions()):
        assert 2 <= len(re.findall(r"\.(?: |$)", row.answer)) <= 4, row.name
        assert not re.search(NEVER, f"{row.ask} {row.guess} {row.answer}"), row.name


def test_every_term_of_an_answer_is_in_the_glossary():
    lines = {line for row in questions() for line in term_lines(row.answer)}
    assert len(lines) > 8
    assert f"**head**: {glossary()['head']}" in lines
    assert not any("[[" in without_marks(row.answer) for row in (*three_claims(), *questions()))


def test_the_paper_is_quoted_as_it_has_it():
    assert "The cost is similar to that of one head" in question("many heads").answer
    assert "“We suspect that for large values of d_k" in question("scaling").answer


def test_the_table_of_models_is_what_the_answer_says_of_it():
    rows = {row["model"]: row for row in real_models()}
    minilm = model_row("minilm")
    assert (rows["MiniLM"]["layers"], rows["MiniLM"]["heads"]) == (minilm.n_layers, minilm.n_heads)
    widths = {name: row["width"] / row["heads"] for name, row in rows.items()}
    assert widths.pop("MiniLM") * 2 == 64
    assert set(widths.values()) == {64}
    heads, layers = [row["heads"] for row in rows.values()], [row["layers"] for row in rows.values()]
    assert question("real models").answer.startswith(
        f"From {min(heads)} to {max(heads)} in a [[layer]], over {min(layers)} to {max(layers)} layers"
    )
    sizes = {name: f"{row['layers']} × {row['heads']}" for name, row in rows.items()}
    assert {"BERT-base": "12 × 12", "BERT-large": "24 × 16", "GPT-2 small": "12 × 12", "GPT-2 XL": "48 × 25",
            "Original, base": "6 × 8", "Original, big": "6 × 16", "MiniLM": "6 × 12", "SmolLM2": "30 × 9",
            }.items() <= sizes.items()  # fmt: skip
    assert "| SmolLM2 | 30 × 9 | 576 | 64 |" in experiments.real_heads().table


def test_a_guess_is_answered_in_one_line():
    scaling = question("scaling")
    assert verdict(scaling, "d", 2) == "You guessed “d”. Correct."
    assert verdict(scaling, "1", 2) == "You guessed “1”. The answer is “d”."
    assert verdict(scaling, "", 2) == "In this experiment: “d”."
    assert verdict(scaling, "1", None) == "You guessed “1”."
    assert verdict(scaling, "", None) == ""


# the claims


def test_the_head_that_looks_hardest_holds_its_word_back_and_its_control_is_stated():
    effects, form = SMOLLM2.example, SMOLLM2.form
    answer = claims.hardest_look(SMOLLM2)
    head = HeadId(*np.unravel_index(effects.attention[..., 0].argmax(), effects.direct.shape))
    low, high = form.matched_range[form.heads.index(head)]
    mean = form.head_matters[:, form.heads.index(head)].mean()
    assert effects.words[0] == "Mary"
    assert np.exp(effects.log_probability[0]) > 0.5, "the model expects Mary"
    assert answer.finding.startswith(f"`{head}` gives *Mary* 81\u00a0% of its attention, more than any other head.")
    assert "*Mary* goes from 92\u00a0% to 98\u00a0%" in answer.finding
    assert f"by +{mean:.2f} logits on average; with another head of layer {head.layer}" in answer.finding
    assert mean > high > low
    assert answer.right == 2
    assert "a head can hold back the very word that it looks at" in three_claims()[0].answer


def test_a_head_without_a_control_gets_none():
    other = replace(SMOLLM2.form, heads=(HeadId(0, 0), *SMOLLM2.form.heads[1:]))
    answer = claims.hardest_look(replace(SMOLLM2, form=other))
    assert answer.finding.endswith(claims.HERE_ONLY)


@pytest.mark.parametrize(("change", "right"), [(-1.0, 0), (0.0, 1)])
def test_the_true_option_follows_from_the_change(change, right):
    effects = replace(SMOLLM2.example, change=np.full_like(SMOLLM2.example.change, change))
    assert claims.hardest_look(replace(SMOLLM2, example=effects)).right == right


def test_one_head_copies_names_of_places():
    stored, answer = json.loads(claims.FILE.read_text(encoding="utf-8")), claims.a_meaning()
    assert stored["head"] == claims.HEAD
    assert "cities fall by 1.45 nats and countries by 1.10, other kinds of names by 0.01 to 0.29" in answer.finding
    assert "carries 46\u00a0% of the logit difference of two capitals, 44\u00a0% of two copied cities" in answer.finding
    assert "cities fall by 0.34 and countries by 0.39; with other heads of its layer moved as far, by up to 0.34" in (
        answer.finding
    )
    assert answer.right == 1
    kinds, change = np.array(answer.columns["kind"]), np.array(answer.columns["change"])
    assert set(kinds) == {"city", "country", "person", "animal", "object", "invented"}
    assert {"object", "invented"} == set(kinds[change >= answer.columns["matched_lowest"]])
    sweep = bundled_next_words(NEXT_WORD_EXAMPLES["capital of France"], "smollm2").sweep
    column = sweep.words.index("Paris")
    assert sweep.ablated_probability[23, 4, column] < sweep.probability[column] / 2, "as the question says"


def test_the_vector_that_gets_more_is_not_the_nearer_one():
    answer, preset = claims.similarity(), PRESETS["one_head"]
    vectors, steps = preset.embeddings(), trace(preset.heads(), preset.embeddings())
    cosine = 1 - distance.cosine(vectors[2], vectors[0])
    assert cosine < 0
    assert answer.columns["cosine"] == pytest.approx([cosine, 1 - distance.cosine(vectors[2], vectors[1]), 1])
    assert answer.columns["score"] == pytest.approx(steps["scores"][0, 2])
    there, _, itself = answer.columns["weight"]
    assert there == steps["weights"][0, 2, 0] > itself
    assert steps["weights"][0, 0, 2] != there
    assert answer.right == 2


# the numbers


def test_averaging_takes_most_from_the_look_that_only_one_head_has():
    weights = np.full((1, 2, 3, 3), 1 / 3, dtype=np.float32)
    weights[0, 1, 2] = [0.1, 0.9, 0]
    maps = AttentionMaps(weights, tuple(Token(f"w{place}", word=place) for place in range(3)), units="words")
    head, query, key, left = experiments.averaged(maps, maps.heads)
    assert (head, query, key) == (HeadId(0, 1), 2, 1)
    assert left == pytest.approx((0.9 + 1 / 3) / 2)


def test_two_heads_are_averaged_where_their_looks_differ_most():
    answer = many_heads(even_maps(5), "toy")
    assert answer.finding == (
        "In `L0H1`, *w1* gives 100\u00a0% of its attention to *w0*. Averaged with `L0H0`, 60\u00a0% remains."
    )
    assert answer.figure("dark").data
    assert "two heads" in many_heads(even_maps(5, n_heads=1), "toy").finding
    assert "128 words or fewer" in many_heads(even_maps(MOST_WORDS + 1), "toy").finding


def test_shares_are_of_all_attention_as_on_heads():
    full = merged("I saw the man with the telescope")
    words = [token.text for token in full.tokens]
    share = full["L0H10"][words.index("man"), words.index("telescope")]
    assert f"*man* gives {percent(share)} of its attention to *telescope*" in many_heads(full, "minilm").finding


def test_equal_heads_and_a_single_token_are_no_result():
    even = even_maps(4)
    equal = many_heads(replace(even, weights=np.full_like(even.weights, 0.25)), "toy")
    assert "nearly equal attention" in equal.finding
    alone = redundancy(merged("Hello", "toy"), "toy")
    assert alone.finding == "Two words are needed. Type a longer sentence."
    assert (equal.note, alone.note) == ("", "")


def test_one_head_is_plain_attention_and_a_matrix():
    assert experiments.one_head_is_plain() < 1e-12


def test_the_toys_cell_is_the_one_of_its_own_description():
    answer = experiments.roles()
    weight = np.exp(6 / np.sqrt(2)) / (np.exp(6 / np.sqrt(2)) + 7)
    assert answer.finding.startswith(f"*telescope* gives *man* {100 * weight:.0f}\u00a0% of its attention")
    changes = experiments.doubled(engine.record(engine.Request(HAND_SET, "toy")))
    assert list(changes) == ["queries", "keys", "values"]
    weights, results = changes["values"]
    assert weights == 0
    assert results > 0.5
    assert changes["queries"][0] == pytest.approx(changes["keys"][0])
    assert changes["queries"][0] > 0.05


def test_the_last_matrix_spreads_every_head_over_every_number():
    beside, output = experiments.mixing()
    assert ((beside[0] != beside[1]).sum(), (output[0] != output[1]).sum(), output.shape[1]) == (2, 4, 4)
    assert np.allclose(output[0] - output[1], experiments.walk("slices")["contributions"][1, 1])
    assert "2 of 4 numbers change before W_O and 4 of 4 after it" in experiments.output_matrix().finding


def test_the_formulas_arrays_are_those_of_the_trace():
    answer, preset = experiments.formula(), PRESETS["money_bank"]
    steps = trace(preset.heads(), preset.embeddings())
    columns = {name: np.array(values) for name, values in answer.columns.items()}
    for name, values in {"X": steps["input"], "Z_1": steps["heads"][1], r"\text{output}": steps["output"]}.items():
        assert columns["value"][columns["array"] == name] == pytest.approx(values.ravel())
    (x,) = (formula for formula in answer.formulas if formula.startswith("X"))
    first, second = steps["input"]
    rows = [" & ".join([rf"\text{{{word}}}", *(f"{v:.1f}" for v in row)]) for word, row in
            zip(("money", "bank"), (first, second), strict=True)]  # fmt: skip
    assert rf" {rows[0]} \\ {rows[1]} " in x
    assert len(answer.formulas) == 8


def test_redundancy_is_that_of_the_definition():
    maps = merged("I saw the man with the telescope")
    answer, divergence = redundancy(maps, "minilm"), jensen_shannon(maps)
    whole = effective_heads(divergence)
    assert f"72 heads look in {whole:.1f} effectively different ways." in answer.finding
    assert answer.columns["different_heads_in_effect"][5] == pytest.approx(effective_heads(divergence[60:, 60:]))
    assert f"(distance {divergence[np.triu_indices(72, 1)].min():.3f} bits" in answer.finding
    assert answer.right == (0 if whole / 72 <= 0.25 else 1)
    assert "128 words or fewer" in redundancy(even_maps(MOST_WORDS + 1), "toy").finding
    alone = redundancy(even_maps(4, n_heads=1), "toy").finding
    assert alone == "Your sentence: 1 head looks in 1.0 effectively different ways."


@pytest.mark.parametrize(("joint", "option"), [(0.1, 0), (0.53, 1), (0.9, 2)])
def test_what_came_true_follows_from_the_run(monkeypatch, joint, option):
    one, two = RUNS
    changed = replace(one, joint=np.full(len(one), joint))
    monkeypatch.setattr(experiments, "bundled_runs", lambda: dict(zip(ONE_OR_TWO, (changed, two), strict=True)))
    answer = experiments.one_head()
    assert answer.right == option
    assert f"gets both nouns in {100 * joint:.0f}\u00a0%" in answer.finding


def test_one_head_draws_nothing_without_the_recorded_runs(monkeypatch):
    answer = experiments.one_head()
    assert set(answer.columns) == {"model", "step", "both_nouns_right_unseen_pairs"}
    assert answer.figure("dark").data
    monkeypatch.setattr(experiments, "bundled_runs", dict)
    assert experiments.one_head().figure is None


def test_the_dog_leans_beside_its_shuffles():
    answer = experiments.ambiguity()
    assert re.search(r"`L\dH\d+` leans to [AB] by 0\.\d\d; with shuffled words it averages −?\d\.\d\d ± 0\.\d\d\.",
                     answer.finding)  # fmt: skip
    assert "some head leans at least as far in 132 of 199 sentences" in answer.finding
    assert answer.texts == ("A dog ate the food because it was hungry.",)
    assert answer.right == 2


# every answer


@pytest.mark.parametrize("name", [name for name in (*ALONE, *ON_THE_SENTENCE) if name != "ambiguity"])
def test_every_answer_has_its_numbers_a_text_alternative_and_its_source(name):
    answer = experiments.answer(name, TEXT, "minilm")
    assert answer.columns
    assert bool(answer.alt) == bool(answer.figure)
    if answer.figure:
        assert answer.figure("light").data
    taken = table(name, answer)
    assert len({len(column) for column in taken.columns.values()}) == 1
    assert taken.provenance.model == (answer.model.short if answer.model else f"Questions: {name}")
    assert (TEXT in taken.provenance.texts) == (name in ON_THE_SENTENCE)
    assert not re.search(NEVER, f"{answer.finding} {answer.note}")


def test_the_numbers_are_about_the_sentence_and_the_model():
    expected = effective_heads(jensen_shannon(merged(TEXT)))
    assert f"72 heads look in {expected:.1f} " in experiments.answer("redundancy", TEXT, "minilm").finding
    assert "2 heads look in" in experiments.answer("redundancy", TEXT, "toy").finding
    with pytest.raises(InputError):
        experiments.answer("redundancy", "  ", "minilm")


def test_no_word_of_the_text_is_markup():
    text = "I saw *the* man with the `telescope` $x$"
    finding = experiments.answer("many heads", text, "minilm").finding
    assert "$x$" not in finding
