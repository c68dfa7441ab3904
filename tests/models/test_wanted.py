"""The command without a name, and the picker's line about other models."""

from mha.models import __main__ as command
from mha.models.files.hub import is_hub_id
from mha.screens import wanted


def test_command_without_names_lists_models(capsys):
    assert command.main([]) == 0
    output = capsys.readouterr().out
    assert output.startswith("usage: python -m mha.models")
    assert "Models on offer: minilm (6 × 12), smollm2 (30 × 9), toy (1 × 2)" in output


def test_picker_shows_commands():
    folder, hub = (entry["formula"] for entry in wanted.ENTRIES)
    assert folder.startswith("parallax --model /")
    assert is_hub_id(hub.removeprefix("python -m mha.models "))
