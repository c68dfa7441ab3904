"""The two runs that the page follows: begun, watched, stopped, carried on, trained again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from mha.engine import trainings as engine
from mha.engine.trainings import Progress
from mha.link.training import SIDES, WHOLE, Choices
from mha.screens.training import words
from mha.training.curves import Curves
from mha.training.settings import Settings
from mha.ui import boundary, visitors
from mha.ui.jobs import follow

PACE = 0.7  # seconds between looks at a run under way


@dataclass(frozen=True)
class Pair:
    """The two runs on the page: their settings, who watches, and where the slider stands (a share of the training).

    ``live`` are settings whose bundled run is not wanted; ``following`` says that a run was under way when the page
    began to be drawn: its parts look again until none is.
    """

    settings: tuple[Settings, ...]
    visitor: str
    at: float
    live: frozenset[Settings]
    following: bool = False

    def progress(self) -> list[Progress]:
        """Return how far each run is, now."""
        return [engine.progress(settings, settings in self.live) for settings in self.settings]

    def under_way(self) -> bool:
        """Return whether a run is under way, now."""
        return any(progress.phase == "training" for progress in self.progress())

    def drawn(self, part: Callable[[Pair], None]) -> None:
        """Draw a part of the page, again and again while a run is under way."""
        follow(self.under_way, lambda: part(self), PACE, self.following)

    def seen(self) -> tuple[list[Curves], list[int]]:
        """Return the curves there are, and the moment of each that the slider stands at."""
        runs = [progress.curves for progress in self.progress() if progress.curves is not None]
        return runs, [curves.moment(self.at) for curves in runs]


def chosen_pair(chosen: Choices) -> Pair:
    """Return the pair that was chosen, watched."""
    return watch([_settings(chosen, side) for side in SIDES], chosen.at / WHOLE)


def watch(both: Sequence[Settings], at: float = 1) -> Pair:
    """Return a pair of runs; begin what has to be trained, and let go of what is no longer looked at."""
    state, settings = st.session_state, tuple(both)
    visitor = visitors.here() or visitors.NOBODY
    pair = Pair(settings, visitor, at, frozenset(state.get(Choices.PREFIX + "live", ())))
    for old in set(state.get(Choices.PREFIX + "watched", ())) - set(settings):
        engine.stop(old, visitor)
    state[Choices.PREFIX + "watched"] = settings
    for each, progress in zip(settings, pair.progress(), strict=True):
        if progress.phase in ("none", "left"):
            engine.start(each, visitor)
        else:
            engine.follow(each, visitor)
    return replace(pair, following=pair.under_way())


def status(pair: Pair, every: Sequence[Progress]) -> None:
    """Say how far the runs are; offer Stop while one is under way, Carry on once it was stopped."""
    for settings, progress in zip(pair.settings, every, strict=True):
        step = int(progress.curves.step[-1]) if progress.curves is not None else 0
        if progress.phase == "training":
            st.progress(step / settings.n_steps, text=words.training(settings, step))
        elif progress.phase == "stopped":
            boundary.say(words.stopped(settings, step))
        elif progress.phase == "failed":
            boundary.say(f"{words.title_of(settings)}: {progress.message}")
    phases = {progress.phase for progress in every}
    if "training" in phases:
        st.button("Stop", key="training_stop", on_click=_stop, args=(pair,))
    elif "stopped" in phases:
        st.button("Carry on", key="training_carry_on", on_click=_carry_on, args=(pair,))


def train_live(pair: Pair, first: str = "Train live") -> None:
    """Draw the button that trains both runs again, here and now, before the reader's eyes."""
    label = first if all(progress.bundled for progress in pair.progress()) else "Train again"
    st.button(label, key="training_live_button", on_click=_live, args=(pair,), disabled=pair.following)


def _settings(chosen: Choices, side: str) -> Settings:
    settings, instead = chosen.fitting(side)
    if instead:
        boundary.say(instead)
    return settings


def _live(pair: Pair) -> None:
    st.session_state[Choices.PREFIX + "live"] = pair.live | set(pair.settings)
    for settings in pair.settings:
        engine.start(settings, pair.visitor, anew=True)


def _stop(pair: Pair) -> None:
    for settings in pair.settings:
        engine.stop(settings, pair.visitor)


def _carry_on(pair: Pair) -> None:
    for settings, progress in zip(pair.settings, pair.progress(), strict=True):
        if progress.phase == "stopped":
            engine.start(settings, pair.visitor)
