"""One cell of any model: of a transformer, opened as it runs; of the toys, whose numbers are all there."""

from __future__ import annotations

import numpy as np

from mha.core import MultiHead
from mha.core import cell as by_hand
from mha.maps import HeadId, Recording
from mha.models import toy
from mha.models.files.catalog import DEFAULT, model_row
from mha.models.files.hub import is_hub_id
from mha.models.files.loading import LoadedModel, load
from mha.models.watch.attending import record_text
from mha.models.watch.cell import Cell, check_place, check_sums, put_together
from mha.words import accept


def cell(
    text: str,
    head: tuple[int, int] | str,
    query: int | str,
    key: int | str,
    model: str | LoadedModel = DEFAULT,
    pair: str | None = None,
    target: str | None = None,
    stack: str = "",
) -> Cell:
    """Return every number of one cell; ``query`` and ``key`` are places on the token axes, from 0.

    A token that stands there once may be given by its text instead of its place.

    ``stack`` is "self", or "encoder" (if not said), "decoder" or "cross"; ``target`` as for `mha.attend`.

    Raises:
        InputError: no such head, token or stack, or there is no word in the text.
        AttentionUnavailable: the heads cannot be reached, or the steps do not give the recorded weights.
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    wanted = HeadId.of(head)
    accepted = accept(text)
    if isinstance(model, str):
        if not is_hub_id(model) and model_row(model).kind != "transformer":
            recording = record_text(accepted, model, pair)
            row, column = check_place(recording, wanted, query, key, "self")
            layer = toy.heads() if model_row(model).kind == "toy" else toy.trained_toy().heads
            return _of_numbers(recording, layer, wanted, row, column)
        model = load(model)
    other = None if pair is None else accept(pair).text
    aim = None if target is None else accept(target).text
    from mha.models.watch.opening import opened  # this brings torch

    return opened(model, accepted.text, other, aim, wanted, query, key, stack)


def _of_numbers(recording: Recording, layer: MultiHead, head: HeadId, query: int, key: int) -> Cell:
    """Return a cell of one of the toys, whose numbers are all there."""
    assert recording.query is not None
    assert recording.key is not None
    assert recording.value is not None
    arrays = (recording.query, recording.key, recording.value)
    queries, keys, values = (part[head.layer].astype(np.float64) for part in arrays)  # [head, token, d_head]
    found = by_hand(queries[head.head], keys[head.head], (query, key))
    check_sums(recording.maps.model, found.weights, recording.maps.weights[head.layer, head.head, query])
    return put_together(
        found,
        values[head.head],
        values[head.head] @ layer.of_head("w_output", head.head),  # [key, d_model]
        key,
        head=head,
        stack="self",
        query=query,
        tokens=recording.maps.tokens,
        key_tokens=recording.maps.key_tokens,
        findings=np.einsum("hk,hkd->hd", recording.maps.weights[head.layer, :, query].astype(np.float64), values),
        incoming=None if recording.hidden is None else recording.hidden[head.layer].astype(np.float64),
        group=(head.head,),
    )
