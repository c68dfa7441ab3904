"""The one error boundary around every page."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import streamlit as st
from streamlit.errors import StreamlitDuplicateElementKey
from streamlit.runtime.scriptrunner import RerunException, StopException

from mha.errors import MHAError

log = logging.getLogger(__name__)
APOLOGY = "Something went wrong on our side; it has been logged. Your sentence and your choices are still in the link."


class Done(Exception):
    """The page is drawn as far as it goes; what stands around every page still follows. Not an error."""


def done() -> NoReturn:
    """End a page here, whole as it is; `st.stop` ends what stands around it too."""
    raise Done


@contextmanager
def shown() -> Iterator[None]:
    """Turn an error written for the reader into a sentence on the page, and any other into a plain apology.

    Anything but an MHAError is a bug: it is logged with its traceback, which no visitor sees. Reruns and stops pass.
    """
    try:
        yield
    except (RerunException, StopException):
        raise
    except MHAError as error:
        say(str(error))
    except Exception:
        log.exception("a page failed")
        say(APOLOGY)


def say(sentence: str) -> None:
    """Show one plain sentence, once a run; it may repeat the reader's words, so it goes through an inert element."""
    try:
        place = st.container(key=f"notice_{abs(hash(sentence))}", border=False)
    except StreamlitDuplicateElementKey:  # a text that is recorded twice has the same note twice
        return
    place.text(sentence)
