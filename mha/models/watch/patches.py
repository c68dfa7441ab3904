"""What stands on the axes where a model reads no text: the patches of an image, the frames of a sound."""

from __future__ import annotations

from math import isqrt
from typing import Any

from transformers import PreTrainedModel

from mha.maps import Token

# What a model's main input is called in transformers, and what that is, one at a time.
READS = {
    "pixel_values": "an image as its image processor returns it, [1, channel, height, width]",
    "input_features": "a sound as its feature extractor returns it, [1, …]",
    "input_values": "a sound as its feature extractor returns it, [1, sample]",
}


def reads(model: PreTrainedModel) -> str:
    """Return the name of what the model reads in the place of a text: "pixel_values" and so on, or "" for a text."""
    name = str(getattr(model, "main_input_name", ""))
    return name if name in READS else ""


def places(model: PreTrainedModel, count: int) -> tuple[Token, ...]:
    """Return names for the places of an axis, ``count`` in all.

    A square of patches, with what the model sets before it (its [CLS] and registers), is named by row and column from
    1; anything else by its number from 0. None of them stands in a text.
    """
    side = isqrt(count) if reads(model) == "pixel_values" else 0
    before = count - side * side
    if side < 2 or before != _set_before(model):
        return tuple(Token(str(place), raw=str(place), word=place) for place in range(count))
    first = [Token("[CLS]" if place == 0 else f"[{place}]", raw="", special=True) for place in range(before)]
    patches = [f"{place // side + 1}·{place % side + 1}" for place in range(side * side)]
    return (*first, *(Token(name, raw=name, word=place) for place, name in enumerate(patches)))


def _set_before(model: PreTrainedModel) -> int:
    """Return how many tokens stand before the patches, as far as the model's embeddings tell."""
    embeddings: Any = getattr(model.base_model, "embeddings", None)
    own = [getattr(embeddings, name, None) for name in ("cls_token", "class_embedding", "distillation_token")]
    registers = getattr(embeddings, "register_tokens", None)
    return sum(token is not None for token in own) + (0 if registers is None else registers.shape[1])
