"""What a click does: its acts make of the link another one, which is written into the bound keys of its words.

A click holds the act alone: the link that it is done to is read when it comes, by the parser that reads links.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from mha.app import visitors
from mha.engine.following import FOLLOWERS
from mha.engine.jobs import RUNS
from mha.link.acts import Act, Begin, Stop
from mha.link.link import Link
from mha.link.sent import filled
from mha.link.view import VERSION, fitted
from mha.navigation import page_row
from mha.streamlit_facts import run as run_under_way
from mha.ui import bound

WHOLE = "act_in_a_part"  # what a click in a part that is drawn alone has chosen stands elsewhere, too
LEAVES_FOR = "page_leaves_for"  # the file of the page that opens instead of one, and its query
GOES_TO = "act_goes_to"  # the page that an act goes to


def fitted_link(page: str) -> Link:
    """Return what the controls say now of the model's own heads; on Heads a link may say more, of its other stacks."""
    link, shape = link_now(page), bound.shape()
    if not page:
        return link
    return replace(link, view=fitted(link.view, shape.n_layers, shape.n_heads))


def link_now(page: str) -> Link:
    """Return what the controls say now, and of words that have none yet what the address says."""
    said, before = bound.said(page), st.session_state.get("link_from_before")
    if not page and before is not None and said.get("text", ("",))[-1] == before:
        said = {**said, "v": [VERSION]}  # the link of this text is from before readings were suggested
    return Link.of(page, said, bound.models())[0]


def chosen(page: str, acts: Sequence[Act]) -> None:
    """Do what another choice does beside itself."""
    bound.forget_link_notes()
    done(page, acts)


def pressed(page: str, key: str, acts: Mapping[str, tuple[Act, ...]]) -> None:
    """Do the acts of the button that a component names, if it is one of these."""
    found = st.session_state[key].get("act")
    name = found.get("name") if isinstance(found, dict) else None
    if isinstance(name, str) and name in acts:
        done(page, acts[name])


def sent(page: str, key: str, event: str, acts: Sequence[Act]) -> None:
    """Do acts whose open fields a component has filled, with what its event says."""
    done(page, filled(acts, st.session_state[key].get(event)))


def done(page: str, acts: Sequence[Act]) -> None:
    """Do acts: what they change in the link of the page as it stands is written into the bound keys."""
    state = st.session_state
    for act in acts:
        if isinstance(act, Begin | Stop):
            _done_to_run(act)
        else:
            before = link_now(page)
            state.update(act.keeps(before))
            after = act.after(before)
            if act.said(before):
                st.toast(act.said(before))
            bound.write_link(before, after)
            under_way = run_under_way()
            if under_way is not None and under_way.of_a_part:
                state[WHOLE] = True
            if after.page != page:
                state[GOES_TO] = after.page


def _done_to_run(act: Begin | Stop) -> None:
    """Begin, go on with, or stop what is long."""
    if isinstance(act, Begin):
        act.question.begin(visitors.here())
    else:
        run = RUNS.get(act.question)
        # Since it was drawn it may have been forgotten, or others may have come who wait for it, too.
        if run is not None and not FOLLOWERS.of(run) - {visitors.name()}:
            run.stop()


def follow_act() -> None:
    """Go to the page that an act goes to, before anything is drawn; all that the frame says goes along.

    A callback cannot change the page.
    """
    file, query = st.session_state.pop(LEAVES_FOR, ("", None))
    if file:
        st.switch_page(file, query_params=query)
    to = st.session_state.pop(GOES_TO, None)
    if to is not None:
        st.session_state["link_frame"] |= {"pins": st.session_state["pins"]}  # what `bound.check_link` gives the page
        st.switch_page(page_row(to).file, query_params={"v": VERSION})
