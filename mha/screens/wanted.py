"""The models that people ask for first, as the picker tells of them: what each is good for, and what brings it."""

from __future__ import annotations

from mha.models.files.catalog import VARIABLE
from mha.models.files.wanted import NOT_LOOKED_UP, WANTED, WantedModel

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
    """Return what can be brought, a folder first, then each model by its name."""
    return [FOLDER, *(_entry(row) for row in WANTED)]


def _entry(row: WantedModel) -> dict[str, str]:
    small = f"{row.kind}, {row.licence}, {row.megabytes:,} MB"
    good_for = f"{row.good_for[0].upper()}{row.good_for[1:]}."
    told = {"name": row.name, "print": small, "text": f"{good_for} {row.hindrance}".rstrip()}
    resolved = row.resolved
    if resolved:
        formula = f"{VARIABLE}={row.name}@{resolved} make run"
        return told | {"formula": formula, "source": f"Fetched already: commit {resolved}. {LICENCE_AND_SIZE}"}
    return told | {"formula": row.command, "source": NOT_LOOKED_UP}
