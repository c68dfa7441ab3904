"""What a visit follows of training: runs begun, watched, stopped, carried on, trained again."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from mha.engine import trainings as engine
from mha.engine.trainings import Progress
from mha.link.training import TrainingWords
from mha.training.settings import Settings
from mha.ui import visitors

LIVE = TrainingWords.PREFIX + "live"  # settings whose bundled run is not wanted
WATCHED = TrainingWords.PREFIX + "watched"


def watch(both: Collection[Settings]) -> list[Progress]:
    """Return how far runs are; begin what has to be trained, and let go of what is no longer looked at."""
    state, settings = st.session_state, tuple(both)
    for old in set(state.get(WATCHED, ())) - set(settings):
        engine.stop(old, visitors.name())
    state[WATCHED] = settings
    every = far(settings)
    for each, progress in zip(settings, every, strict=True):
        if progress.phase in ("none", "left"):
            engine.start(each, visitors.name())
        else:
            engine.follow(each, visitors.name())
    return far(settings)


def far(settings: Collection[Settings]) -> list[Progress]:
    """Return how far each run is, now."""
    live = st.session_state.get(LIVE, ())
    return [engine.progress(each, each in live) for each in settings]


def under_way(settings: Collection[Settings]) -> bool:
    """Return whether a run is under way, now."""
    return any(progress.phase == "training" for progress in far(settings))


def live(settings: Collection[Settings]) -> None:
    """Train runs again, here and now, before the reader's eyes."""
    st.session_state[LIVE] = frozenset(st.session_state.get(LIVE, ())) | set(settings)
    for each in settings:
        engine.start(each, visitors.name(), anew=True)


def stop(settings: Collection[Settings]) -> None:
    """Stop runs where they are."""
    for each in settings:
        engine.stop(each, visitors.name())


def carry_on(settings: Collection[Settings]) -> None:
    """Go on with the runs that were stopped."""
    for each, progress in zip(settings, far(settings), strict=True):
        if progress.phase == "stopped":
            engine.start(each, visitors.name())
