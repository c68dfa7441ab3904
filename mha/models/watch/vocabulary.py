"""Texts for models trained on a few words: on the page a word that they never met is refused, not read as unknown."""

from __future__ import annotations

from mha.errors import InputError
from mha.models.files.loading import LoadedModel


def check_known(loaded: LoadedModel, *texts: str | None) -> None:
    """Raise InputError where a model trained on a few words has never seen one of the text; others read anything."""
    tokenizer = loaded.tokenizer
    if not loaded.row.example or tokenizer.unk_token_id is None:
        return
    for text in filter(None, texts):
        encoded = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        for number, (start, end) in zip(encoded["input_ids"], encoded["offset_mapping"], strict=True):
            if number == tokenizer.unk_token_id:
                known = len(tokenizer) - len(set(tokenizer.all_special_ids))
                raise InputError(
                    f"{loaded.row.short} knows {known} words and nothing else; {text[start:end]!r} is none of them."
                )
