"""The sections of Watch heads learn, in the order of the page."""

from __future__ import annotations

from functools import partial

import streamlit as st

from mha.engine.bundled import siblings
from mha.export.experiments import curves_table
from mha.figures import training as figures
from mha.screens.training import words
from mha.screens.training.hero import training_spec
from mha.training.curves import Curves
from mha.ui import share
from mha.ui.away import gathered
from mha.ui.components.captions import caption, copy_link
from mha.ui.components.training import training_component
from mha.ui.plot import plot, theme
from mha.ui.training.runs import Pair, status


def sentence(pair: Pair) -> None:
    """Draw the sentence with both runs' arcs and what they come to; it follows a run under way."""
    pair.drawn(_sentence)


def _sentence(pair: Pair) -> None:
    runs, moments = pair.seen()
    if runs:
        spec = training_spec("hero", runs, moments, words.task(runs[0]))
        training_component(spec, "training_hero")
    else:
        caption("The first numbers are on their way.", key="training_waiting", style="sub lead")


def curves(pair: Pair) -> None:
    """Draw both runs' accuracy with the dotted line of the guesser; progress, Stop and Carry on."""
    pair.drawn(_curves)


def _curves(pair: Pair) -> None:
    every = pair.progress()
    status(pair, every)
    for number, (column, progress) in enumerate(zip(st.columns(2, gap="large"), every, strict=True)):
        run = progress.curves
        with column, st.container(key=f"training_run_{number}"):
            title = words.title_of(pair.settings[number])
            gathered.heading(title)
            if run is None:
                caption("Waiting for its turn.", key=f"training_turn_{number}")
                continue
            others = siblings(run.settings) if progress.bundled else ()
            caption(words.accuracy_said(run, len(others)), key=f"training_curve_{number}")
            moment = None if pair.following else run.moment(pair.at)
            figure = figures.accuracy_curves(run, others, theme(), moment)
            plot(figure, figures.describe_accuracy(run, title), f"training_chart_accuracy_{number}")


def looks(pair: Pair) -> None:
    """Draw where the pivot looks while the runs learn."""
    gathered.heading("Where the pivot looks, while they learn")
    caption(words.LOOKS, key="training_looks", style="sub")
    for number, (column, run, moment) in enumerate(zip(st.columns(2, gap="large"), *pair.seen(), strict=False)):
        with column:
            title = words.title_of(run.settings)
            gathered.heading(title, 3)
            figure = figures.look_curves(run, theme(), moment)
            plot(figure, figures.describe_looks(run, title), f"training_chart_looks_{number}")


def maps(pair: Pair) -> None:
    """Draw every head of both runs, word by word."""
    gathered.heading("Every head, word by word")
    caption(words.MAPS, key="training_maps", style="sub")
    training_component(training_spec("maps", *pair.seen()), "training_maps_drawn")


def switched_off(pair: Pair) -> None:
    """Draw what each reading loses when a head is switched off."""
    gathered.heading("Switch a head off")
    for number, (run, moment) in enumerate(zip(*pair.seen(), strict=True)):
        title = words.title_of(run.settings)
        gathered.heading(title, 3)
        caption(words.switched_off(run, moment), key=f"training_off_{number}", style="sub")
        figure = figures.silenced_bars(run, moment, theme())
        plot(figure, figures.describe_silenced(run, title, moment), f"training_chart_off_{number}")


def diversity(pair: Pair) -> None:
    """Draw the three measures of how different the heads are."""
    gathered.heading("Do heads start different, and stay different?")
    runs, _ = pair.seen()
    caption(words.differ(runs), key="training_diversity", style="sub")
    if all(run.settings.n_heads == 1 for run in runs):
        return
    names = [words.title_of(run.settings) for run in runs]
    for column, field in zip(st.columns(3, gap="medium"), figures.DIVERSITY, strict=True):
        with column:
            figure = figures.diversity_curves(runs, names, field, theme())
            plot(figure, figures.describe_diversity(runs, names, field), f"training_chart_{field}")
    caption(words.diversity_lines(runs), key="training_diversity_source")


def conclusions(_pair: Pair) -> None:
    """Say what this shows and what it does not, and where looking and mattering come apart."""
    gathered.heading("What this shows, and what it does not")
    with st.container(key="training_said"):
        for number, claim in enumerate(words.SAID):
            caption(claim, key=f"training_said_{number}", style="body")
    with st.container(horizontal=True, key="training_on"):
        st.page_link("readings.py", label="The same question in a pretrained model: Two readings")
        st.link_button("See two trained heads on Heads", words.heads_link(), type="tertiary")


def foot(pair: Pair) -> None:
    """Offer the curves as a table; say where the numbers come from; offer the link."""
    runs, _ = pair.seen()
    with st.expander("The numbers of these curves"):
        for number, run in enumerate(runs):
            st.text(words.title_of(run.settings))
            columns = words.table(run)
            st.dataframe(columns, key=f"training_table_{number}", hide_index=True)
            gathered.rows(words.title_of(run.settings), f"parallax-curves-{number + 1}", columns)
    _taken_away(runs)
    bundled = [progress.bundled for progress in pair.progress()]
    caption(words.source(pair.settings[0], bundled), key="training_foot", style="wide")
    copy_link("training_copy")


def _taken_away(runs: list[Curves]) -> None:
    """Offer the numbers of each run."""
    address = share.link()
    for number, run in enumerate(runs):
        source = words.provenance(run, address)
        made = partial(curves_table, run, source)
        gathered.table(words.title_of(run.settings), f"parallax-training-{number + 1}", made)
