"""The sections of Change a word, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from mha import engine
from mha.analysis.changes import N_SWAPS, paired_rows
from mha.analysis.swaps import Neutral, with_word
from mha.engine.experiments import has_twin, neutral_words, twin_maps
from mha.engine.opened import all_brought
from mha.errors import InputError
from mha.link.compare import MODEL, TWIN, Choices
from mha.link.pinned import BROUGHT
from mha.link.view import View
from mha.maps import ATTENTION, AttentionMaps, HeadId
from mha.maps import BROUGHT as BROUGHT_MEASURE
from mha.models.files.catalog import model_row
from mha.screens.blocks import Block
from mha.screens.compare import said
from mha.screens.compare import variants as told
from mha.screens.compare.brings import brings, weighed
from mha.screens.compare.case import (
    MOST_VARIANTS,
    Case,
    aligned,
    changed_word,
    compare,
    first_side,
    largest_look,
    lines,
    listed,
    second_side,
    too_long,
)
from mha.screens.compare.models import TwoModels
from mha.screens.compare.numbers import FORMATS, changes_table, table_columns, table_said, variants_table
from mha.ui import bound, boundary, choices
from mha.ui.away import gathered
from mha.ui.compare import controls, models
from mha.ui.components import blocks
from mha.ui.components.captions import caption, copy_link
from mha.words import Accepted, accept, words

TABLE_ROWS = 10  # in sight
HEAD = 180  # px of the choice of a head
Swapped = tuple[Neutral, list[AttentionMaps]]


def compared(view: View) -> Case | TwoModels:
    """Draw the controls and return what was found between both sides; stop with a sentence where there is nothing."""
    first = _said(first_side(view.text))
    chosen = controls.draw(first, has_twin(view.model))
    second = _said(second_side(first, chosen))
    _check_length(first, second)
    if chosen.against == MODEL:
        return models.compared(view, first, chosen.other)
    with st.spinner("Looking at both sides …", show_time=True):
        maps = _first(first, view.model), _second(second, view.model, chosen)
        alignment, complaint = aligned(first, second, chosen)
        if complaint:
            boundary.say(complaint)
        place = None if chosen.against == TWIN else changed_word(alignment)
        neutral, swapped = _swapped(first, place, view.model, chosen)
        return compare(view, chosen, model_row(view.model), maps, alignment, swapped, neutral)


def _check_length(*texts: str) -> None:
    instead = too_long(*texts)
    if instead:
        blocks.draw(said.question_blocks(), "changes_question")
        boundary.say(instead)
        st.stop()


def draw(case: Case) -> None:
    """Draw two texts, or a text on a model and on its twin, from the top of the page down."""
    hero(case)
    every_head(case)
    pinned(case)
    variants(case)
    foot(case)


def _said(found: Accepted) -> str:
    """Return a text as it is used, saying what was changed."""
    for note in found.notes:
        boundary.say(note)
    return found.text


def _recorded(text: str, model: str) -> AttentionMaps:
    recording = engine.record(engine.Request(text, model))
    for note in recording.notes:
        boundary.say(note)
    return recording.maps.merged()


def _first(text: str, model: str) -> AttentionMaps:
    """Return the maps of the first text; a model that does not know its words offers a sentence that it knows."""
    try:
        return _recorded(text, model)
    except InputError as error:
        own = model_row(model).example
        if not own:
            raise
        blocks.draw(said.question_blocks(), "changes_question")
        boundary.say(f"{error} It knows this sentence: “{own}”.")
        st.button("Take that sentence", on_click=choices.take_unlocked, args=(own,))
        st.stop()


def _second(text: str, model: str, chosen: Choices) -> AttentionMaps:
    return twin_maps(text, model, chosen.seed) if chosen.against == TWIN else _recorded(text, model)


def _swapped(text: str, place: int | None, model: str, chosen: Choices) -> Swapped:
    """Return the neutral words for the changed place, and the maps with each of the first three in it."""
    if place is None:
        return Neutral(), []
    typed = listed(chosen.swaps, N_SWAPS)
    found = Neutral(tuple(typed)) if typed else neutral_words(text, place, model)
    maps = [_in_place(text, place, word, model) for word in found.words[:N_SWAPS]]
    return found, [one for one in maps if one is not None]


def _in_place(text: str, place: int, word: str, model: str) -> AttentionMaps | None:
    """Return the maps of a text with another word in one place; None where it is not one word, or not known."""
    other = with_word(text, place, word)
    if len(words(other)) != len(words(text)):
        return None
    try:
        return engine.record(engine.Request(other, model)).maps.merged()
    except InputError:
        return None


def hero(case: Case) -> None:
    """Draw both sentences, what is said of them, and the words in pairs."""
    blocks.draw(said.hero_blocks(case), "changes_hero")
    caption(said.pairs_said(case), key="changes_paired")
    if not case.twin:
        with st.expander("Change the pairs"):
            names = [
                f"{side} {at}" for side, own in zip(controls.SIDES, case.words, strict=True) for at in range(len(own))
            ]
            blocks.draw(said.words_block(case, controls.chosen()), "changes_words", names, controls.choose)
            st.button("Pair them for me", on_click=controls.as_found, disabled=not case.choices.paired)


def every_head(case: Case) -> None:
    """Draw how far each head moved beside its floor, where a click pins it, and all of them in a table."""
    names = {str(HeadId(layer, head)) for layer in range(case.row.n_layers) for head in range(case.row.n_heads)}
    blocks.draw(said.map_blocks(case), "changes_map", names, _picks(case.pins))

    columns = table_columns(case)
    if not columns:
        return
    with st.expander(f"All {len(columns['head'])} heads in a table, the furthest moved first"):
        st.dataframe(
            columns, hide_index=True, height=36 * min(len(columns["head"]), TABLE_ROWS) + 38, key="changes_table",
            column_config={name: st.column_config.NumberColumn(name, format=how) for name, how in FORMATS.items()},
            alt=f"Change of {len(columns['head'])} heads in bits, one row each, the furthest first.",
        )  # fmt: skip
        gathered.rows("Every head, the furthest moved first", "parallax-changes-table", columns, FORMATS)
        caption(table_said(case).spans, key="changes_table_caption")


def pinned(case: Case) -> None:
    """Draw the pinned heads on both sides and the difference."""
    names, found = [str(head) for head in case.pins], brings(case) if case.pins else None
    instead, why = weighed(found, case.choices.weights) if case.pins else (None, "")
    if why:
        boundary.say(why)
    blocks.draw(said.pin_blocks(case, found, instead), "changes_pins", names, _picks(case.pins))


def _picks(pins: tuple[HeadId, ...]) -> Callable[[str], None]:
    """Return what a click on a head's name does; it holds the pins alone, for a visit keeps its callbacks."""
    return lambda name: choices.pick(pins, HeadId.parse(name))


def variants(case: Case) -> None:
    """Draw the chosen head, the first pinned or the one of the sentence, over several words in the changed place."""
    look = largest_look(case)
    head = case.pins[0] if case.pins else look[0] if look else None
    if case.choices.head is not None:
        head = HeadId.parse(case.choices.head)
    whole = lines(case.choices.variants)
    if head is not None and whole and not case.twin:
        _sentences(case, head, whole)
        return
    if head is None or case.swap is None or case.twin:
        return
    own = [case.words[0][case.swap], case.words[1][case.alignment.changed[0][1]]]
    typed = listed(case.choices.variants, MOST_VARIANTS)
    text, numbers = case.texts[0], range(len(case.words[0]))
    drawn, dropped = [], []
    for word in typed or list(dict.fromkeys([*own, *case.neutral.words])):
        maps = _in_place(text, case.swap, word, case.view.model)
        if maps is not None:
            drawn.append((word, _rows(case, maps, numbers, head)))
        elif typed:
            dropped.append(word)
    _drawn(told.variant_blocks(case, head, drawn, dropped, _weighs(case)), head)
    texts = [(with_word(text, case.swap, word), rows) for word, rows in drawn]
    _offered(case, head, texts)


def _weighs(case: Case) -> bool:
    """Return whether variants are drawn of what looks bring: where it was chosen and the model tells it."""
    return case.choices.weights == BROUGHT and weighed(brings(case), BROUGHT)[0] is not None


def _rows(case: Case, maps: AttentionMaps, numbers: Sequence[int], head: HeadId) -> np.ndarray:
    """Return a head's rows over some words of a text and all else, of attention or of what it brings."""
    if _weighs(case):
        maps = all_brought(maps.text, case.row.name, None).as_maps()
    return paired_rows(maps, numbers)[head]


def _drawn(parts: Sequence[Block], head: HeadId) -> None:
    """Draw the choice of their head, and the variants."""
    if not parts:
        return
    with st.container(key="compare_head_bar", horizontal=True, horizontal_alignment="right"):
        bound.mirror(
            st.selectbox, "Head over the variants", [str(one) for one in bound.shape().heads()], "compare_head_shown",
            str(head), bound.into("compare_head"), width=HEAD,
        )  # fmt: skip
    blocks.draw(parts, "changes_variants")


def _offered(case: Case, head: HeadId, texts: list[tuple[str, np.ndarray]]) -> None:
    """Offer the looks of a head over the variants to be taken away."""
    if texts:
        measure = BROUGHT_MEASURE if _weighs(case) else ATTENTION
        gathered.table(
            "One head over the variants",
            "parallax-variants",
            lambda: variants_table(case, head, texts, _base(), measure),
        )


def _base() -> str:
    return (st.context.url or "").partition("?")[0]


def _sentences(case: Case, head: HeadId, typed: list[str]) -> None:
    """Draw a head over whole sentences, each with its own words."""
    drawn, dropped = [], []
    for text in typed:
        try:
            maps = engine.record(engine.Request(accept(text).text, case.view.model)).maps.merged()
            drawn.append((maps.text, _rows(case, maps, range(len(words(maps.text))), head)))
        except InputError:
            dropped.append(text)
    _drawn(told.sentence_blocks(case, head, drawn, dropped, _weighs(case)), head)
    _offered(case, head, drawn)


def foot(case: Case) -> None:
    """Say where the numbers come from and how they were treated; offer the way to Heads, the numbers and the link."""
    st.page_link(
        "heads.py", label="Look at these heads on Heads", icon=":material/arrow_forward:", icon_position="right"
    )
    caption(*said.foot_said(case), key="changes_foot", style="wide")
    table = changes_table(case, _base())
    if table is not None:
        gathered.table("Every head's change", "parallax-changes", lambda: table)
    copy_link("changes_copy")
