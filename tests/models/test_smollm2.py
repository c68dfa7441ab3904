"""SmolLM2: its conversion, the snapshot in the cache, the reasons not to offer it, and its numbers."""

from __future__ import annotations

import importlib.util

import pytest

import mha
from mha.errors import UnknownModel
from mha.models.files import smollm2
from mha.models.files.catalog import _hindrance, model_row, offered
from mha.models.files.loading import load

FRANCE = "The capital of France is"


@pytest.fixture
def catalog(monkeypatch):
    """Forget which models are on offer before and after a test that changes the reasons."""

    def forget():
        _hindrance.cache_clear()
        offered.cache_clear()

    forget()
    yield forget
    monkeypatch.undo()
    forget()


def test_predict_names_paris():
    prediction = mha.predict(FRANCE, model="smollm2")
    assert prediction.words[0] == "Paris"
    assert prediction.probabilities[0] == pytest.approx(0.77, abs=0.02)


def test_attend_gives_every_head():
    maps, row = mha.attend(FRANCE, model="smollm2"), model_row("smollm2")
    assert maps.weights.shape == (30, 9, 5, 5)
    assert (maps.model, maps.origin, maps.causal) == ("SmolLM2", "pretrained", True)
    assert maps.revision == row.revision == "sha256 b179c9523d0e, weights rounded to 4 bits (Q4_1)"
    assert load("smollm2").row == row


def test_a_citation_states_the_rounding():
    assert "SmolLM2 (sha256 b179c9523d0e, weights rounded to 4 bits (Q4_1))" in mha.cite("smollm2").text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"gguf_file": lambda: None}, smollm2.MISSING),
        ({"find_spec": lambda name: None if name == "gguf" else importlib.util.find_spec(name)}, smollm2.MISSING),
        ({"free_memory": lambda: 2.4e9}, "2.5 GB of free memory, and 2.4 GB were free"),
    ],
)
def test_a_model_not_on_offer_has_a_reason(change, reason, catalog, monkeypatch):
    for name, value in change.items():
        monkeypatch.setattr(smollm2, name, value)
    with pytest.raises(UnknownModel) as refused:
        mha.attend(FRANCE, model="smollm2")
    assert str(refused.value).startswith("The models on offer are 'minilm' (MiniLM), 'toy' (Toy)")
    assert reason in str(refused.value)
    with pytest.raises(UnknownModel) as other:
        mha.attend(FRANCE, model="smollm3")
    assert reason not in str(other.value)


def test_a_host_excludes_smollm2(catalog, monkeypatch, caplog):
    monkeypatch.setenv("PARALLAX_MODELS", " -smollm2 ")
    catalog()
    assert "smollm2" not in [row.name for row in offered()]
    with pytest.raises(UnknownModel, match="PARALLAX_MODELS contains -smollm2"):
        mha.attend(FRANCE, model="smollm2")
    assert not caplog.records
