"""The list of models that people ask for first: well-formed, honest about what is here, no network."""

from __future__ import annotations

from pathlib import Path

import pytest

from mha.models import __main__ as command
from mha.models.files import hub
from mha.models.files.hub import WANTED, is_hub_id
from mha.screens import wanted


def test_wanted_models_can_be_fetched() -> None:
    assert len(WANTED) == 15
    for name, (facts, use) in WANTED.items():
        kind, licence, size = facts.split(", ")
        assert is_hub_id(name)
        assert kind in ("masked", "decoder", "encoder–decoder")
        assert licence
        assert 0 < int(size.removesuffix(" MB").replace(",", "")) < 2048
        assert use.endswith(".")


def test_list_shows_fetched_models(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, fetched = tmp_path / ("a" * 40), "openai-community/gpt2"
    for module in (hub, wanted):
        monkeypatch.setattr(module, "kept", lambda name: folder if name == fetched else None)
    assert command.main([]) == 0
    output = capsys.readouterr().out
    assert f"{fetched}  decoder, MIT, 548 MB. " in output
    assert output.count("    here, commit ") == 1
    assert f"    here, commit {folder.name}\n" in output
    assert output.count(hub.NOT_LOOKED_UP) == len(WANTED)
    assert "not here: python -m mha.models google-t5/t5-small" in output
    assert hub.GATED in output
    shown = {entry["name"]: entry for entry in wanted.entries()}
    assert shown[fetched]["formula"] == f"PARALLAX_MODELS={fetched}@{folder.name} make run"
    assert folder.name in shown[fetched]["source"]
    assert shown["google-t5/t5-small"]["source"] == hub.NOT_LOOKED_UP
