"""The CSV of weights and texts that spreadsheets take for formulas."""

import csv
import io

import numpy as np
import pytest

from mha.analysis.statistics import word_statistics
from mha.errors import InputError
from mha.export.provenance import provenance_of
from mha.export.tables import (
    FORMULA_STARTS,
    LONG,
    display,
    statistics_table,
    table_csv,
    weights_csv,
)
from mha.maps import AttentionMaps, Token

HOSTILE = (
    "=1+1", "+cmd|' /C calc'!A0", "-2", "@SUM(A1)", "\t=1", "\r=1", 'a "quoted", word\nand a line',
    "<b>%{x}</b> é 漢 🙂", "lone \ud800 surrogate", "'=1+1",
)  # fmt: skip


def maps_of(text: str = "All is well", n: int = 3) -> AttentionMaps:
    tokens = (Token("[CLS]", special=True), *(Token(f"w{number}", word=number) for number in range(n - 1)))
    weights = np.random.default_rng(7).dirichlet(np.ones(n), size=(2, 5, n))
    return AttentionMaps(weights, tokens, text=text, model="MiniLM", revision="abc", origin="pretrained", units="words")


def read(table: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.decode("utf-8"), newline="")))


def test_a_statistic_without_a_value_is_an_empty_cell() -> None:
    maps = AttentionMaps(np.ones((1, 1, 1, 1)), (Token("a", word=0),), text="a")
    table = statistics_table(maps, provenance_of(maps), word_statistics(maps))
    row = read(table_csv(table))[0]
    assert (row["focus"], row["previous_word"], row["same_word"]) == ("", "", "1.0")


def test_display_changes_nothing_else() -> None:
    assert display("1 + 1 = 2") == "1 + 1 = 2"
    assert display("") == ""


@pytest.mark.parametrize("hostile", HOSTILE)
def test_every_weight_has_a_row_in_the_long_form(hostile: str) -> None:
    tokens = (Token("[CLS]", special=True), Token(hostile, word=0), Token("b", word=1))
    weights = np.random.default_rng(3).dirichlet(np.ones(3), size=(2, 5, 3))
    maps = AttentionMaps(weights, tokens, text=hostile, model="MiniLM", units="words")
    table = weights_csv(maps)
    rows = read(table)
    assert len(rows) == 2 * 5 * 9
    for row in rows:
        layer, head, query, key = (int(row[name]) for name in ("layer", "head", "from_place", "to_place"))
        assert float(row["weight"]) == pytest.approx(float(maps.weights[layer, head, query, key]), rel=1e-6)
        assert row["from"] == display(tokens[query].text).encode("utf-8", "backslashreplace").decode()
        assert row["set_aside"] == ("1" if key == 0 else "0")
    assert tuple(rows[0]) == LONG
    for cells in csv.reader(io.StringIO(table.decode("utf-8"), newline="")):
        assert not any(value.startswith(FORMULA_STARTS) for value in cells)


def test_what_a_mask_hides_has_no_row_and_too_many_rows_are_refused() -> None:
    words = tuple(Token(f"w{number}", word=number) for number in range(3))
    weights = np.tril(np.ones((1, 1, 3, 3))) / np.array([1, 2, 3])[:, None]
    causal = AttentionMaps(weights, words, causal=True)
    assert [(row["from_place"], row["to_place"]) for row in read(weights_csv(causal))] == [
        ("0", "0"), ("1", "0"), ("1", "1"), ("2", "0"), ("2", "1"), ("2", "2"),
    ]  # fmt: skip
    n = 1025
    many = tuple(Token(f"w{number}", word=number) for number in range(n))
    long = AttentionMaps(np.full((1, 1, n, n), 1 / n, dtype=np.float32), many)
    with pytest.raises(InputError, match="1,050,625 rows; a spreadsheet takes 1,048,575"):
        weights_csv(long)
