"""The list of models people ask for first: well-formed, honest about what is here, no network."""

from __future__ import annotations

from pathlib import Path

import pytest

from mha.models import __main__ as command
from mha.models.files import wanted
from mha.models.files.hub import is_hub_id
from mha.screens.wanted import entries


def test_rows_are_ids_that_can_be_fetched() -> None:
    assert len({row.name for row in wanted.WANTED}) == len(wanted.WANTED) == 15
    for row in wanted.WANTED:
        assert is_hub_id(row.name)
        assert row.kind in ("masked", "decoder", "encoder–decoder")
        assert row.licence
        assert 0 < row.megabytes < 2048
        assert row.command == f"python -m mha.models {row.name}"
        assert not row.hindrance or row.hindrance.endswith(".")


def test_the_list_says_what_is_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / ("a" * 40)
    monkeypatch.setattr(wanted, "kept", lambda name: folder if name == "openai-community/gpt2" else None)
    assert command.main([]) == 0
    told = capsys.readouterr().out
    assert "openai-community/gpt2  decoder, MIT, about 548 MB." in told
    assert told.count("    here, commit ") == 1
    assert f"    here, commit {'a' * 40}\n" in told, "what was resolved is shown"
    assert told.count(wanted.NOT_LOOKED_UP) == len(wanted.WANTED)
    shown = {entry["name"]: entry for entry in entries()}
    assert shown["openai-community/gpt2"]["formula"] == f"PARALLAX_MODELS=openai-community/gpt2@{'a' * 40} make run"
    assert "a" * 40 in shown["openai-community/gpt2"]["source"]
    assert shown["google-t5/t5-small"]["source"] == wanted.NOT_LOOKED_UP
    assert "not here: python -m mha.models google-t5/t5-small" in told
    assert wanted.GATED in told
