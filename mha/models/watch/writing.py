"""Running a model token by token, and once more over all that it wrote, recorded."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mha.errors import AttentionUnavailable, InputError
from mha.maps import Token
from mha.models.files.loading import LoadedModel
from mha.models.watch.generating import Generation
from mha.models.watch.recording import recorded
from mha.models.watch.target import beside, sign_token, start_of, without_end
from mha.models.watch.tokens import encode, tokens_of_ids
from mha.words import Accepted


def write(loaded: LoadedModel, accepted: Accepted, n_tokens: int, seed: int | None, temperature: float) -> Generation:
    """Return what a model writes; see `mha.models.watch.generating.generate`."""
    _check_writes(loaded)
    model = loaded.model
    encoded = encode(loaded.tokenizer, accepted.text, max_tokens=loaded.max_tokens)
    if not model.config.is_encoder_decoder:
        encoded = without_end(encoded)
    source = {name: torch.tensor(values, device=model.device) for name, values in encoded.inputs.items()}
    given = torch.tensor([[start_of(model)]], device=model.device) if model.config.is_encoder_decoder else None
    first = source["input_ids"] if given is None else given
    room = loaded.max_tokens - first.shape[1]
    if room < 1:
        raise InputError(f"{loaded.row.short} reads at most {loaded.max_tokens} tokens; the text leaves no room.")
    ids = _written(model, source, given, min(n_tokens, room), seed, temperature)
    n_read = first.shape[1]
    numbers = [int(number) for number in ids[0]]
    if given is None:
        text = loaded.tokenizer.decode(numbers, skip_special_tokens=True)
        tokens = axis = tokens_of_ids(loaded.tokenizer, numbers, text)
        whole: dict[str, Any] = {"input_ids": ids}
    else:
        text, axis = accepted.text, encoded.tokens
        target = loaded.tokenizer.decode(numbers[1:], skip_special_tokens=True)
        fresh = tokens_of_ids(loaded.tokenizer, numbers[1:], target)
        tokens = (sign_token(loaded.tokenizer, numbers[0]), *beside(fresh))
        whole = source | {"decoder_input_ids": ids}
    row = loaded.row
    recording, outputs = recorded(
        model, text=text, tokens=axis, name=row.short, revision=row.revision, origin=row.origin, **whole
    )
    rows = torch.log_softmax(outputs.logits[0, n_read - 1 : -1].double(), dim=-1)  # [step, vocabulary]
    chosen = rows.gather(-1, ids[0, n_read:, None])[:, 0].exp().cpu().numpy()
    if given is not None:
        after = Token("…", special=True, segment=1)
        recording = dataclasses.replace(recording, read=tokens, written=(*tokens[1:], after), target=target)
    ended = int(ids[0, -1]) in ends_of(model)
    notes = accepted.notes + encoded.notes
    return Generation(recording, tokens, tuple(numbers), n_read, np.asarray(chosen), ended, seed, notes)


def writes(loaded: LoadedModel) -> bool:
    """Return whether a model predicts the next word: a causal one, or a decoder beside an encoder."""
    predicts = loaded.model.get_output_embeddings() is not None
    return predicts and (loaded.model.config.is_encoder_decoder or loaded.row.causal)


def _check_writes(loaded: LoadedModel) -> None:
    if not writes(loaded):
        raise AttentionUnavailable(f"{loaded.row.short} does not write: it has no layer that predicts the next word.")


def ends_of(model: Any) -> set[int]:
    """Return the numbers of the signs with which a model says that it has finished."""
    named = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    named = model.config.eos_token_id if named is None else named
    return set() if named is None else set(named if isinstance(named, list) else [named])


def _written(
    model: Any, source: dict[str, Tensor], given: Tensor | None, n_tokens: int, seed: int | None, temperature: float
) -> Tensor:
    """Return what was given and what was written behind it, [1, token]; the model keeps what it has read by itself."""
    ids = source["input_ids"] if given is None else given
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    ends = ends_of(model)
    cache = None
    with torch.inference_mode():
        encoded = None if given is None else {"encoder_outputs": model.get_encoder()(**source)}
        for _ in range(n_tokens):
            new = ids if cache is None else ids[:, -1:]
            if encoded is None:
                outputs = model(input_ids=new, past_key_values=cache, use_cache=True)
            else:
                mask = source.get("attention_mask")
                outputs = model(
                    **encoded, attention_mask=mask, decoder_input_ids=new, past_key_values=cache, use_cache=True
                )
            cache = getattr(outputs, "past_key_values", None)
            number = _next(outputs.logits[0, -1], generator, temperature)
            ids = torch.cat([ids, torch.tensor([[number]], device=ids.device)], dim=1)
            if number in ends:
                break
    return ids


def _next(logits: Tensor, generator: torch.Generator | None, temperature: float) -> int:
    if generator is None:
        return int(logits.argmax())
    probabilities = torch.softmax(logits.double() / temperature, dim=-1).cpu()
    return int(torch.multinomial(probabilities, 1, generator=generator))
