"""Runs that learn beside each other on a page that is a value: how far they are, and what they have shown so far."""

from __future__ import annotations

from collections.abc import Callable

from mha.screens.blocks import Block, caption
from mha.screens.places import Blocks, Learning
from mha.screens.questions import answers
from mha.screens.questions.parts import blocks_of
from mha.ui.training import runs
from mha.ui.training.runs import Pair


def learning(block: Learning, draw: Callable[[Blocks], None]) -> None:
    """Draw the runs, which come with the app, and the button that trains them here and now."""

    def drawn(pair: Pair) -> None:
        progress = pair.progress()
        runs.status(pair, progress)
        found = answers.one_head(pair.seen()[0], here=not all(one.bundled for one in progress))
        draw(blocks_of(found, "Questions: one head"))

    pair = runs.watch(block.settings)
    pair.drawn(drawn)
    runs.train_live(pair, block.button)
    said: list[Block] = [caption(block.said)]
    draw(said)
