"""Why a page waits: a sentence for as long as it does."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from mha.engine import waiting

KEYS = map("notice_patience_{}".format, itertools.count())  # a run may wait several times, and its parts as well


def _end_if_left() -> None:
    """End this run if the page was left or something else was clicked: Streamlit does so when its state is read."""
    "link" in st.session_state  # noqa: B015


@contextmanager
def explained() -> Iterator[None]:
    """Show why a request inside the block waits, where the page has come to.

    Nothing is drawn until a request waits, so a page that waits for nothing has no further element.
    """
    places: list[Any] = []

    def show(reason: str) -> None:
        if reason and not places:
            places.append(st.empty())
        for place in places:
            if reason:
                with place.container(key=next(KEYS)):
                    st.text(reason)
            else:
                place.empty()

    with waiting.show_waits(show, _end_if_left):
        yield
