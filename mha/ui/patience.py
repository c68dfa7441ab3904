"""Why a page waits, said on it for as long as it does: for `mha.engine.patience`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha.engine import patience

KEYS = map("notice_patience_{}".format, itertools.count())  # a run may wait several times, and its parts as well


def _look() -> None:
    """End this run where the page was left or something else was clicked: Streamlit does so when its state is read."""
    "link" in st.session_state  # noqa: B015


@contextmanager
def said_in(place: DeltaGenerator) -> Iterator[None]:
    """Say at the end of ``place`` why what is asked for inside the block waits.

    Nothing stands there until somebody waits, so that a page which waits for nothing has no element more for it.
    """
    said: list[DeltaGenerator] = []

    def tell(why: str) -> None:
        if why and not said:
            said.append(place.empty())
        for one in said:
            if why:
                with one.container(key=next(KEYS)):
                    st.text(why)
            else:
                one.empty()

    with patience.told(tell, _look):
        yield
