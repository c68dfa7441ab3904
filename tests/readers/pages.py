"""A page as a value, read from its link without Streamlit, for tests."""

from collections.abc import Mapping
from dataclasses import fields, replace
from urllib.parse import parse_qs

from mha.engine.question import here
from mha.link.kinds import Shape
from mha.link.link import Link
from mha.link.pages import corrected
from mha.link.view import fitted
from mha.link.word import Query
from mha.models.files.catalog import model_row
from mha.readers.settled import ReadPage, settled
from mha.screens import inputs, places
from mha.screens.blocks import Drawing, as_data
from mha.screens.pages import blocks_of
from mha.ui.bound import models
from tests.interfaces import BY_PYTHON


def read_link(address: str, ask=here) -> ReadPage:
    """Return the page of a link such as ``readings?text=…``."""
    page, _, query = address.partition("?")
    link, _ = opened_link(page, parse_qs(query, keep_blank_values=True), models())
    return ReadPage(link, settled(blocks_of(link, ask)))


# Fields with acts of clicks or with the inputs of pictures, and blocks that only set state.
NOT_SENT = {
    "acts",
    "on",
    "then",
    "of",
    "maps",
    "source",
    "question",
    "seeded",
    "given",
}  # clicks, and inputs of pictures

SKIPPED = inputs.Put | inputs.Remember | places.Wait


def sent_data(blocks):
    """Return the data that a browser receives of blocks, as JSON has it: texts, numbers and headers of drawings."""
    return _sent_value(list(blocks))


def _sent_block(block):
    if type(block).__module__ not in BY_PYTHON:
        return as_data(block)
    sent = {part.name: _sent_value(getattr(block, part.name)) for part in fields(block) if part.name not in NOT_SENT}
    return {"kind": getattr(block, "kind", "")} | sent


def _sent_value(value):
    if isinstance(value, Drawing):
        return value.header
    if isinstance(value, Mapping):
        return {str(name): _sent_value(entry) for name, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_sent_value(entry) for entry in value if not isinstance(entry, SKIPPED)]
    return _sent_block(value) if type(value).__module__ in BY_PYTHON else as_data(value)


def opened_link(page: str, query: Query, models: Mapping[str, Shape]) -> tuple[Link, tuple[str, ...]]:
    """Return the link that a query makes of a page, and a sentence for each word that cannot be.

    What other pages draw has the model's own heads alone; on Heads a link may name those of its other attention.
    """
    link, complaints = Link.of(page, query, models)
    dropped, _ = corrected(query, page, models)
    query = {name: values for name, values in query.items() if dropped.get(name, values)}
    if page:
        row = model_row(link.view.model)
        link = replace(link, view=fitted(link.view, row.n_layers, row.n_heads))
    return link, complaints
