"""The link of an address as its page opens by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mha.examples import OPENS_HEADS, OPENS_TWO_READINGS
from mha.link.kinds import Shape
from mha.link.link import Link
from mha.link.pages import corrected
from mha.link.readings import TABS, opens_by_itself
from mha.link.view import DEFAULT_TEXT, fitted
from mha.link.word import Query
from mha.models.files.catalog import model_row
from mha.screens.lessons import stop_opened


def followed(address: str) -> str:
    """Return where an address leads: that of a stop of a lesson where it is the short link to one, else itself."""
    name, _, query = address.partition("?")
    return address if name.rpartition("/")[2] else stop_opened(query) or address


def opened_link(page: str, query: Query, models: Mapping[str, Shape]) -> tuple[Link, tuple[str, ...]]:
    """Return the link that a query makes of a page, and a sentence for each word that cannot be.

    Heads without any parameter opens with a sentence of its own; Two readings, left to itself, with the hungry dog.
    What other pages draw has the model's own heads alone; on Heads a link may name those of its other attention.
    """
    link, complaints = Link.of(page, query, models)
    if not page and not query:
        link = link.with_(text=OPENS_HEADS)
    dropped, _ = corrected(query, page, models)
    query = {name: values for name, values in query.items() if dropped.get(name, values)}
    if page == "readings" and opens_by_itself(query):
        link = link.with_(text=OPENS_TWO_READINGS) if link.view.text == DEFAULT_TEXT else link
        link = link if "tab" in query else link.with_(tab=TABS[0])
    if page:
        row = model_row(link.view.model)
        link = replace(link, view=fitted(link.view, row.n_layers, row.n_heads))
    return link, complaints
