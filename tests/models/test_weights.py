"""Weights in several files, more of them if whoever runs the program allows it, and where models run."""

import json

import numpy as np
import pytest
import torch

from mha.errors import ModelUnavailable
from mha.models.files import environment, inspection
from mha.models.files.catalog import offer_of
from mha.models.files.loading import load_snapshot
from mha.models.watch.attending import attend
from mha.models.watch.survey import survey
from tests.models.tiny import TEXT, THROUGH_THE_INTERFACE

ROWS = {row.architecture: row for row in THROUGH_THE_INTERFACE}


@pytest.fixture
def whole(tmp_path):
    return ROWS["BertModel"].save(tmp_path / "whole")


@pytest.fixture
def in_parts(whole, tmp_path):
    folder = tmp_path / "in_parts"
    loaded = load_snapshot(whole)
    loaded.model.save_pretrained(folder, max_shard_size="60KB")
    loaded.tokenizer.save_pretrained(folder)
    assert len(inspection.weight_files(folder)) > 1
    return folder


def test_weights_in_several_files_are_the_same_model(whole, in_parts):
    one, other = attend(TEXT, load_snapshot(whole)), attend(TEXT, load_snapshot(in_parts))
    np.testing.assert_array_equal(one.weights, other.weights)
    assert inspection.inspect_snapshot(in_parts)[1] == inspection.inspect_snapshot(whole)[1]
    assert offer_of(str(in_parts)).n_layers == 2


@pytest.mark.parametrize(
    "listed",
    [
        {"x": "../model-00001-of-00002.safetensors"}, {"x": "model.bin"}, {"x": 7}, {},
        {"x": "model-00077-of-00077.safetensors"},
    ],
    ids=str,
)  # fmt: skip
def test_an_index_that_lists_something_else_is_refused(listed, in_parts):
    path = in_parts / inspection.INDEX
    index = json.loads(path.read_text())
    index["weight_map"] = listed and index["weight_map"] | listed
    path.write_text(json.dumps(index))
    with pytest.raises(ModelUnavailable, match="lists other parts"):
        load_snapshot(in_parts)


def test_how_large_weights_may_be_is_a_setting(in_parts, monkeypatch):
    monkeypatch.setenv(inspection.MOST_GB, "0.0001")
    with pytest.raises(ModelUnavailable, match=r"this program reads .* GB.*PARALLAX_MAX_GB"):
        load_snapshot(in_parts)
    monkeypatch.setenv(inspection.MOST_GB, "4")
    assert inspection.most_bytes() == 4 * 2**30
    listing: dict[str, int] = {"config.json": 9, "tokenizer.json": 9, "model.safetensors": 3 * 2**30}
    assert inspection.check_sizes(listing) == ["model.safetensors"]
    for nonsense in ("much", "-1", "nan", "inf", "0"):
        monkeypatch.setenv(inspection.MOST_GB, nonsense)
        assert inspection.most_bytes() == 2 * 2**30
    with pytest.raises(ModelUnavailable, match="take 3.0 GB"):
        inspection.check_sizes(listing)


def test_where_models_run_is_a_setting(monkeypatch, whole):
    assert environment.device() == "cpu"
    monkeypatch.setenv(environment.DEVICE, "auto")
    assert environment.device() in ("cpu", "cuda", "mps")
    assert load_snapshot(whole).model.device.type == environment.device()
    monkeypatch.setenv(environment.DEVICE, "abacus")
    with pytest.raises(ModelUnavailable, match="'abacus', which is not available"):
        load_snapshot(whole)
    if not torch.cuda.is_available():
        monkeypatch.setenv(environment.DEVICE, "cuda")
        with pytest.raises(ModelUnavailable, match="'cuda', which is not available"):
            load_snapshot(whole)


def test_a_graphics_card_gives_the_same(monkeypatch, whole):
    monkeypatch.setenv(environment.DEVICE, "auto")
    if environment.device() == "cpu":
        pytest.skip("there is no CUDA and no MPS here")
    there = load_snapshot(whole)
    monkeypatch.delenv(environment.DEVICE)
    here = load_snapshot(whole)
    np.testing.assert_allclose(attend(TEXT, there).weights, attend(TEXT, here).weights, atol=1e-3)
    np.testing.assert_allclose(survey(TEXT, model=there).overview, survey(TEXT, model=here).overview, atol=1e-3)
