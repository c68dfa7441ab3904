"""The page that an address leads to."""

from __future__ import annotations

from mha.lesson import stop_opened


def followed(address: str) -> str:
    """Return where an address leads: that of a stop of a lesson where it is the short link to one, else itself."""
    name, _, query = address.partition("?")
    return address if name.rpartition("/")[2] else stop_opened(query) or address
