"""Sentences that said more than the numbers do: each numbered as in the issue, with what is said now."""

from dataclasses import replace

import numpy as np
import pytest

from mha.analysis.readings import Leans
from mha.analysis.usual import habit
from mha.engine import experiments
from mha.engine.experiments import LINK, Score
from mha.engine.question import here as ask
from mha.glossary import glossary
from mha.intervention.unusual import Found, Tried, tried
from mha.link.readings import ReadingsWords
from mha.maps import HeadId
from mha.screens.readings.effects import sweep_blocks
from mha.screens.readings.leans import lean_rows, map_blocks, places, rule_said, twin_blocks, unusual_blocks
from mha.screens.readings.recorded import calibration_of
from mha.screens.readings.score import SCORE_ROWS, score_blocks, scored
from mha.views.experiments import ambiguity
from tests.screens.readings.cases import DOG, carried, case, said
from tests.screens.readings.test_blocks import small_leans, sweep


def test_the_key_explains_arrows_only_where_the_map_has_some():
    this = case()
    leaning = experiments.leaning(this.ambiguity.text, this.ambiguity.readings)
    toy = case("All is well", ReadingsWords("1 is", ("0 All",), ("2 well",)), model="toy")
    of_toy = experiments.leaning(toy.ambiguity.text, toy.ambiguity.readings, "toy")
    for one, here, arrows in ((this, leaning.here, None), (toy, of_toy.here, False)):
        *_, drawn, key = map_blocks(one.maps, here)
        assert key.arrows is arrows
        assert (drawn.roles is None) == (arrows is False)


def test_c7_the_glossary_states_the_rule_that_is_computed():
    assert "outside its own shuffles" not in glossary()
    assert "p ≤ .05" in glossary()["unusual"]
    this = case()
    leaning = experiments.leaning(this.ambiguity.text, this.ambiguity.readings)
    assert not any("outside" in column for column in lean_rows(leaning, None))
    assert "A lean is unusual if at most 9 of 199 reach it" in rule_said(leaning, tried())


def test_c9_no_number_contradicts_its_answer():
    this = case()
    leaning = experiments.leaning(this.ambiguity.text, this.ambiguity.readings)
    told = said(unusual_blocks(leaning))
    assert "in 132 of 199 sentences: nothing unusual." in told
    unusual = replace(leaning, here=Leans(leaning.here.a + 0.9 * (leaning.here.lean > 0.3), leaning.here.b, 0.1))
    told = said(unusual_blocks(unusual))
    assert "L3H1 leans further than any head does in 199 of 199 shuffled sentences. That is unusual, but it" in told
    assert rule_said(unusual, None).endswith("that a reading was found.")  # nothing of a rule that was not tried


@pytest.mark.parametrize(
    ("ways", "end"),
    [
        ("", "none had an unusual lean."),
        ("A", "one had an unusual lean, in the expected direction."),
        ("B", "one had an unusual lean, in the other direction."),
        ("AAB", "three had an unusual lean, two of them in the expected direction."),
    ],
)
def test_how_often_the_rule_was_right_is_counted(ways, end):
    this = case()
    leaning = experiments.leaning(this.ambiguity.text, this.ambiguity.readings)
    some = Tried("", "", {"pronoun": 4, "he/she": 2}, tuple(Found("pronoun", "", "L0H0", way, "A") for way in ways))
    assert rule_said(leaning, some).endswith(f"found: among 6 sentences that allow only one reading, {end}")


def test_heads_that_look_at_a_place_are_marked_by_the_rule_of_roles():
    this = case()
    found = places(this.maps)
    marked = {f"L{layer}H{head}": arrow for layer, row in enumerate(found) for head, arrow in enumerate(row) if arrow}
    back = ("L0H2", "L0H5", "L1H9", "L1H11", "L2H0", "L2H11")
    ahead = dict.fromkeys(("L1H4", "L1H8", "L2H8", "L4H9"), "ahead")
    assert marked == {**dict.fromkeys(back, "back"), **ahead, "L1H1": "itself", "L2H9": "itself"}
    other = replace(this.maps, revision="others")
    assert not any(map(any, places(other)))
    assert places(other, habit("minilm")) == found  # what was measured of another model's heads since


def test_c11_direct_heads_do_not_move_the_score_most():
    found = sweep([[-0.005, 0.02, 0.001], [0.5, 0.002, -0.003], [np.nan] * 3])
    told = said(sweep_blocks(found))
    assert "Of 3 heads, ablating L0H1 changes the score most, by +0.020" in told  # L1H0 is of the scored layer


def test_c12_controls_are_drawn_from_all_heads_that_are_not_named():
    told = said(carried(case()))
    assert "Control: three other heads of a layer together, " in told
    assert "drawn 15 times from the rest." in told
    patch = experiments.patched(DOG, DOG.replace("hungry", "delicious"), case().ambiguity.readings, kind="pronoun")
    assert HeadId(2, 3) in patch.named  # it carries a tenth, but its directions disagree: it is not named on the page
    assert HeadId(2, 3) not in patch.named_beyond(experiments.calibration_of_kind("pronoun").floor)


def test_c13_the_twin_is_five_seeds_with_their_range():
    here = small_leans()
    twins = tuple(Leans(here.a * part, here.b * part, 0.2) for part in (0.2, 0.5, 0.9, 1.1, 1.2))
    told = said(twin_blocks(here, twins))
    assert told.startswith("In five scrambled copies the largest lean is 0.06 to 0.36; between 0 and ")
    assert "of 9 heads here exceed that" in told
    assert "embeddings, biases and norms kept" in told
    one = replace(here, a=np.where(np.abs(here.lean) < np.abs(here.lean).max(), here.b, here.a))
    assert "; one of 9 heads here exceeds that." in said(twin_blocks(one, [replace(one, a=one.b)] * 5))


def test_c15_one_count_and_one_phrase_of_orders_on_both_pages():
    this = case()
    leaning = experiments.leaning(DOG, this.ambiguity.readings)
    phrase = "With the words shuffled, some head leans at least as far in 132 of 199 sentences"
    assert phrase in said(unusual_blocks(leaning))
    assert phrase in ambiguity().finding


def test_c17_sources_stand_beside_what_they_are_sources_of():
    told = said(carried(case()))
    for source in ("Vig et al. 2020", "Heimersheim & Nanda 2024", "Zhang & Nanda 2023"):
        assert source in told.replace("\n", " ")
    assert "Shares can be negative or exceed 100 %, and do not add up." in told
    for term, source in (("activation patching", "Vig et al. 2020"), ("ablation", "Michel et al. 2019")):
        assert source in glossary()[term]


def test_c2_no_a_or_b_without_a_contrast_and_no_sign_of_one_score():
    row = SCORE_ROWS["link margin"]
    alone = said(score_blocks(scored(case(DOG, ReadingsWords(contrast="none")), row, Score(LINK, at=5), ask)))
    assert alone.startswith("The score is +0.11.\nA single score has no meaning on its own.")
    both = said(score_blocks(scored(case(), row, Score(LINK, at=5), ask)))
    for told in (alone, both, said(carried(case()))):
        assert "goes to A" not in told
        assert "goes to B" not in told
        assert "Towards" not in told


def test_c19_a_kind_that_does_not_fit_its_ambiguous_word_has_no_control_limit():
    this = case(DOG, ReadingsWords(kind="relative clause"))
    told = said(carried(this))
    assert "Type “relative clause” needs “who”, “which” or “that” as the ambiguous word; here it" in told
    assert calibration_of(this) is None
