"""A model on a page: its row, the names of its heads, and where its numbers come from."""

from collections.abc import Mapping, Sequence
from typing import Any

from mha.export.provenance import provenance_by
from mha.export.tables import Table
from mha.formats import in_figures, join_list
from mha.maps import HeadId
from mha.models.files.catalog import model_row, offered
from mha.models.files.rows import ModelRow

__all__ = ["PROFILED", "head_names", "is_offered", "model_row", "origin", "parse_heads", "sourced_table"]

PROFILED = ("minilm", "smollm2")  # names of the models whose heads have a page


def is_offered(name: str) -> bool:
    """Return whether a model is on offer here."""
    return any(row.name == name for row in offered())


def head_names(row: ModelRow, stack: str = "Encoder") -> list[str]:
    """Return the names of all heads, layer by layer, or of those of another stack of an encoder–decoder."""
    layers, heads = row.n_layers, row.n_heads
    if stack != "Encoder" and row.decoder_shape is not None:
        layers, heads = row.decoder_shape
    return [f"L{layer}H{head}" for layer in range(layers) for head in range(heads)]


def parse_heads(names: Sequence[str]) -> tuple[HeadId, ...]:
    """Return heads by their names."""
    return tuple(HeadId.parse(name) for name in names)


def origin(row: ModelRow, has_source: bool = True, ablated: Sequence[HeadId] = ()) -> str:
    """Return where the numbers come from, as plain text, for the last line of the page and below pictures.

    Without its source it is what the model is: name, training, size and direction. ``ablated`` heads come first.
    """
    without = f"Ablated: {join_list(list(map(str, ablated)))}." if ablated else ""
    reads = {"next": "It reads left to right.", "mask": "It sees the words on both sides of a gap."}
    size = f"{in_figures(row.n_layers, 'layer')} × {in_figures(row.n_heads, 'head')}"
    source = f"{row.source}." if has_source else ""
    name = f"{row.short}, {row.origin_said}, {size}."
    return " ".join(filter(None, (without, name, reads.get(row.predicts, ""), source)))


def sourced_table(columns: Mapping[str, Any], texts: Sequence[str], row: ModelRow, about: str, link: str = "") -> Table:
    """Return columns with the source of their numbers: texts, model, ``about`` their scale, ``link``."""
    return Table(columns, provenance_by(row, texts, about, link))
