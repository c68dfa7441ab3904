"""Study of SmolLM2: prompts, draws and intervals, and the numbers of docs/claims.md."""

import dataclasses
import doctest
import json
import re
from pathlib import Path

import numpy as np
import pytest

import mha
from mha.analysis.ablation_control import BANDS, ablation_control
from mha.assets import ASSETS
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.models.watch.attending import load_model
from mha.pairs import corpus
from mha.words import words
from studies.language_model import drinks, lab, prompts, repetition, sink_and_number
from studies.language_model.__main__ import EXPERIMENTS, stored_results
from studies.language_model.lab import Lab, draw_sets, estimate, layer_matched_sets, spread

CLAIMS = Path(__file__).parents[1] / "docs" / "claims.md"
OWN_FILES = {"links.json": "links", "places.json": "places", "take_back.json": "take_back"}  # by their command
OTHERS = "change with another head of the layer moved as far as"
INTERVAL = re.compile(r"−?\d[\d.,]*%? \(−?\d[\d.,]* to −?\d[\d.,]*\)")


@pytest.mark.parametrize("module", [drinks, lab, prompts, repetition, sink_and_number])
def test_doctests(module):
    assert doctest.testmod(module).failed == 0


def test_drink_prompts_are_balanced_and_apart():
    """Each name is mentioned as in Wang et al.: the giver twice, the recipient once; half name the giver first."""
    selection, test = drinks.selection_prompts(), drinks.test_prompts()
    assert not {prompt.text for prompt in selection} & {prompt.text for prompt in test}
    assert prompts.EXAMPLE not in {prompt.text for prompt in (*selection, *test)}
    for sample, count in ((selection, 100), (test, 200)):
        assert len({prompt.text for prompt in sample}) == count
        first = [
            words(prompt.text).index(prompt.giver) < words(prompt.text).index(prompt.recipient) for prompt in sample
        ]
        assert 0.45 <= np.mean(first) <= 0.55
        for prompt in sample:
            assert (words(prompt.text).count(prompt.giver), words(prompt.text).count(prompt.recipient)) == (2, 1)


def test_third_giver_mentions_both_names_once():
    for prompt in prompts.drink_prompts(40, seed=3, third_giver=True):
        assert (words(prompt.text).count(prompt.giver), words(prompt.text).count(prompt.recipient)) == (1, 1)


def test_agreement_cells_have_the_same_pairs():
    cells = prompts.agreement_prompts(200, seed=0)
    assert len(cells) == 4
    assert all(len(set(texts)) == 200 for texts in cells.values())
    assert [texts[0].split()[1].rstrip("s") for texts in cells.values()] == [
        cells["singular", "singular"][0].split()[1]
    ] * 4


def test_capitals_of_test_are_kept_apart():
    selection, test = ({prompt.group for prompt in prompts.capital_prompts(name)} for name in ("selection", "test"))
    assert len(test) >= 60
    assert not selection & test
    kinds = prompts.fact_prompts()
    assert sum(map(len, kinds.values())) >= 180
    for sample in kinds.values():
        assert len({prompt.text for prompt in sample}) == len(sample)


def test_shuffled_words_are_the_words_of_the_text():
    text = corpus()[0]
    assert sorted(sink_and_number.shuffled(text).split()) == sorted(words(text))


def test_estimate_redraws_groups_whole():
    """Two groups with the means 0 and 1: every redrawn mean is 0, 0.5 or 1."""
    grouped = estimate([0.0, 0.0, 0.0, 1.0], ["a", "a", "a", "b"])
    assert grouped == {"mean": 0.5, "low": 0.0, "high": 1.0, "n": 2}
    assert spread([1.0, 2.0, 6.0]) == {"mean": 3.0, "lowest": 1.0, "highest": 6.0, "n_draws": 3}


@pytest.fixture(scope="module")
def copier(tmp_path_factory):
    return Lab.for_model(load_model("copier"), tmp_path_factory.mktemp("copier"))


def test_draws_leave_heads_out(copier):
    chosen = (HeadId(1, 1), HeadId(1, 2))
    for heads in draw_sets(copier, 2, chosen, range(1, 2)):
        assert heads == (HeadId(1, 0), HeadId(1, 3))
    for heads in layer_matched_sets(copier, (HeadId(0, 0), *chosen)):
        assert [head.layer for head in heads] == [0, 1, 1]
        assert not set(heads) & {HeadId(0, 0), *chosen}


def test_stored_items_are_not_measured_again(copier):
    measured: list[int] = []

    def measure(item: int) -> dict[str, np.ndarray]:
        measured.append(item)
        return {"value": np.array(2 * item)}

    for _ in range(2):
        assert [int(row["value"]) for row in copier.measure_items("test", [1, 2], measure, "items")] == [2, 4]
    assert measured == [1, 2]
    assert copier.scrambled(0).work.weights != copier.scrambled(1).work.weights != copier.work.weights


def test_log_probabilities_are_those_of_predict(copier):
    text, sets = "moon fish table moon fish", [(HeadId(1, 2),), (HeadId(0, 1), HeadId(1, 0))]
    logs = copier.log_probabilities([(text, ["table", "moon"])], sets)
    assert logs.shape == (1, 3, 2)
    for number, heads in enumerate(sets, start=1):
        prediction = mha.predict(text, "copier", count=48, ablated=heads)
        by_word = dict(zip(prediction.words, np.log(prediction.ablated_probabilities), strict=True))
        np.testing.assert_allclose(logs[0, number], [by_word["table"], by_word["moon"]], atol=1e-4)


def formatted(row: dict) -> set[str]:
    """Return the ways in which a value with its interval is written."""
    ends = row["mean"], row.get("low", row.get("lowest")), row.get("high", row.get("highest"))
    texts = set()
    for digits in (0, 1, 2, 3):
        first, low, high = (f"{number:z,.{digits}f}".replace("-", "−") for number in ends)
        texts.add(f"{first} ({low} to {high})")
        first, low, high = (f"{100 * number:z.{digits}f}".replace("-", "−") for number in ends)
        texts.add(f"{first}% ({low} to {high})")
    return texts


def estimates(results: dict) -> list[dict]:
    """Return every value with an interval in nested results."""
    if "mean" in results:
        return [results]
    rows = [row for value in results.values() if isinstance(value, dict) for row in estimates(value)]
    if "interval" in results:
        low, high = results["interval"]
        rows.append({"mean": results["share"], "low": low, "high": high})
    return rows


def other_estimates() -> list[dict]:
    """Return every value with an interval of the studies that have a file of their own."""
    return [row for file in OWN_FILES for row in estimates(json.loads((ASSETS / file).read_text(encoding="utf-8")))]


def naming_estimates() -> list[dict]:
    """Return the rates of naming of each band: judged by other sources, and by all other texts."""
    rates = []
    for low, _ in BANDS:
        control = ablation_control("smollm2", model_row("smollm2").revision, low)
        for judged in (control, dataclasses.replace(control, sources=control.texts)):
            rates += [rate for rate in judged.naming_rates if rate.n_texts]
    return [{"mean": rate.share, "low": rate.interval[0], "high": rate.interval[1]} for rate in rates]


def test_claims_have_the_stored_numbers():
    results = stored_results()
    assert list(results) == list(EXPERIMENTS)
    section = CLAIMS.read_text(encoding="utf-8").split("## Heads of a real language model", 1)[1]
    section = section.split("\n## ")[0]
    for name in EXPERIMENTS:
        assert f"`python -m studies.language_model {name}`" in section
    for file, command in OWN_FILES.items():
        assert f"`python -m studies.{command}` · `assets/{file}`" in section
    rows = (*estimates(results), *naming_estimates(), *other_estimates())
    known = set().union(*(formatted(row) for row in rows))
    written = [match.replace(" %", "%") for match in INTERVAL.findall(section.replace(" %", "%"))]
    assert len(written) > 30
    assert set(written) <= known


def test_other_facts_about_places_fall_further_than_with_heads_moved_as_far():
    for kind, rows in stored_results()["places_and_facts"].items():
        change, others = rows["change without L23H4"], rows[f"{OTHERS} L23H4"]
        assert others["n_draws"] == 8, "the other heads of layer 23"
        assert (change["mean"] < others["lowest"]) == (kind != "other facts")
        reaches = {"currencies", "reverse question", "other facts"}  # intervals that docs/claims.md names
        assert (change["high"] >= others["lowest"]) == (kind in reaches)


def test_direct_effects_are_full_changes_if_everything_is_frozen():
    stored = json.loads((ASSETS / "take_back.json").read_text(encoding="utf-8"))
    for part in ("slopes", "shuffled"):
        assert {row["mean"] for row in stored[part]["everything"].values()} == {1.0}
        assert stored[part]["nothing"]["29 to 29"]["high"] < 1


def test_counts_of_links_and_texts_are_in_the_claims():
    text, stored = CLAIMS.read_text(encoding="utf-8"), json.loads((ASSETS / "links.json").read_text(encoding="utf-8"))
    shuffled = stored["shuffled"]
    assert f"| above 80 % | {stored['links']} in {stored['texts']} |" in text
    assert f"| {shuffled['links']} in {shuffled['texts']} |" in text
    assert f"{stored['texts measured']} texts: the control texts" in text
    assert f"random ones are cut, {stored['links cut']:,} in all" in text
