"""The sections of the Heads page, in the order of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from mha.engine.opened import weighed as engine_weighed
from mha.errors import MHAError
from mha.export.long import weights_csv
from mha.export.provenance import Provenance, provenance_of
from mha.export.statistics import statistics_table
from mha.export.weights import weights_json, weights_npz
from mha.link.heads import Choices
from mha.link.pinned import BROUGHT
from mha.link.view import View
from mha.maps import ATTENTION
from mha.screens import blocks
from mha.screens.blocks import say
from mha.screens.decoder.grid import bracketed
from mha.screens.heads.elsewhere import elsewhere
from mha.screens.heads.locking import lockable
from mha.screens.heads.overview import overview_of
from mha.screens.heads.own import KIND as OWN
from mha.screens.heads.picture import TERMS, Picture, foot, weighed_picture
from mha.screens.heads.pinned import pinned_spec
from mha.screens.heads.recorded import recorded
from mha.screens.heads.tour import tour as stops_of
from mha.screens.shown import Shown
from mha.ui import bound, boundary, choices, controls, share
from mha.ui.asking import Asking
from mha.ui.away import gathered
from mha.ui.away.gathered import File
from mha.ui.components.blocks import draw
from mha.ui.components.captions import COPY, caption
from mha.ui.components.overview import overview
from mha.ui.components.pinned import pinned
from mha.ui.components.tour import tour
from mha.ui.heads import cell, pins
from mha.ui.heads.later import later, shown_later
from mha.ui.reader import Drawing, link_now
from mha.ui.standalone import heads_page
from mha.ui.steps.way_in import ask_for_steps

ONLY_READ = "What looks bring is told of a sentence as it was typed, and of a model’s first attention."


def record(view: View, pair: str | None = None) -> Picture:
    """Return the picture of a view; where its text cannot be used, say why and show the telescope sentence.

    ``pair`` is a second text that the model reads together with the sentence.
    """
    picture, said = recorded(view, Asking(st.empty()), pair)  # always there, so that what follows keeps its place
    if said:
        Drawing(link_now("")).blocks(said, "heads")
    return picture


def of_what() -> str:
    """Draw the choice of what the shares on this page are of, in the View menu; return it."""
    with st.session_state[controls.OF_THE_PAGE]:
        return bound.draw(Choices.of("weights"))


def weighed(picture: Picture, chosen: str, offered: bool) -> Picture:
    """Return the picture of what is chosen; where it is not told what looks bring, say why and leave it as it is."""
    if chosen != BROUGHT:
        return picture
    recording, instead = picture.recording, ONLY_READ
    try:
        if offered:
            with st.spinner("Weighing what looks bring …", show_time=True):
                maps = engine_weighed(recording, picture.row.name).maps
            if maps.tokens == recording.maps.tokens:  # a gap of the model's own is no text that was typed
                return weighed_picture(picture, maps)
    except MHAError as error:
        instead = str(error)
    boundary.say(f"{instead} So attention is drawn.")
    return picture


def say_elsewhere(view: View, picture: Picture) -> None:
    """Say which pinned heads, and which layer, what is drawn has not."""
    instead = elsewhere(view, picture.shown.full)
    if instead:
        boundary.say(instead)


def sentence_and_overview(picture: Picture) -> str:
    """Draw the sentence with the pinned heads' arcs, the finding, and every head; return the screen: see `overview`."""
    shown = picture.shown
    controls.lock_word(lockable(shown))
    opens = picture.row.kind != OWN  # of maps from a file nothing more can be asked
    spec = bracketed(overview_of(shown, picture.scale, picture.view.large, cells=opens), picture.recording)
    asks = shown.full.measure == ATTENTION
    on_asked = shown_later(picture, choices.ask) if asks else shown_later(picture, choices.lock, "from")
    return overview(
        spec, "overview", on_picked=partial(choices.pick, shown.pins), on_asked=on_asked, **cell.events(picture),
        **_events(shown),
    )  # fmt: skip


def pinned_side_by_side(picture: Picture, opened: bool = True, steps: bool = True) -> None:
    """Draw the pinned heads large, on one scale; ``opened`` offers one cell, ``steps`` a head's arithmetic."""
    shown = picture.shown
    if not shown.pins:
        gathered.heading("Pinned, side by side")
        caption(
            "No head is pinned. Click a thumbnail above to pin it, or let the app choose.", key="no_pins", style="sub"
        )
        st.button("Choose for me", on_click=choices.choose_for_me)
        return
    asks = opened and picture.row.kind != OWN  # of maps from a file nothing more can be asked
    drawn = pins.drawn(picture, asks and steps)
    within = shown.full.kind == "self"  # rows of another text than the columns have places of their own
    spec = pinned_spec(
        drawn.maps,
        drawn.share,
        shown.pins,
        mass=drawn.mass,
        off=shown.off,
        lock=drawn.lock,
        look=shown.look,
        scale=picture.scale,
        sinks=drawn.sinks,
        view=picture.view.heads_pinned,
        large=picture.view.large,
        steps=asks and steps,
        cells=asks,
        brought=drawn.brought,
        terms=say(TERMS),
    )
    pinned(
        spec,
        "pinned",
        on_unpin=partial(choices.pick, shown.pins),
        on_lock=pins.on_axis(drawn.columns, shown_later(picture, choices.lock, "at")),
        on_row=pins.on_axis(drawn.rows, shown_later(picture, choices.lock, "from") if within else choices.lock_row),
        on_view=choices.pinned_view,
        on_steps=later(picture, lambda own, head: ask_for_steps(own.recording, own.shown, head)),
        on_one_cell=later(picture, cell.open_one),
        on_cell=pins.on_axes(drawn.rows, drawn.columns, later(picture, cell.open_at)),
        **_events(shown),
    )


def where_from(picture: Picture, above: Sequence[Any] = (), sentence: bool = True) -> None:
    """Say where the numbers come from and how they were treated; offer the link. ``above`` are blocks before it."""
    link = [] if picture.row.kind == OWN else [COPY]
    draw([*above, blocks.caption(*foot(picture, sentence), style="wide"), *link], "foot", large=False)


def taken_away(picture: Picture) -> None:
    """Offer every head's statistics, all weights, and the page as a file in which heads can be pinned."""
    full, sha256, address = picture.shown.full, picture.row.sha256, share.link()

    def source() -> Provenance:
        return provenance_of(full, model_sha256=sha256, link=address)

    gathered.table("Every head in numbers", "parallax-heads", lambda: statistics_table(full, source()))
    gathered.files(
        "All weights, before anything is set aside",
        (
            File("CSV", "parallax-weights.csv", "text/csv", partial(weights_csv, full)),
            File("JSON", "parallax-weights.json", "application/json", lambda: weights_json(full, source())),
            File("NPZ", "parallax-weights.npz", "application/octet-stream", lambda: weights_npz(full, source())),
        ),
    )
    gathered.whole(lambda tables: heads_page(full, _as_shown(picture), source(), tables))


def _as_shown(picture: Picture) -> View:
    """Return the view with everything said that the app has chosen."""
    shown = picture.shown
    lock = -1 if shown.lock is None else shown.position(shown.lock)
    return replace(picture.view, units=shown.full.units, pins=shown.pins, lock=lock, look=shown.look)


def tour_of(picture: Picture) -> None:
    """Offer the tour of what is on the page."""
    if picture.shown.full.measure == ATTENTION:  # its sentences are about looks
        tour(stops_of(picture))


def _events(shown: Shown) -> dict:
    """Return what the two pictures of heads have in common: only this head, all back."""
    return {
        "on_only": partial(choices.only, shown.full.heads),
        "on_all_back": choices.all_back,
    }
