"""Study of SmolLM2: prompts, draws and intervals, and the numbers of docs/claims.md."""

import dataclasses
import doctest
import json
import re
from pathlib import Path

import pytest

from mha.analysis.ablation_control import BANDS, ablation_control
from mha.assets import ASSETS
from mha.models.files.catalog import model_row
from studies.language_model import drinks, lab, prompts, repetition, sink_and_number
from studies.language_model.__main__ import EXPERIMENTS, stored_results
from studies.language_model.lab import estimate, spread

CLAIMS = Path(__file__).parents[1] / "docs" / "claims.md"
OWN_FILES = {"links.json": "links", "places.json": "places", "take_back.json": "take_back"}  # by their command
OTHERS = "change with another head of the layer moved as far as"
INTERVAL = re.compile(r"−?\d[\d.,]*%? \(−?\d[\d.,]* to −?\d[\d.,]*\)")


@pytest.mark.parametrize("module", [drinks, lab, prompts, repetition, sink_and_number])
def test_doctests(module):
    assert doctest.testmod(module).failed == 0


def test_capitals_of_test_are_kept_apart():
    selection, test = ({prompt.group for prompt in prompts.capital_prompts(name)} for name in ("selection", "test"))
    assert len(test) >= 60
    assert not selection & test
    kinds = prompts.fact_prompts()
    assert sum(map(len, kinds.values())) >= 180
    for sample in kinds.values():
        assert len({prompt.text for prompt in sample}) == len(sample)


def test_estimate_redraws_groups_whole():
    """Two groups with the means 0 and 1: every redrawn mean is 0, 0.5 or 1."""
    grouped = estimate([0.0, 0.0, 0.0, 1.0], ["a", "a", "a", "b"])
    assert grouped == {"mean": 0.5, "low": 0.0, "high": 1.0, "n": 2}
    assert spread([1.0, 2.0, 6.0]) == {"mean": 3.0, "lowest": 1.0, "highest": 6.0, "n_draws": 3}


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


def test_counts_of_links_and_texts_are_in_the_claims():
    text, stored = CLAIMS.read_text(encoding="utf-8"), json.loads((ASSETS / "links.json").read_text(encoding="utf-8"))
    shuffled = stored["shuffled"]
    assert f"| above 80 % | {stored['links']} in {stored['texts']} |" in text
    assert f"| {shuffled['links']} in {shuffled['texts']} |" in text
    assert f"{stored['texts measured']} texts: the control texts" in text
    assert f"random ones are cut, {stored['links cut']:,} in all" in text


def test_a_share_of_nearly_all_is_not_written_as_all():
    assert re.search(r"(?<!\d)(100 % \(100 to 100\)|0 % \(0 to 0\))", CLAIMS.read_text(encoding="utf-8")) is None
