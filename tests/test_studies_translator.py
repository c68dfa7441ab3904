"""Study of the translator: genders and counts of hand-made data, and the numbers of docs/claims.md."""

import doctest
import json
import re
from pathlib import Path

import pytest
import torch

from mha.maps import EncoderHead
from mha.models.files import translator as package
from mha.models.files.catalog import model_row
from studies import portuguese, translator
from studies.separation import mean

CLAIMS = Path(__file__).parents[1] / "docs" / "claims.md"
HEADING = "## Two heads of a translator decide a gender"
CHOSEN = [EncoderHead(0, 7), EncoderHead(2, 1)]
TEACHER = ("professor",)


@pytest.mark.parametrize("module", [portuguese, translator])
def test_doctests(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("text", "gender"),
    [
        ("A professora fechou a janela.", "f"),
        ("O professor fechou a janela.", "m"),
        ("Esperaram pela professora.", "f"),
        ("Agradecemos ao professor.", "m"),
        ("Professora fechou a janela.", "f"),  # no article: the ending decides
        ("O professora fechou a janela.", None),  # they disagree
        ("A pessoa fechou a janela.", None),  # another noun
    ],
)
def test_gender_of_a_noun(text, gender):
    assert portuguese.noun_gender(text, TEACHER) == gender


def a_case(gender: str, noun: str = "lawyer", frame: str = "left") -> translator.Case:
    """Return a case whose partner's head outputs are larger by 1, in a text of three tokens with the noun in second."""
    outputs = torch.zeros(3, 8, 3, 2)
    return translator.Case(translator.Item(frame, noun, gender, "", ()), None, None, outputs, outputs + 1, (1,))


def test_exchange_at_positions():
    """All positions in one change; the noun is position 1, so that the others are 0 and 2."""
    case = a_case("f")
    (whole,) = translator.exchanged(case, CHOSEN[:1])
    assert (whole.head, whole.scale, whole.position) == (CHOSEN[0], 0.0, None)
    assert torch.equal(whole.add, torch.ones(3, 2))
    changes = translator.exchanged(case, CHOSEN, case.other_positions)
    assert [(change.head, change.position) for change in changes] == [
        (head, position) for head in CHOSEN for position in (0, 2)
    ]
    assert all(change.add.shape == (1, 2) for change in changes)


def test_intervals_redraw_nouns_and_frames():
    """Hits depend on the frame alone: an interval over nouns has no width, one over both has."""
    hits, nouns, frames = [1, 0, 1, 0], list("aabb"), list("xyxy")
    assert translator.count_row(hits, nouns, frames)["low"] == 0.0
    assert mean(hits, nouns)["low"] == mean(hits, nouns)["high"] == 0.5


def test_agreements_count_versions_with_both_genders_and_an_ending():
    item = ["The dog did not eat the soup because it was {}.", "tired", "salty", ["cão"], ["sopa"]]
    texts = [
        "O cão não comeu a sopa porque estava cansado.",
        "O cão não comeu a sopa porque era salgado.",  # wrong: the soup is feminine
    ]
    assert translator.agreements([item], texts) == [("m", "m"), ("f", "m")]
    assert translator.agreements([item], ["O cão dormiu.", "O cão não comeu a sopa porque era grande."]) == [None, None]
    rows = translator.agreement_counts([("m", "m"), ("f", "m"), None, ("f", "f")])
    assert {name: (row["hits"], row["n"]) for name, row in rows.items()} == {
        "versions right": (2, 3),
        "items right in both versions": (0, 1),
        "items wrong in both versions": (0, 1),
    }


def rows_of(results: dict) -> list[dict]:
    """Return every count of nested results."""
    nested = [row for value in results.values() if isinstance(value, dict) for row in rows_of(value)]
    return [results, *nested] if "hits" in results else nested


def written(row: dict) -> set[str]:
    """Return the ways in which a document may write a count, and its share with the interval."""
    count = f"{row['hits']:,} of {row['n']:,}"
    share = row.get("share", row)
    if "low" not in share:
        return {count}
    first, low, high = (f"{100 * share[name]:.0f}" for name in ("mean", "low", "high"))
    return {count, f"{count}, {first} % ({low} to {high})"}


def test_claims_have_the_stored_counts():
    results = json.loads(translator.FILE.read_text(encoding="utf-8"))
    section = CLAIMS.read_text(encoding="utf-8").split(HEADING, 1)[1].split("\n## ")[0]
    section, pilot = section.split("Pilot:")
    assert f"`python -m studies.translator` · `assets/{translator.FILE.name}`" in section
    known = set().union(*map(written, rows_of(results)))
    counts = re.findall(r"\d[\d,]* of \d(?:[\d,]*\d)?(?:, \d+ % \(\d+ to \d+\))?", section)
    assert len(counts) > 25
    assert set(counts) <= known
    assert "71 of 86" in pilot
    one_head, n_feminine = results["ablation"]["one head"], results["ablation"]["both heads"]["n"]
    most = " and ".join(f"without {head} ({hits})" for head, hits in one_head.items() if hits > n_feminine / 2)
    assert f"most of the {n_feminine} feminine nouns become masculine {most}, fewer without" in section
    looks = [
        f"{row['mean']:.2f} ({row['low']:.2f} to {row['high']:.2f})" for row in results["looks"]["chosen"].values()
    ]
    shares = re.findall(r"\d\.\d\d \(\d\.\d\d to \d\.\d\d\)", section)
    assert looks == shares


def test_results_name_the_heads_that_the_other_half_names_too():
    results = json.loads(translator.FILE.read_text(encoding="utf-8"))
    assert results["chosen"] == list(map(str, CHOSEN))
    for half in ("selection", "selection in the test half"):
        assert set(list(results[half]["shares"])[:2]) == set(results["chosen"])
    assert results["exchange"]["other pairs"]["moved as far"]["all"]["pairs"] == 63
    assert results["revision"] == model_row(package.NAME).revision
