"""One head against two, trained while the reader waits; the first run of a process is kept, for it is always the same.

torch is imported when the button is pressed, not before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha.figures.questions import learning_curves
from mha.formats import percent
from mha.ui.components.captions import caption
from mha.ui.plot import plot

HEADS = (1, 2)
SEED = 0
STEPS = 1200
EVERY = 40  # steps between two points of a curve
ASKED = "questions_training"  # that the next run of the page trains
NAMES = {1: "one head", 2: "two heads"}


@dataclass(frozen=True)
class Learned:
    """One finished run: the curve of unseen sentences with both nouns right, and the same for training pairs."""

    steps: tuple[int, ...]
    joint: tuple[float, ...]
    seen: float
    guess: float


_learned: dict[int, Learned] = {}


def learn(n_heads: int, progress: Callable[[float], None], n_steps: int = STEPS) -> Learned:
    """Train a tiny transformer with so many heads of one total size; ``progress`` is told the share that is done."""
    from mha.training import Settings, train

    settings = Settings(n_heads=n_heads, seed=SEED, n_steps=n_steps)
    snapshots = []
    for snapshot in train(settings, every=EVERY):
        snapshots.append(snapshot)
        progress(snapshot.step / n_steps)
    steps, joint = (tuple(getattr(each, name) for each in snapshots) for name in ("step", "joint"))
    return Learned(steps, joint, snapshots[-1].joint_seen, settings.guess)


def draw(theme: str) -> int | None:
    """Draw the button, the progress and then the curves; return the option that came true, None before that."""
    if not all(n_heads in _learned for n_heads in HEADS) and not _train():
        return None
    one, two = (_learned[n_heads] for n_heads in HEADS)
    caption(
        f"With one head, both nouns are right in {percent(one.joint[-1])} of the sentences with unseen pairs "
        f"({percent(one.seen)} with training pairs); with two heads, in {percent(two.joint[-1])}.",
        key="q_found",
        style="found",
    )
    curves = {NAMES[n_heads]: (_learned[n_heads].steps, _learned[n_heads].joint) for n_heads in HEADS}
    figure = learning_curves(curves, one.guess, one.steps[-1], theme)
    plot(figure, f"After {one.steps[-1]} steps: one head {percent(one.joint[-1])}, two {percent(two.joint[-1])}.")
    caption(
        f"[[Trained here|trained here]] just now: one layer, 32 numbers a word, seed {SEED}, {one.steps[-1]:,} steps. "
        "Another seed ends elsewhere; the page on learning has them all.",
        key="q_note",
    )
    return 0 if one.joint[-1] < 0.2 else 1 if one.joint[-1] < 0.8 else 2


def _train() -> bool:
    """Train both once the button was pressed; return whether both are there."""
    slot = st.empty()
    if not st.session_state.pop(ASKED, False):
        with slot.container():
            st.button("Train both now", on_click=_ask, key="q_train")
            caption(f"Two tiny models, {STEPS:,} steps each: some seconds on one core.", key="q_wait")
        return False
    with slot.container():
        st.button("Stop", key="q_stop")  # any click ends this run of the page, and the training with it
        bar = st.progress(0.0)
    for place, n_heads in enumerate(HEADS):
        if n_heads not in _learned:
            said = f"{NAMES[n_heads].capitalize()} …"
            _learned[n_heads] = learn(n_heads, partial(_told, bar, place, said))
    slot.empty()
    return True


def _told(bar: DeltaGenerator, place: int, said: str, share: float) -> None:
    bar.progress((place + share) / len(HEADS), text=said)


def _ask() -> None:
    st.session_state[ASKED] = True
