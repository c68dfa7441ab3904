"""Packed weights compute what the others do, and never stand in for weights that are no longer there."""

import copy
import ctypes
import mmap
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from mha.models.files import snapshot
from mha.models.files.loading import load
from mha.models.files.snapshot import PackedLinear, let_go, pack
from mha.models.twins import twin_of


@pytest.fixture
def layers():
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(24, 48), nn.GELU(), nn.Linear(48, 24, bias=False))


def passed(model, given):
    with torch.inference_mode():
        return model(given).numpy()


def test_packed_layers_compute_the_same_and_a_gradient_still_flows(layers):
    plain = copy.deepcopy(layers)
    pack(layers)
    assert [type(layer) for layer in layers] == [PackedLinear, nn.GELU, PackedLinear]
    for shape in ((24,), (5, 24), (2, 7, 24), (0, 24)):
        given = torch.randn(shape)
        np.testing.assert_allclose(passed(layers, given), passed(plain, given), atol=1e-6)
    strided = torch.randn(24, 5).T
    np.testing.assert_allclose(passed(layers, strided), passed(plain, strided), atol=1e-6)
    layers(torch.randn(3, 24)).sum().backward()
    assert layers[0].weight.grad is not None


def test_weights_that_are_changed_copied_or_loaded_anew_are_the_ones_that_count(layers):
    pack(layers)
    given = torch.randn(4, 24)
    before = passed(layers, given)
    twin = copy.deepcopy(layers)
    with torch.no_grad():
        for weight in twin.parameters():
            weight.mul_(-1)
    assert not np.allclose(passed(twin, given), before, atol=1e-2)
    np.testing.assert_array_equal(passed(layers, given), before)
    with torch.no_grad():
        layers[2].weight.mul_(2)
    np.testing.assert_allclose(passed(layers, given), 2 * before, rtol=1e-5, atol=1e-6)
    layers.load_state_dict({name: torch.zeros_like(weight) for name, weight in layers.state_dict().items()})
    assert not passed(layers, given).any()


def test_a_long_text_goes_by_the_weights_themselves(layers, monkeypatch):
    """Or each length leaves programs of oneDNN behind, which stay: 256 lengths took 470 MB."""
    pack(layers)
    linear, plain = nn.functional.linear, []
    monkeypatch.setattr(snapshot.functional, "linear", lambda *given: plain.append(len(given[0])) or linear(*given))
    for rows in (1, snapshot.MOST_ROWS, snapshot.MOST_ROWS + 1):
        passed(layers, torch.randn(rows, 24))
    passed(layers, torch.randn(2, snapshot.MOST_ROWS, 24))
    assert plain == [snapshot.MOST_ROWS + 1] * 2 + [2] * 2


def test_large_models_and_other_numbers_are_left_as_they_are(layers, monkeypatch):
    pack(half := copy.deepcopy(layers).to(torch.bfloat16))
    monkeypatch.setattr(snapshot, "MOST", 100)
    pack(layers)
    assert not any(type(layer) is PackedLinear for model in (half, layers) for layer in model)


def test_the_bundled_model_is_packed_and_its_twin_is_not_drawn_with_its_weights():
    loaded = load("minilm")
    assert any(type(layer) is PackedLinear for layer in loaded.model.modules())
    ids = torch.tensor([[101, 1996, 3899, 102]])
    twin = twin_of(loaded, "scrambled", 1)
    plain = copy.deepcopy(twin.model)  # a copy starts without packed weights
    with torch.inference_mode():
        own, other, same = (model(ids).last_hidden_state.numpy() for model in (loaded.model, twin.model, plain))
    assert np.abs(own - other).max() > 0.1
    np.testing.assert_allclose(other, same, atol=1e-5)


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what of a file is in memory")


@LINUX
def test_what_stands_in_the_file_is_given_back_and_read_again(tmp_path):
    file = tmp_path / "weights.bin"
    np.arange(2**20, dtype=np.float32).tofile(file)
    mapped = torch.from_file(str(file), shared=False, size=2**20, dtype=torch.float32)
    model = nn.ParameterList([nn.Parameter(mapped, requires_grad=False)])
    total = float(mapped.double().sum())
    assert let_go(file, model) > 2**21
    assert let_go(file, model) < 2**21, "they are gone"
    assert float(mapped.double().sum()) == total
    mapped[5] = -1.0
    assert let_go(file, model) == 0, "a changed page is never given back"
    assert mapped[5] == -1.0
    assert let_go(tmp_path / "no such file", model) == 0


@LINUX
def test_what_stands_by_now_where_another_mapping_of_the_file_was_is_left_alone(tmp_path, monkeypatch):
    file = tmp_path / "weights.bin"
    np.arange(2**20, dtype=np.float32).tofile(file)
    model = nn.ParameterList([nn.Parameter(torch.from_file(str(file), size=2**20), requires_grad=False)])
    arrays = mmap.mmap(-1, 2**20)  # pages as the allocator takes them, where a model that is gone had its own
    arrays.write(b"7" * 2**20)
    start = ctypes.addressof(ctypes.c_char.from_buffer(arrays))
    before = f"{start:x}-{start + 2**20:x} r--p 00000000 00:00 1 {file}\nRss: 1024 kB\nAnonymous: 0 kB\n"
    monkeypatch.setattr(Path, "read_text", lambda _path, **_how: before)
    assert let_go(file, model) == 0
    assert arrays[:] == b"7" * 2**20
