"""What each answer is asked from: the reader's sentence, the engine, or nothing; and how its parts are drawn.

`ANSWERS` maps a question's name to the function that gets its answer.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from mha import engine
from mha.engine.experiments import leaning
from mha.export.tables import Table as Numbers
from mha.models.files.catalog import model_row
from mha.models.toy import HAND_SET
from mha.screens.arrays import small
from mha.screens.questions import answers, parts
from mha.screens.questions.parts import Answer, Arrays, Chart, Formula, Part, Said, Table
from mha.screens.share import page_provenance
from mha.ui import controls, share
from mha.ui.away import gathered
from mha.ui.components.blocks import draw
from mha.ui.components.captions import caption
from mha.ui.heads import sections as heads
from mha.ui.plot import plot, theme
from mha.ui.training import runs
from mha.ui.training.runs import Pair

ON_THE_SENTENCE = ("many heads", "redundancy")  # whose numbers are of the reader's text, as those of Heads


def answer_of(question: str) -> int | None:
    """Draw what stands beside a question's answer; return the option that came true where its numbers say so."""
    found = ANSWERS[question]()
    for part in found.parts:
        DRAWN[type(part)](part)
        _offered(question, part)
    return found.right


def _offered(question: str, part: Part) -> None:
    """Offer the numbers of a part to be taken away."""
    columns = parts.numbers_of(part)
    if not columns:
        return
    view = controls.view()
    about = "Heads" if question in ON_THE_SENTENCE else f"Questions: {question}"
    told = page_provenance(about, view, model_row(view.model), share.link())
    gathered.table("The numbers of this answer", "parallax-answer", lambda: Numbers(columns, told))


def _many_heads() -> Answer:
    picture = heads.record(controls.view())
    return answers.many_heads(picture.shown, picture.row)


def _redundant() -> Answer:
    picture = heads.record(controls.view())
    return answers.redundant(picture.recording.maps.merged(), picture.row)


def _one_head() -> Answer:
    """Draw one head beside two, which come with the app; train both here and now, if that is asked for."""
    pair = runs.watch(answers.ONE_OR_TWO)
    pair.drawn(_learning)
    runs.train_live(pair, "Train both now")
    caption(answers.TRAINING, key="q_wait")
    return Answer((), _learned(pair).right)


def _learning(pair: Pair) -> None:
    runs.status(pair, pair.progress())
    for part in _learned(pair).parts:
        DRAWN[type(part)](part)
        _offered("one head", part)


def _learned(pair: Pair) -> Answer:
    return answers.one_head(pair.seen()[0], here=not all(progress.bundled for progress in pair.progress()))


def _ambiguity() -> Answer:
    with st.spinner("The same words in 20 other orders …", show_time=True):
        return answers.ambiguity(leaning(answers.DOG, answers.dog_readings()))


ANSWERS: dict[str, Callable[[], Answer]] = {
    "many heads": _many_heads,
    "self-attention": answers.self_attention,
    "Q K V": lambda: answers.roles(engine.record(engine.Request(HAND_SET, "toy"))),
    "scaling": answers.scaling,
    "formula": answers.formula,
    "output matrix": answers.output_matrix,
    "real models": answers.real_heads,
    "redundancy": _redundant,
    "one head": _one_head,
    "ambiguity": _ambiguity,
}


def _formula(part: Formula) -> None:
    for line in part.lines:
        st.latex(line)


def _table(part: Table) -> None:
    st.table(part.columns, border="horizontal", hide_index=True, alt=part.alt)
    gathered.rows("", "parallax-answer", part.columns)


DRAWN: dict[type[Part], Callable[..., object]] = {
    Said: lambda part: caption(part.spans, key=part.key, style=part.style),
    Arrays: lambda part: draw([small(*part.lines)], "q_arrays", large=False),
    Table: _table,
    Formula: _formula,
    Chart: lambda part: plot(part.figure(theme=theme()), part.alt, "q_figure"),
}
