"""Every file says where its numbers come from, keeps hostile texts as they are, runs none, and stays bounded."""

import csv
import datetime
import hashlib
import io
import json
from dataclasses import asdict

import numpy as np
import pytest

from mha.errors import InputError
from mha.export.provenance import provenance_of
from mha.export.tables import (
    FORMULA_STARTS,
    Table,
    source_json,
    statistics_table,
    table_csv,
    table_json,
    table_npz,
    weights_json,
    weights_npz,
)
from mha.maps import AttentionMaps, Token
from mha.saved import load_maps
from tests.export.test_statistics import HOSTILE, maps_of


def source_of(maps: AttentionMaps):
    return provenance_of(maps, model_sha256="ab" * 32, link="https://x/?text=1", controls="20 shuffles")


def named(*texts: str) -> AttentionMaps:
    """Maps whose every axis word is one of these texts."""
    tokens = tuple(Token(text, word=number) for number, text in enumerate(texts))
    weights = np.random.default_rng(1).dirichlet(np.ones(len(texts)), size=(2, 3, len(texts)))
    return AttentionMaps(weights, tokens, text=" ".join(texts), model="=evil()", revision="@x", units="words")


def rows_of(table: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.decode("utf-8"), newline="")))


def test_the_block_says_everything():
    maps = maps_of()
    told = source_of(maps)
    assert told.texts == ("All is well",)
    assert told.weights_sha256 == hashlib.sha256(maps.weights.tobytes()).hexdigest()
    assert datetime.datetime.fromisoformat(told.date).utcoffset() == datetime.timedelta(0)
    assert {"Parallax", "rules", "Python", "numpy", "torch", "transformers"} == set(told.versions)
    assert all(told.pairs().values())
    assert set(told.pairs()) >= {"text", "model", "revision", "model_sha256", "tokens", "scale", "sinks", "controls"}


def test_a_table_is_the_same_in_every_format():
    maps = maps_of()
    table = statistics_table(maps, source_of(maps))
    rows = rows_of(table_csv(table))
    found = json.loads(table_json(table))
    archive = np.load(io.BytesIO(table_npz(table)), allow_pickle=False)
    names = json.loads(archive["names"].tobytes())
    for place, name in enumerate(table.columns):
        assert names[place] == name
        assert [str(value) for value in found["columns"][name]] == [row[name] for row in rows]
        assert archive[f"column_{place}"].tolist() == found["columns"][name]
    told = source_of(maps)
    assert found["provenance"] == json.loads(archive["provenance"].tobytes()) == json.loads(json.dumps(asdict(told)))
    assert list(rows[0]) == list(table.columns), "the CSV holds the table alone"
    assert json.loads(source_json(table.provenance)) == found["provenance"]


def test_what_is_not_known_is_empty_or_null():
    table = Table({"x": np.array([np.nan, 1.5])}, source_of(maps_of()))
    assert [row["x"] for row in rows_of(table_csv(table))] == ["", "1.5"]
    assert json.loads(table_json(table))["columns"]["x"] == [None, 1.5]


def test_hostile_texts_are_neither_run_nor_lost():
    maps = named(*HOSTILE)
    texts = [token.text for token in maps.key_tokens]
    table = Table({"place": np.arange(len(texts)), "text": texts}, source_of(maps))
    content = table_csv(table)
    for row in csv.reader(io.StringIO(content.decode("utf-8"), newline="")):
        assert not any(value.startswith(FORMULA_STARTS) for value in row)
    assert json.loads(source_json(table.provenance))["texts"] == [maps.text]
    assert json.loads(table_json(table))["columns"]["text"] == list(HOSTILE)
    assert json.loads(weights_json(maps, source_of(maps)))["keys"] == list(HOSTILE)
    archive = np.load(io.BytesIO(table_npz(table)), allow_pickle=False)
    assert set(archive["column_1"].tolist()) == set(HOSTILE)
    with pytest.raises(InputError, match="half a letter"):  # which no page can draw again
        weights_npz(maps, source_of(maps))
    whole = [text for text in HOSTILE if "\ud800" not in text]
    loaded = load_maps(io.BytesIO(weights_npz(named(*whole), source_of(maps))))
    assert [token.text for token in loaded.tokens] == whole


def test_weights_are_whole_in_every_format():
    maps = maps_of()
    told = source_of(maps)
    file = weights_npz(maps, told)
    assert load_maps(io.BytesIO(file)).weights.tobytes() == maps.weights.tobytes()
    assert json.loads(np.load(io.BytesIO(file))["provenance"].tobytes())["link"] == "https://x/?text=1"
    rows = json.loads(weights_json(maps, told))["heads"]
    assert list(rows) == [str(head) for head in maps.heads]
    assert np.array_equal(np.array(rows["L1H4"], dtype=np.float32), maps[1, 4])


def test_large_maps_stay_bounded():
    tokens = tuple(Token(f"w{number}", word=number) for number in range(512))
    weights = np.full((12, 12, 512, 512), 1 / 512, dtype=np.float32)
    maps = AttentionMaps(weights, tokens, text="long")
    told = source_of(maps)
    with pytest.raises(InputError, match="144 heads of 512 × 512 weights are too many"):
        weights_json(maps, told)
    assert len(weights_npz(maps, told)) < 152_000_000
