"""The one error boundary around every page, and around the callbacks of its components and jobs.

A callback runs before the page's script: its error would end the run with nothing drawn. So `guard` keeps a sentence
about the error, and the page is drawn from the present state. Pages also name damaged files of the program that they
do not need.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.errors import StreamlitDuplicateElementKey

from mha import assets
from mha.errors import MHAError
from mha.streamlit_facts import run

log = logging.getLogger(__name__)
APOLOGY = "Something went wrong on our side and was logged. Your link still holds your sentence and choices."
KEPT = "boundary_kept"  # sentences of failed callbacks that are not shown yet


@contextmanager
def error_boundary() -> Iterator[None]:
    """Turn an error written for the reader into a sentence on the page, and any other into a plain apology.

    Anything but an MHAError is a bug: it is logged with its traceback, which no visitor sees. Reruns and stops pass:
    they are not of the class `Exception`.
    """
    try:
        yield
    except Exception as error:
        say(sentence_of(error, "a page failed"))


def sentence_of(error: Exception, context: str) -> str:
    """Return the sentence that shows an error; a bug is logged with ``context`` and its traceback."""
    if isinstance(error, MHAError):
        return str(error)
    log.error(context, exc_info=error)
    return APOLOGY


def say(sentence: str) -> None:
    """Show one plain sentence, once a run; it may repeat the reader's words, so it goes through an inert element."""
    try:
        place = st.container(key=f"notice_{abs(hash(sentence))}", border=False)
    except StreamlitDuplicateElementKey:  # a text that is recorded twice has the same note twice
        return
    place.text(sentence)


def guard(call: Callable[..., None]) -> Callable[..., None]:
    """Return a callback that runs inside the boundary: its error becomes a sentence of the next run."""

    def callback(*arguments: object) -> None:
        try:
            call(*arguments)
        except Exception as error:  # without reruns and stops
            sentence = sentence_of(error, "a callback failed")
            st.session_state[KEPT] = tuple(dict.fromkeys((*st.session_state.get(KEPT, ()), sentence)))
            under_way = run()
            if under_way is not None and under_way.of_a_part:
                st.rerun()  # a part that is drawn again alone has no place for it

    return callback


def say_kept() -> None:
    """Show the errors of callbacks before this run, and which files of the program could not be read, each once a run.

    The program does not need these files.
    """
    for sentence in st.session_state.pop(KEPT, ()):
        say(sentence)
    for name in tuple(assets.damaged):  # other threads read files, too
        say(f"{name} is missing or damaged. Parallax goes on without it. {assets.AGAIN}")


def last_resort(error: Exception) -> bool:
    """Show an error that reached Streamlit, and return True: Streamlit shows no box of its own.

    Streamlit has logged the error.
    """
    say(str(error) if isinstance(error, MHAError) else APOLOGY)
    return True
