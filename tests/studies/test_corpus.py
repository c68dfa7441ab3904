"""A corpus from the command line: what is read, what comes out, stopped and gone on with."""

import json

import numpy as np
import pyarrow
import pytest
from pyarrow import csv, parquet

from mha.analysis.statistics import head_statistics
from mha.errors import InputError
from mha.models.watch.attending import attend
from mha.pairs import corpus as bundled
from studies.corpus import CHUNK, TextRow, chunks, measure_corpus

MIXED = [
    {"text": "Tom fed the dog because it was hungry", "pivot": "it", "a": "dog", "b": "Tom"},
    {"text": "A bird sang", "pivot": None, "a": None, "b": None},
    {"text": "…", "pivot": None, "a": None, "b": None},
    {"text": "It rained", "pivot": "it", "a": "dog", "b": "Tom"},
]


def written(folder, rows, kind):
    file = folder / f"texts.{kind}"
    table = pyarrow.Table.from_pylist(rows)
    if kind == "parquet":
        parquet.write_table(table, file)
    elif kind == "csv":
        csv.write_csv(table, file)
    else:
        file.write_text("\n\n".join(row["text"] for row in rows) + "\n", encoding="utf-8")
    return file


def cells(file):
    """Return a table's rows by statistic, layer and head."""
    return {(row["statistic"], row["layer"], row["head"]): row for row in parquet.read_table(file).to_pylist()}


@pytest.mark.parametrize("kind", ["parquet", "csv", "txt"])
def test_texts_are_read_in_chunks_from_what_people_have(tmp_path, kind):
    many = [{**MIXED[0], "text": f"Tom, fed “dog” {number}"} for number in range(CHUNK + 3)]
    found = list(chunks(written(tmp_path, many, kind)))
    assert [len(rows) for rows in found] == [CHUNK, 3]
    first = found[0][0]
    assert first == (TextRow("Tom, fed “dog” 0") if kind == "txt" else TextRow("Tom, fed “dog” 0", "it", "dog", "Tom"))
    assert first.ambiguous == (kind != "txt")


def test_what_is_no_corpus_is_told(tmp_path):
    with pytest.raises(InputError, match="no file"):
        measure_corpus(tmp_path / "nothing.csv", tmp_path / "out.parquet")
    (tmp_path / "a.csv").write_text("sentence,b\nhello,1\n")
    with pytest.raises(InputError, match=r"needs a column text .* it has sentence, b"):
        list(chunks(tmp_path / "a.csv"))
    (tmp_path / "a.parquet").write_bytes(b"no such thing")
    with pytest.raises(InputError, match="cannot be read"):
        list(chunks(tmp_path / "a.parquet"))


def test_the_table_has_statistics_leans_and_where_they_come_from(tmp_path):
    out = tmp_path / "stats.parquet"
    state = measure_corpus(written(tmp_path, MIXED, "parquet"), out)
    assert (state.texts, dict(state.refused)) == (3, {"InputError": 1, "its readings alone": 1})
    found = cells(out)
    texts = [row["text"] for row in MIXED if row["text"] != "…"]
    alone = np.mean([head_statistics(attend(text))["entropy"] for text in texts], axis=0)
    assert found["entropy", 5, 3]["mean"] == pytest.approx(alone[5, 3], abs=1e-5)
    assert (found["entropy", 5, 3]["n"], found["lean", 5, 3]["n"]) == (3, 1)
    assert found["lean", 5, 3]["mean"] == pytest.approx(
        found["towards_a", 5, 3]["mean"] - found["towards_b", 5, 3]["mean"]
    )
    about = json.loads(parquet.read_schema(out).metadata[b"parallax"])
    assert (about["model"], about["texts"], about["input"]) == ("minilm", 3, "texts.parquet")
    assert not out.with_name("stats.parquet.part").exists()


def test_what_was_stopped_goes_on_and_comes_out_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("studies.corpus.CHUNK", 3)
    texts = [{"text": text} for text in bundled()[:11]]
    file = written(tmp_path, texts, "csv")
    whole, parts = tmp_path / "whole.parquet", tmp_path / "parts.parquet"
    measure_corpus(file, whole)
    seen: list[int] = []

    def stop(state):
        seen.append(state.texts)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_corpus(file, parts, progress=stop)
    assert not parts.exists()
    measure_corpus(file, parts, progress=lambda state: seen.append(state.texts))
    assert seen == [3, 6, 9, 11]
    assert cells(parts) == cells(whole)
