"""The CSV of statistics: exact numbers, their provenance, and texts that want to be formulas."""

import csv
import io
import json

import numpy as np
import pytest

from mha.analysis.statistics import STATISTICS, head_statistics
from mha.errors import InputError
from mha.export.statistics import PROVENANCE, statistics_csv
from mha.export.tables import FORMULA_STARTS, display
from mha.maps import AttentionMaps, Token

HOSTILE = (
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    'a "quoted", word\nand a line',
    "<b>%{x}</b> é 漢 🙂",
    "lone \ud800 surrogate",
    "'=1+1",
)


def maps_of(text: str = "All is well", n: int = 3) -> AttentionMaps:
    tokens = (Token("[CLS]", special=True), *(Token(f"w{number}", word=number) for number in range(n - 1)))
    weights = np.random.default_rng(7).dirichlet(np.ones(n), size=(2, 5, n))
    return AttentionMaps(weights, tokens, text=text, model="MiniLM", revision="abc", origin="pretrained", units="words")


def read(table: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.decode("utf-8"), newline="")))


def test_every_head_has_a_row_with_exact_numbers() -> None:
    maps = maps_of()
    rows = read(statistics_csv(maps))
    assert [row["head"] for row in rows] == [str(head) for head in maps.heads]
    values = head_statistics(maps)
    for row in rows:
        place = int(row["layer"]), int(row["number"])
        assert all(float(row[statistic.key]) == values[statistic.key][place] for statistic in STATISTICS)


def test_the_provenance_stands_in_every_row() -> None:
    row = read(statistics_csv(maps_of()))[9]
    assert {name: row[name] for name in PROVENANCE} == {
        "text": "All is well",
        "text_json": '"All is well"',
        "model": "MiniLM",
        "revision": "abc",
        "origin": "pretrained",
        "units": "words",
        "sinks": "kept; set aside for largest_weight: [CLS]",
    }
    assert len(row["weights_sha256"]) == 64
    assert row["versions"].startswith("Parallax ")
    assert row["date"].endswith("+00:00")


def test_only_the_heads_that_are_on() -> None:
    rows = read(statistics_csv(maps_of(), heads=[(1, 4), (0, 2)]))
    assert [row["head"] for row in rows] == ["L1H4", "L0H2"]
    assert read(statistics_csv(maps_of(), heads=[])) == []
    with pytest.raises(InputError, match="MiniLM has heads L0H0 to L1H4; you asked for L9H0"):
        statistics_csv(maps_of(), heads=[(9, 0)])


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_neither_run_nor_lost(text: str) -> None:
    table = statistics_csv(maps_of(text))
    row = read(table)[0]
    assert json.loads(row["text_json"]) == text
    for cell in csv.reader(io.StringIO(table.decode("utf-8"), newline="")):
        assert not any(value.startswith(FORMULA_STARTS) for value in cell)


def test_a_hostile_model_name_is_led_by_an_apostrophe() -> None:
    maps = AttentionMaps(np.ones((1, 1, 1, 1)), (Token("a", word=0),), text="a", model="=evil()", revision="@x")
    row = read(statistics_csv(maps))[0]
    assert (row["model"], row["revision"], row["sinks"]) == ("'=evil()", "'@x", "none in this text")


def test_a_statistic_without_a_value_is_an_empty_cell() -> None:
    maps = AttentionMaps(np.ones((1, 1, 1, 1)), (Token("a", word=0),), text="a")
    row = read(statistics_csv(maps))[0]
    assert (row["focus"], row["previous_word"], row["same_word"]) == ("", "", "1.0")


def test_both_texts_of_a_pair_are_kept() -> None:
    maps = AttentionMaps(np.ones((1, 1, 1, 1)), (Token("a", word=0),), text="a", pair="=b")
    row = read(statistics_csv(maps))[0]
    assert json.loads(row["text_json"]) == ["a", "=b"]
    assert row["text"] == "a / =b"


def test_display_changes_nothing_else() -> None:
    assert display("1 + 1 = 2") == "1 + 1 = 2"
    assert display("") == ""
