"""The two ways to add a model, as the picker lists them."""

from __future__ import annotations

from mha.models.files.catalog import VARIABLE

ABOUT = "The app downloads nothing itself. To add a model, run one of these commands and restart."
ENTRIES = [
    {
        "name": "A local folder",
        "text": "It needs config.json, tokenizer.json and model.safetensors (or its parts and their index).",
        "formula": "parallax --model /path/of/the/folder",
    },
    {
        "name": "A model of the hub",
        "text": f"The command fetches it and prints the line for {VARIABLE}.",
        "formula": "python -m mha.models openai-community/gpt2",
    },
]
