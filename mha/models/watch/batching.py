"""Several texts in one forward pass of an encoder, the shorter ones filled up: each comes out as if it ran alone."""

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
from mha.models.watch.attending import attend, open_model, record_text
from mha.models.watch.attention import NAME
from mha.models.watch.recording import hidden_states, run_pass
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
    maps_by_index: dict[int, AttentionMaps] = {}
    for place, item in _with_progress(_many(accepted, open_model(model)), len(accepted), progress):
        if isinstance(item, MHAError):
            raise type(item)(f"Text {place}: {item}") from item
        maps_by_index[place] = item
    return [maps_by_index[place] for place in range(len(accepted))]


def _many(texts: Sequence[str], model: str | LoadedModel) -> Iterator[tuple[int, AttentionMaps | MHAError]]:
    loaded = transformer_of(model)
    if loaded is None:
        yield from ((place, attend(text, model)) for place, text in enumerate(texts))
        return
    for place, item in record_many(texts, loaded):
        yield place, item if isinstance(item, MHAError) else item.maps


def _with_progress(results: Iterator[Any], total: int, progress: bool) -> Iterator[Any]:
    if not progress:
        return results
    from tqdm.auto import tqdm

    return iter(tqdm(results, total=total, unit=" texts"))


def record_many(texts: Sequence[str], loaded: LoadedModel) -> Iterator[tuple[int, Recording | MHAError]]:
    """Yield the index and the recording of each accepted text; texts of similar length share one forward pass.

    Which texts go together depends on the texts alone, so that the numbers do, too.
    """
    if texts and not anatomy(loaded.model).checked:  # the first text of a model runs alone; it is not in this batch
        record_text(Accepted("Good morning"), loaded)
    order = iter(sorted(range(len(texts)), key=lambda place: (len(texts[place]), place)))
    while group := list(islice(order, TOGETHER)):
        with one_thread():
            batch = record_together([texts[place] for place in group], loaded)
        yield from zip(group, batch, strict=True)


def record_together(texts: Sequence[str], loaded: LoadedModel, keep: Sequence[str] = ()) -> list[Recording | MHAError]:
    """Return each text's recording or error; texts share one forward pass if that is exact.

    Weights to padding are exactly 0 and are cut away. Models whose positions may depend on padding, and models not yet
    compared with their eager attention, record one text after the other.
    """
    read = [_result_or_error(encode, loaded.tokenizer, text, None, loaded.max_tokens) for text in texts]
    good = [(text, encoding) for text, encoding in zip(texts, read, strict=True) if not isinstance(encoding, MHAError)]
    if len(good) < 2 or not _exact(loaded):
        single = (_result_or_error(record_text, Accepted(text), loaded, keep=keep) for text, _ in good)
        return [encoding if isinstance(encoding, MHAError) else next(single) for encoding in read]
    batch = iter(_record_batch(good, loaded, keep))
    return [encoding if isinstance(encoding, MHAError) else next(batch) for encoding in read]


def _result_or_error(make: Callable[..., Made], *given: Any, **more: Any) -> Made | MHAError:
    """Return the result of a call, or its error."""
    try:
        return make(*given, **more)
    except MHAError as error:
        return error


def _exact(loaded: LoadedModel) -> bool:
    """Return whether filling up on the right changes nothing: learned absolute positions, counted from the left."""
    model_anatomy = anatomy(loaded.model)
    by_place = loaded.model.config.model_type == "bert" and set(model_anatomy.n_layers) == {"self"}
    return model_anatomy.checked and model_anatomy.way == NAME and by_place


def _record_batch(read: list[tuple[str, Encoded]], loaded: LoadedModel, keep: Sequence[str]) -> list[Recording]:
    encoded = [encoding for _, encoding in read]
    n_tokens = len(encoded) * max(len(encoding.tokens) for encoding in encoded)
    with one_thread() if n_tokens <= ALONE_UP_TO else every_thread():
        call, outputs = run_pass(loaded.model, _padded_inputs(encoded, loaded), keep, batched=True)
    tensors = {
        tensor_name: call.stacked("self", tensor_name).numpy()
        for tensor_name in ("weights", *keep)
        if tensor_name != "hidden"
    }
    hidden = hidden_states(outputs) if "hidden" in keep else None
    if hidden is not None:
        tensors["hidden"] = hidden
    return [
        _cut({tensor_name: array[:, place] for tensor_name, array in tensors.items()}, text, encoding, loaded)
        for place, (text, encoding) in enumerate(read)
    ]


def _padded_inputs(encoded: Sequence[Encoded], loaded: LoadedModel) -> dict[str, torch.Tensor]:
    """Return the inputs of all texts, [text, token], padded on the right under the attention mask."""
    longest = max(len(encoding.tokens) for encoding in encoded)
    fill = {"input_ids": loaded.tokenizer.pad_token_id or 0}
    inputs: dict[str, Any] = {}
    for name in encoded[0].inputs:
        rows = [list(encoding.inputs[name][0]) for encoding in encoded]
        inputs[name] = torch.tensor([row + [fill.get(name, 0)] * (longest - len(row)) for row in rows])
    attention_masks = [[1] * len(encoding.tokens) + [0] * (longest - len(encoding.tokens)) for encoding in encoded]
    return {**inputs, "attention_mask": torch.tensor(attention_masks)}


def _cut(tensors: dict[str, np.ndarray], text: str, encoded: Encoded, loaded: LoadedModel) -> Recording:
    """Return one text's recording, copied out of the batch, so that nothing keeps the batch in memory."""
    n = len(encoded.tokens)
    weights = tensors.pop("weights")[:, :, :n, :n].copy()  # [layer, head, query, key]
    maps = AttentionMaps(
        weights=weights,
        tokens=encoded.tokens,
        text=text,
        causal=False,
        half_precision=loaded.model.dtype in (torch.float16, torch.bfloat16),
        **loaded.row.named,
    )
    fields: dict[str, Any] = {tensor_name: array[..., :n, :].copy() for tensor_name, array in tensors.items()}
    return Recording(maps=maps, stacks={"self": weights}, notes=encoded.notes, **fields)
