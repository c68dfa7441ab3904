"""Copies of a loaded model with the same architecture and embeddings, but without its learned combination of words.

The *scrambled* copy is the control of heads: every weight matrix keeps its numbers, in another order.
"""

import copy
import dataclasses
from typing import Any

import torch
from torch import nn

from mha.errors import InputError
from mha.models.files.loading import LoadedModel
from mha.models.watch.attention import let_go


def scramble(model: Any, seed: int) -> Any:
    """Return a copy in which the entries of every weight matrix are permuted, except in embeddings.

    Vectors (biases, layer norms) stay as they are; embeddings and tied matrices are shared with the model.
    """
    shared = _embeddings(model)
    duplicate = copy.deepcopy(model, {id(parameter): parameter for parameter in shared})
    let_go(duplicate)  # the model itself may just be asked for its attention by another thread
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in duplicate.parameters():
            if parameter.ndim < 2 or any(parameter is shared_parameter for shared_parameter in shared):
                continue
            order = torch.randperm(parameter.numel(), generator=generator)
            parameter.copy_(parameter.flatten()[order.to(parameter.device)].view_as(parameter))
    return duplicate


def scrambled_copy(loaded: LoadedModel, kind: str, seed: int) -> LoadedModel:
    """Return a scrambled copy of a loaded model, with its tokenizer; equal seeds make equal copies.

    Raises:
        InputError: the kind is unknown, or the seed is not a whole number from 0 on.
    """
    if kind != "scrambled":
        raise InputError(f"A copy is scrambled; not {kind!r}.")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise InputError(f"A seed is a whole number from 0 on; not {seed!r}.")
    origin = f"{kind} twin"
    row = dataclasses.replace(
        loaded.row,
        title=f"{loaded.row.short} · {origin}",
        origin=origin,
        revision=f"{loaded.row.revision}, {origin}, seed {seed}",
    )
    return dataclasses.replace(loaded, row=row, model=scramble(loaded.model, seed))


def _embeddings(model: Any) -> list[nn.Parameter]:
    tables = [module for module in model.modules() if isinstance(module, nn.Embedding)]
    return [parameter for table in tables for parameter in table.parameters(recurse=False)]
