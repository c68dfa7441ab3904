"""The models that people ask for first, as the picker lists them: the use of each, and the command that adds it."""

from __future__ import annotations

from mha.models.files.catalog import VARIABLE
from mha.models.files.hub import NOT_LOOKED_UP, WANTED, kept

ABOUT = (
    "The app downloads nothing itself. To add a model, run the command below and restart; a local folder works "
    "directly. Sizes are roughly those of the published weights."
)
LICENCE_AND_SIZE = "Licence and size are from memory, not looked up."
FOLDER = {
    "name": "A local folder",
    "text": "It needs config.json, tokenizer.json and model.safetensors (or its parts and their index).",
    "formula": "parallax --model /path/of/the/folder",
}


def entries() -> list[dict[str, str]]:
    """Return what can be added, a folder first, then each model by its name."""
    return [FOLDER, *(_entry(name, facts, use) for name, (facts, use) in WANTED.items())]


def _entry(name: str, facts: str, use: str) -> dict[str, str]:
    entry, folder = {"name": name, "print": facts, "text": use}, kept(name)
    if folder is None:
        return entry | {"formula": f"python -m mha.models {name}", "source": NOT_LOOKED_UP}
    formula = f"{VARIABLE}={name}@{folder.name} make run"
    return entry | {"formula": formula, "source": f"Fetched already: commit {folder.name}. {LICENCE_AND_SIZE}"}
