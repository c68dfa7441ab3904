"""The visitor of a page, whether the page is still open, and the jobs that it follows: for `mha.engine.followers`."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from mha.engine.followers import FOLLOWERS
from mha.server.middleware import client
from mha.streamlit_facts import is_open, run

NOBODY = "nobody"  # outside a server, as in a test


def current_visitor() -> str | None:
    """Return the visitor whose page is being drawn in this thread, or None outside of a page."""
    drawing = run()
    return drawing.visitor if drawing else None


def name() -> str:
    """Return the visitor whose page is being drawn in this thread, or `NOBODY`."""
    return current_visitor() or NOBODY


def address() -> str:
    """Return the address of the visitor whose page is being drawn, as the middleware and the API know it."""
    forwarded = ", ".join(st.context.headers.get_all("x-forwarded-for")).encode("latin-1", "ignore")
    peer = st.context.ip_address or "127.0.0.1"  # Streamlit returns None if the visitor is on this machine
    return client({"client": (peer,), "headers": [(b"x-forwarded-for", forwarded)]})


def serve() -> None:
    """Let the engine distinguish visitors from now on."""
    FOLLOWERS.serve(current_visitor, is_open, address)


@contextmanager
def turn() -> Iterator[None]:
    """Let go of the long work that this drawing of the whole page does not follow."""
    with FOLLOWERS.turn(name()):
        yield
