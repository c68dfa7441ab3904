"""The sections of Watch heads learn, in the order of the page."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import streamlit as st

from mha.engine.bundled import siblings
from mha.figures import training as figures
from mha.formats import accuracy
from mha.models.files.catalog import model_row
from mha.screens.training import words as training_words
from mha.screens.training.hero import training_spec
from mha.ui.components.captions import caption, copy_link
from mha.ui.components.training import training_component
from mha.ui.training.runs import PACE, Pair, status

QUESTIONS: dict[int, list[tuple[str, str]]] = {  # by the number of readings
    2: [("plain", ", must tell two things at once: "), ("a", "A, the first noun"), ("plain", ", and "),
        ("b", "B, the second"), ("plain", ".")],
    3: [("plain", ", must tell three things at once: "), ("a", "A, the first noun"), ("plain", ", "),
        ("b", "B, the second"), ("plain", ", and C, the third.")],
}  # fmt: skip
CONFIG = {"displayModeBar": False}


def sentence(pair: Pair) -> None:
    """Draw the sentence with both runs' arcs and what they come to; it follows a run under way."""
    st.fragment(_sentence, run_every=PACE if pair.following else None)(pair)


def curves(pair: Pair) -> None:
    """Draw both runs' accuracy with the dotted line of the guesser; progress, Stop and Carry on."""
    st.fragment(_curves, run_every=PACE if pair.following else None)(pair)


def looks(pair: Pair) -> None:
    """Draw where the pivot looks while the runs learn."""
    st.header("Where the pivot looks, while they learn", anchor=False)
    caption(
        "The share of [[attention]] that goes from the [[pivot]] to each noun, mean over sentences with unseen pairs.",
        key="training_looks",
        style="sub",
    )
    runs, moments = pair.seen()
    for number, (column, run, moment) in enumerate(zip(st.columns(2, gap="large"), runs, moments, strict=False)):
        with column:
            title = training_words.title_of(run.settings)
            st.subheader(title, anchor=False)
            _chart(figures.look_curves(run, _theme(), moment), f"looks_{number}", figures.describe_looks(run, title))


def maps(pair: Pair) -> None:
    """Draw every head of both runs, word by word."""
    st.header("Every head, word by word", anchor=False)
    caption(
        "Rows look at columns; one [[scale]], 0 to 100 %. The framed row is the [[pivot]]. "
        "*Play the training*, under the sentence, moves these maps too.".replace("*", ""),
        key="training_maps",
        style="sub",
    )
    runs, moments = pair.seen()
    training_component(training_spec("maps", runs, moments), "training_maps_drawn")


def switched_off(pair: Pair) -> None:
    """Draw what each reading loses when a head is switched off."""
    st.header("Switch a head off", anchor=False)
    runs, moments = pair.seen()
    for number, (run, moment) in enumerate(zip(runs, moments, strict=True)):
        title = training_words.title_of(run.settings)
        st.subheader(title, anchor=False)
        caption([("plain", training_words.switched_off(run, moment))], key=f"training_off_{number}", style="sub")
        figure = figures.silenced_bars(run, moment, _theme())
        _chart(figure, f"off_{number}", figures.describe_silenced(run, title, moment))


def diversity(pair: Pair) -> None:
    """Draw the three measures of how different the heads are."""
    st.header("Do heads start different, and stay different?", anchor=False)
    runs, _ = pair.seen()
    names = [training_words.title_of(run.settings) for run in runs]
    said = [f"{name}: {training_words.diversity(run)[0].lower()}{training_words.diversity(run)[1:]}"
            for name, run in zip(names, runs, strict=True)]  # fmt: skip
    caption([("plain", " ".join(said))], key="training_diversity", style="sub")
    if all(run.settings.n_heads == 1 for run in runs):
        return
    for column, field in zip(st.columns(3, gap="medium"), figures.DIVERSITY, strict=True):
        with column:
            figure = figures.diversity_curves(runs, names, field, _theme())
            _chart(figure, field, figures.describe_diversity(runs, names, field))
    lines = [name for name, run in zip(names, runs, strict=True) if run.settings.n_heads > 1]
    drawn = f"Solid: {lines[0]}; dashed: {lines[1]}" if len(lines) == 2 else f"The line: {lines[0]}"
    caption(
        [("plain", f"{drawn}. ")],
        "Means over pairs of heads, at the pivots of unseen sentences. The disagreements are those of Li et al. 2018; "
        "“kept apart” adds one of them to what is learned, λ times. More diverse is not more able: compare accuracy.",
        key="training_diversity_source",
    )


def conclusions() -> None:
    """Say what this shows and what it does not, and where looking and mattering come apart."""
    st.header("What this shows, and what it does not", anchor=False)
    with st.container(key="training_said"):
        caption([("plain", f"May be said: {training_words.MAY_BE_SAID}")], key="training_may", style="body")
        for number, claim in enumerate(training_words.MAY_NOT_BE_SAID):
            caption([("plain", f"May not be said: {claim}")], key=f"training_may_not_{number}", style="body")
    with st.container(horizontal=True, key="training_on"):
        st.page_link("readings.py", label="The same question in a pretrained model: Two readings")
        link = urlencode({"model": "trained", "text": model_row("trained").example, "lock": -1})
        st.link_button("See two trained heads on Heads", f"./?{link}", type="tertiary")


def numbers(pair: Pair) -> None:
    """Offer the curves as a table."""
    runs, _ = pair.seen()
    with st.expander("The numbers of these curves"):
        for number, run in enumerate(runs):
            st.text(training_words.title_of(run.settings))
            table = {"step": run.step, "unseen pairs": run.joint.round(4), "training pairs": run.joint_seen.round(4)}
            for head in range(run.looks.shape[1]):
                for noun in range(run.looks.shape[2]):
                    letter = figures.LETTERS[noun]
                    table[f"head {head} to noun {letter}"] = run.looks[:, head, noun].round(3)
                    table[f"{letter} right without head {head}"] = run.silenced[:, head, noun].round(3)
            for field, (title, _, _) in figures.DIVERSITY.items():
                table[title.lower()] = getattr(run, field).round(3)
            st.dataframe(table, key=f"training_table_{number}", hide_index=True)


def foot(pair: Pair) -> None:
    """Say where the numbers come from; offer the link."""
    first = pair.settings[0]
    ready_made = [progress.bundled for progress in pair.progress()]
    made = (
        "These runs came with the app, made beforehand by the same code; Train live repeats them here"
        if all(ready_made)
        else "One of these runs came with the app; the other was trained here, now"
        if any(ready_made)
        else "Trained here, now, in this process"
    )
    caption(
        f"[[Trained here|trained here]]: {made}. Width {first.d_model}, 40 nouns, {first.n_steps:,} steps of "
        f"{first.batch} sentences, Adam, seed {first.seed}. Accuracy is measured on 800 sentences whose pair of nouns "
        "is of the quarter that training never shows. The same link gives the same curves.",
        key="training_foot",
        style="wide",
    )
    copy_link("training_copy")


def _sentence(pair: Pair) -> None:
    runs, moments = pair.seen()
    if not runs:
        caption("The first numbers are on their way.", key="training_waiting", style="sub")
        return
    first = runs[0]
    task = [("plain", "One word, here "), ("word", first.words[first.pivot]), *QUESTIONS[first.settings.n_readings]]
    task.append(("plain", " New sentences have pairs of nouns that training never shows together."))
    spec = training_spec("hero", runs, moments, training_words.finding(runs, moments), task)
    training_component(spec, "training_hero")


def _curves(pair: Pair) -> None:
    every = pair.progress()
    under_way = any(progress.phase == "training" for progress in every)
    if pair.following and not under_way:
        st.rerun()
    status(pair, every)
    for number, (column, progress) in enumerate(zip(st.columns(2, gap="large"), every, strict=True)):
        run = progress.curves
        with column:
            title = training_words.title_of(pair.settings[number])
            st.subheader(title, anchor=False)
            if run is None:
                caption("Waiting for its turn.", key=f"training_turn_{number}")
                continue
            others = siblings(run.settings) if progress.bundled else ()
            seeds = f" Thin: the same with {len(others)} other seeds." if others else ""
            caption(
                f"{training_words.BOTH[run.settings.n_readings].capitalize()} nouns right, in sentences. Dotted: a "
                f"guesser that knows the nouns but not which is which, {accuracy(run.settings.guess)}.{seeds}",
                key=f"training_curve_{number}",
            )
            moment = None if under_way else run.moment(pair.at)
            figure = figures.accuracy_curves(run, others, _theme(), moment)
            _chart(figure, f"accuracy_{number}", figures.describe_accuracy(run, title))


def _chart(figure: Any, key: str, alt: str) -> None:
    st.plotly_chart(figure, theme=None, key=f"training_chart_{key}", config=CONFIG, alt=alt)


def _theme() -> str:
    return "dark" if st.context.theme.type == "dark" else "light"
