"""What a decoder beside an encoder reads and writes: each token is asked for from those before it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

from mha.errors import InputError
from mha.maps import Token
from mha.models.files.loading import LoadedModel
from mha.models.watch.tokens import Encoded, encode


class Target(NamedTuple):
    """Row n has read the tokens up to ``read[n]`` and writes ``written[n]``; ``ids`` are those of ``read``."""

    ids: list[int]
    read: tuple[Token, ...]
    written: tuple[Token, ...]


def inputs_of(
    loaded: LoadedModel, text: str, pair: str | None = None, target: str | None = None
) -> tuple[Encoded, dict[str, Any], dict[str, Any]]:
    """Return a text encoded, what goes to the model, and what a `Recording` is told of the target, if there is one.

    Raises:
        InputError: a target for a model without a decoder beside its encoder, or as `encode`.
    """
    encoded = encode(loaded.tokenizer, text, pair, loaded.max_tokens)
    if not loaded.model.config.is_encoder_decoder:
        if target is not None:
            raise InputError(f"{loaded.row.short} has no decoder beside its encoder; a target is for models that have.")
        return encoded, dict(encoded.inputs), {}
    aim = encoded if target is None else encode(loaded.tokenizer, target, None, loaded.max_tokens)
    ids, read, written = target_of(loaded, aim)
    if target is not None:
        encoded = dataclasses.replace(encoded, notes=encoded.notes + aim.notes)
    named = {"read": read, "written": written, "target": text if target is None else target}
    return encoded, encoded.inputs | {"decoder_input_ids": [ids]}, named


def target_of(loaded: LoadedModel, encoded: Encoded) -> Target:
    """Return a target as the decoder meets it: the sign that it begins with, then the target without its last token."""
    start = start_of(loaded.model)
    ids = [int(number) for number in encoded.inputs["input_ids"][0]]
    written = beside(encoded.tokens)
    return Target([start, *ids[:-1]], (sign_token(loaded.tokenizer, start), *written[:-1]), written)


def beside(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Return tokens of a target, which is another text than the source: they are its second segment."""
    return tuple(dataclasses.replace(token, segment=1) for token in tokens)


def target_so_far(loaded: LoadedModel, text: str) -> tuple[list[int], tuple[Token, ...]]:
    """Return the ids and tokens that a decoder has read when it has written ``text`` ("": nothing yet)."""
    start = start_of(loaded.model)
    sign = sign_token(loaded.tokenizer, start)
    if not text.strip():
        return [start], (sign,)
    encoded = without_end(encode(loaded.tokenizer, text, max_tokens=loaded.max_tokens - 1))
    return [start, *encoded.inputs["input_ids"][0]], (sign, *encoded.tokens)


def without_end(encoded: Encoded) -> Encoded:
    """Return a text without the signs that a tokenizer sets behind it, so that it can be gone on with."""
    count = max(place for place, token in enumerate(encoded.tokens) if not token.special) + 1
    inputs = {name: [values[0][:count]] for name, values in encoded.inputs.items()}
    return dataclasses.replace(encoded, inputs=inputs, tokens=encoded.tokens[:count])


def start_of(model: Any) -> int:
    """Return the number of the sign that the decoder of an encoder–decoder begins with."""
    config = model.config
    named = (getattr(config, name, None) for name in ("decoder_start_token_id", "bos_token_id"))
    return next((int(number) for number in named if number is not None), 0)


def sign_token(tokenizer: Any, number: int) -> Token:
    """Return a token that the model adds by itself."""
    raw = str(tokenizer.convert_ids_to_tokens(number))
    return Token(raw, raw=raw, special=True, segment=1)
