"""Every number of one cell: the way in from a pinned map, the view, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from mha.analysis.looks import strongest_look
from mha.engine.opened import one_cell
from mha.errors import AttentionUnavailable, InputError, MHAError
from mha.export.cell import cell_csv, cell_table
from mha.figures.thumbnails import SIDE as SMALL_SIDE
from mha.figures.thumbnails import block_size
from mha.link.cell import BY_NUMBER, Place, place_of
from mha.link.heads import Choices
from mha.maps import AttentionMaps, HeadId
from mha.models.watch.cell import Cell, check_place
from mha.screens.cell import keys, said
from mha.screens.cell.case import Case, picked
from mha.screens.decoder.crossing import as_read_again, every_row, row_of
from mha.screens.heads.overview import named_look
from mha.screens.heads.picture import Picture
from mha.screens.heads.pinned import SIDE
from mha.ui import bound, boundary, share
from mha.ui.away import gathered
from mha.ui.components.blocks import draw
from mha.ui.components.captions import caption, copy_link
from mha.ui.controls import OF_THE_PAGE
from mha.ui.heads.later import later

WORD = Choices.of("cell")


def asked(picture: Picture) -> Place | None:
    """Draw the word of the open cell in the View menu; return the cell, None where none is open, or none such is there.

    The word is drawn on every run of the page, so that the link keeps it.
    """
    with st.session_state[OF_THE_PAGE]:
        bound.draw(WORD)
    place = place_of(st.session_state.get(WORD.name) or "")
    if place is None:
        return None
    recording = picture.recording
    try:
        check_place(recording, *place, picture.stack or next(iter(recording.stacks)))
    except InputError as error:
        boundary.say(f"In this link, {WORD.name}: {error} Shown instead: all heads.")
        return None
    return place


def open_one(picture: Picture, head: HeadId) -> None:
    """Open the head's strongest look, of the locked word where there is one."""
    look = strongest_look(picture.shown.maps, head, **picture.shown.locked)
    look = look or strongest_look(picture.shown.maps, head)
    open_at(picture, head, *(look[:2] if look else (0, 0)))


def open_named(picture: Picture, head: HeadId) -> None:
    """Open the look that the overview names of a head; where it names none, as `open_one`."""
    look = named_look(picture.shown, head)
    if look is None:
        open_one(picture, head)
    else:
        _open_cell(picture, head, look.query, look.key)


def open_at(picture: Picture, head: HeadId, query: int, key: int) -> None:
    """Open the cell that stands at these positions of the drawn map."""
    _open_cell(picture, head, query, key, SIDE)


def open_small(picture: Picture, head: HeadId, query: int, key: int) -> None:
    """Open the cell that stands at these positions of a thumbnail."""
    _open_cell(picture, head, query, key, SMALL_SIDE)


def events(picture: Picture) -> dict[str, Callable[..., None]]:
    """Return what thumbnails ask of a picture: a cell of one, or any of a head."""
    return {"on_cell": later(picture, open_small), "on_one_cell": later(picture, open_named)}


def _open_cell(picture: Picture, head: HeadId, query: int, key: int, side: int | None = None) -> None:
    """Open a cell of a map of which at most ``side`` rows and columns travel, so that neighbours share one."""
    shown = picture.shown.maps
    step = (block_size(shown.n_queries, side), block_size(shown.n_keys, side)) if side else (1, 1)
    place = picked(picture.recording.maps, picture.shown, head, query, key, step)
    _open(place._replace(query=row_of(picture, place.query)))


def _open(place: Place | None) -> None:
    st.session_state[WORD.name] = "" if place is None else str(place)
    bound.forget_link_notes()


def view(picture: Picture, place: Place) -> None:
    """Draw every number of one cell."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="cell_way"):
        st.button("← Heatmap", on_click=_open, args=(None,))
        caption((("head", str(place.head)),), key="cell_head")
    try:
        found, maps = _found(picture, place)
    except MHAError as error:
        boundary.say(str(error))
        return
    order, before = st.session_state.get("heads_cell_order"), bool(st.session_state.get("heads_cell_before"))
    case = Case(found, maps, picture.row, order == BY_NUMBER, before)
    ways = {f"{way} {at}": place._replace(query=query, key=key) for way, at, query, key in case.ways()}
    large = picture.view.large
    draw(
        [said.hero(case), said.finding(case), *said.parts(case)],
        "cell_hero", list(ways), lambda name: _open(ways[name]), large=large, room="cell",
    )  # fmt: skip
    _fits(case, large)
    draw([*said.score_steps(case), *keys.keys(case)], "cell_keys", large=large, room="cell")
    draw([said.arrives(case)], "cell_reach", large=large, room="cell")
    caption(*said.foot(case), key="cell_foot", style="wide")
    link, sha256 = share.link(), picture.row.sha256
    gathered.table("The numbers of this cell", "parallax-cell", lambda: cell_table(found, maps, link, sha256))
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        copy_link()
        st.download_button(
            "Download these numbers", later(picture, lambda own: cell_csv(found, _found(own, place)[1])),
            file_name=f"parallax-{place.head}-cell.csv",
            mime="text/csv", on_click="ignore", type="tertiary",
        )  # fmt: skip


def _found(picture: Picture, place: Place) -> tuple[Cell, AttentionMaps]:
    """Return the cell, of the stack that the picture is of, and the maps that it is one of.

    Raises:
        AttentionUnavailable: a target that the model wrote is not read again by the tokens that it was written by.
    """
    model, maps = picture.view.model, every_row(picture)
    if not picture.stack:
        return one_cell(maps.text, model, maps.pair, *place), maps
    instead = AttentionUnavailable(
        "The target that the model wrote has other tokens here when it is read again, so the numbers of this cell are "
        "not told. Another row, or a typed target, has them."
    )
    try:
        found = one_cell(picture.source, model, None, *place, picture.stack, picture.recording.target)
    except InputError:  # a row for a sign that stands behind the target
        raise instead from None
    read = as_read_again(maps, found.tokens, place.query)
    if read is None:
        raise instead
    return replace(found, tokens=read.tokens, key_tokens=read.key_tokens), read


def _fits(case: Case, large: bool) -> None:
    """Draw what fits together, with its order and, where it is told, query and key before they were turned."""
    title, control = st.columns([3, 2], vertical_alignment="bottom")
    with title:
        draw(said.fits(case), "cell_fits", large=large, room="cell")
    with control, st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
        if case.cell.before is not None:
            bound.draw(Choices.of("cell_before"))
        bound.draw(Choices.of("cell_order"), label_visibility="collapsed")
    draw(said.dims(case), "cell_dims", large=large, room="cell")
