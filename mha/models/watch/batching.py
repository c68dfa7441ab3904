"""Several texts in one forward pass of an encoder, the shorter ones filled up: each comes out as if it ran alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch

from mha.errors import InputError, MHAError
from mha.maps import AttentionMaps, Recording
from mha.models.files.catalog import DEFAULT
from mha.models.files.environment import every_thread, one_thread
from mha.models.files.loading import LoadedModel, transformer_of
from mha.models.watch.anatomy import anatomy
from mha.models.watch.attending import attend, opened, record_text
from mha.models.watch.attention import NAME
from mha.models.watch.recording import hidden_states, passed
from mha.models.watch.tokens import Encoded, encode
from mha.words import Accepted, accept

ALONE_UP_TO = 256  # tokens of a batch that one thread runs
TOGETHER = 8  # texts of one forward pass

Made = TypeVar("Made")


def attend_many(
    texts: Sequence[str], model: str | Path | LoadedModel = DEFAULT, *, progress: bool = False
) -> list[AttentionMaps]:
    """Return the attention of every head in each of many texts, in their order; several share one forward pass.

    ``progress`` draws a bar. Each text is treated as by `attend`, and its numbers are the same to 1e-5.

    Raises:
        InputError: a text is invalid; the message has its index from 0. UnknownModel, ModelUnavailable: as `attend`.
    """
    if isinstance(texts, str):
        raise InputError("This is one text: mha.attend takes it. Several are a list.")
    accepted = []
    for place, text in enumerate(texts):
        try:
            accepted.append(accept(text).text)
        except InputError as error:
            raise InputError(f"Text {place}: {error}") from error
    found: dict[int, AttentionMaps] = {}
    for place, one in _shown(_many(accepted, opened(model)), len(accepted), progress):
        if isinstance(one, MHAError):
            raise type(one)(f"Text {place}: {one}") from one
        found[place] = one
    return [found[place] for place in range(len(accepted))]


def _many(texts: Sequence[str], model: str | LoadedModel) -> Iterator[tuple[int, AttentionMaps | MHAError]]:
    loaded = transformer_of(model)
    if loaded is None:
        yield from ((place, attend(text, model)) for place, text in enumerate(texts))
        return
    for place, one in record_many(texts, loaded):
        yield place, one if isinstance(one, MHAError) else one.maps


def _shown(found: Iterator[Any], total: int, progress: bool) -> Iterator[Any]:
    if not progress:
        return found
    from tqdm.auto import tqdm

    return iter(tqdm(found, total=total, unit=" texts"))


def record_many(texts: Sequence[str], loaded: LoadedModel) -> Iterator[tuple[int, Recording | MHAError]]:
    """Yield the index and the recording of each accepted text; texts of similar length share one forward pass.

    Which texts go together depends on the texts alone, so that the numbers do, too.
    """
    if texts and not anatomy(loaded.model).checked:  # the first text of a model runs alone; it is not in this batch
        record_text(Accepted("Good morning"), loaded)
    order = iter(sorted(range(len(texts)), key=lambda place: (len(texts[place]), place)))
    while group := list(islice(order, TOGETHER)):
        with one_thread():
            together = record_together([texts[place] for place in group], loaded)
        yield from zip(group, together, strict=True)


def record_together(texts: Sequence[str], loaded: LoadedModel, keep: Sequence[str] = ()) -> list[Recording | MHAError]:
    """Return each text's recording or error; texts share one forward pass if that is exact.

    Weights to padding are exactly 0 and are cut away. Models whose positions may depend on padding, and models not yet
    compared with their eager attention, record one text after the other.
    """
    read = [_tried(encode, loaded.tokenizer, text, None, loaded.max_tokens) for text in texts]
    good = [(text, one) for text, one in zip(texts, read, strict=True) if not isinstance(one, MHAError)]
    if len(good) < 2 or not _exact(loaded):
        alone = (_tried(record_text, Accepted(text), loaded, keep=keep) for text, _ in good)
        return [one if isinstance(one, MHAError) else next(alone) for one in read]
    together = iter(_together(good, loaded, keep))
    return [one if isinstance(one, MHAError) else next(together) for one in read]


def _tried(make: Callable[..., Made], *given: Any, **more: Any) -> Made | MHAError:
    """Return the result of a call, or its error."""
    try:
        return make(*given, **more)
    except MHAError as error:
        return error


def _exact(loaded: LoadedModel) -> bool:
    """Return whether filling up on the right changes nothing: learned absolute positions, counted from the left."""
    known = anatomy(loaded.model)
    by_place = loaded.model.config.model_type == "bert" and set(known.n_layers) == {"self"}
    return known.checked and known.way == NAME and by_place


def _together(read: list[tuple[str, Encoded]], loaded: LoadedModel, keep: Sequence[str]) -> list[Recording]:
    encoded = [one for _, one in read]
    n_tokens = len(encoded) * max(len(one.tokens) for one in encoded)
    with one_thread() if n_tokens <= ALONE_UP_TO else every_thread():
        call, outputs = passed(loaded.model, _filled(encoded, loaded), keep, batched=True)
    kept = {what: call.stacked("self", what).numpy() for what in ("weights", *keep) if what != "hidden"}
    hidden = hidden_states(outputs) if "hidden" in keep else None
    if hidden is not None:
        kept["hidden"] = hidden
    return [
        _cut({what: array[:, place] for what, array in kept.items()}, text, one, loaded)
        for place, (text, one) in enumerate(read)
    ]


def _filled(encoded: Sequence[Encoded], loaded: LoadedModel) -> dict[str, torch.Tensor]:
    """Return the inputs of all texts, [text, token], padded on the right under the attention mask."""
    longest = max(len(one.tokens) for one in encoded)
    fill = {"input_ids": loaded.tokenizer.pad_token_id or 0}
    filled: dict[str, Any] = {}
    for name in encoded[0].inputs:
        rows = [list(one.inputs[name][0]) for one in encoded]
        filled[name] = torch.tensor([row + [fill.get(name, 0)] * (longest - len(row)) for row in rows])
    shown = [[1] * len(one.tokens) + [0] * (longest - len(one.tokens)) for one in encoded]
    return {**filled, "attention_mask": torch.tensor(shown)}


def _cut(kept: dict[str, np.ndarray], text: str, encoded: Encoded, loaded: LoadedModel) -> Recording:
    """Return one text's recording, copied out of the batch, so that nothing keeps the batch in memory."""
    n = len(encoded.tokens)
    weights = kept.pop("weights")[:, :, :n, :n].copy()  # [layer, head, query, key]
    maps = AttentionMaps(
        weights=weights,
        tokens=encoded.tokens,
        text=text,
        causal=False,
        half_precision=loaded.model.dtype in (torch.float16, torch.bfloat16),
        **loaded.row.named,
    )
    rest: dict[str, Any] = {what: array[..., :n, :].copy() for what, array in kept.items()}
    return Recording(maps=maps, stacks={"self": weights}, notes=encoded.notes, **rest)
