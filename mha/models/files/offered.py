"""The models that whoever runs the program offers beside its own: `PARALLAX_MODELS`, separated by commas.

An entry is a hub id, ``org/name`` or ``org/name@commit``, taken from the local cache alone (``python -m mha.models``
fetches), or the absolute path of a snapshot's folder. Each is inspected and described without torch. What cannot be
offered is left out, and one line of the log says why: a visitor never names a file or a download.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mha.errors import ModelError, ModelUnavailable
from mha.models.files.hub import divided, kept
from mha.models.files.inspection import check_folder, read_config
from mha.models.files.rows import ModelRow, described
from mha.models.files.weights import check_all_weights

VARIABLE = "PARALLAX_MODELS"
OPENS_WITH = "PARALLAX_OPENS_WITH"  # the model that a bare address opens with, by its name
FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}")

log = logging.getLogger(__name__)


class OfferedModel(NamedTuple):
    """A model on offer, and the folder that it is loaded from."""

    row: ModelRow
    folder: Path


def offers(value: str, beside: Collection[ModelRow] = ()) -> tuple[OfferedModel, ...]:
    """Return what the entries of the variable's value offer ``beside`` other models, whose names are taken.

    What cannot be offered is logged and left out.
    """
    return tuple(_offers(value, {name for row in beside for name in (row.name, row.short)}))


def _offers(value: str, taken: set[str]) -> Iterator[OfferedModel]:
    for entry in filter(None, (part.strip() for part in value.split(","))):
        try:
            row, folder = offer_of(entry)
            if row.name in taken:
                raise ModelUnavailable(f"There is another model named {row.name}.")
        except ModelError as error:
            log.warning("%s: %s is not offered. %s", VARIABLE, entry, error)
            continue
        if row.short in taken:  # two may differ only in who published them
            row = replace(row, short=row.name, title=row.title.replace(row.short, row.name, 1))
        taken |= {row.name, row.short}
        yield OfferedModel(row, folder)


def offer_of(entry: str) -> OfferedModel:
    """Return what one entry offers.

    Raises:
        UnknownModel: it is neither a hub id nor an absolute path.
        ModelUnavailable: it is not kept here, its files are refused, or its config does not say how many heads it has.
    """
    folder, name, short, source, revision = _found(entry)
    check_folder(folder)
    check_all_weights(folder)
    row = described(read_config(folder / "config.json"), name, short, source, revision)
    if not (row.n_layers and row.n_heads and row.d_head):
        raise ModelUnavailable("The model's config.json does not say how many layers and heads it has.")
    return OfferedModel(row, folder)


def _found(entry: str) -> tuple[Path, str, str, str, str]:
    """Return an entry's folder, name, short name, source and revision."""
    path = Path(entry)
    if path.is_absolute():
        if not FOLDER_NAME.fullmatch(path.name):
            raise ModelUnavailable("A folder's name is the model's: letters, digits, '.', '_' and '-' are accepted.")
        return path, path.name, path.name, "a local snapshot", ""
    model_id, commit = divided(entry)
    folder = kept(model_id, commit)
    if folder is None:
        raise ModelUnavailable(f"It is not kept here; fetch it first: python -m mha.models {entry}")
    return folder, model_id, model_id.split("/")[1], model_id, folder.name
