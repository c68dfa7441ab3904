"""The frame around every page: the navigation, the bound controls, the error boundary."""

import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:  # Streamlit puts this file's folder there, not the project's
    sys.path.insert(0, str(ROOT))

from mha.app import errors, frame, legacy_link, lesson_bar, link, share, visitors  # noqa: E402
from mha.navigation import page_row  # noqa: E402
from mha.ui import (  # noqa: E402
    acting,
    away,
    bound,
    controls,
    patience,
)  # fmt: skip

ICON = ROOT / "assets" / "images" / "icon.png"  # a symbol by name would be asked from another host
APART = "apart_"  # begins the name of a page of no sentence, for `assets/js/page/text_before.js`


def draw_old_page(page) -> None:
    """Draw a page of `mha.link`, whose link is written at its end."""
    bound.check_link(page.url_path)
    if page.url_path == controls.READINGS:
        controls.start_with_example()
    controls.draw_bar(page.title)
    lesson_bar.draw(page.url_path)
    top = st.container(key="controls")
    with top:
        controls.draw(page.url_path)
        errors.say_kept()
        errors.say_damaged()
    name = page.url_path or "heads"
    place = st.empty() if bound.left_another() else st  # of the other page nothing stays while this one is made
    with (
        bound.address_told(),
        patience.said_in(top),
        place.container(key=f"page_{name}"),
    ):
        page.run()
    with top:
        errors.say_damaged()
    if st.context.is_embedded:
        share.way_out(page.title)
    else:
        with st.container(horizontal=True, gap="small", key="bar_buttons"):  # style sheets place it in the bar
            share.button(page.title)
            away.button(page.title, page.url_path)


def draw_page(page) -> None:
    """Draw a page of `mha.app.link`: its link first, then its script."""
    frame.draw_bar(page.title)
    lesson_bar.draw(page.url_path)
    errors.say_kept()
    errors.say_damaged()
    if st.context.is_embedded:
        share.way_out(page.title)
    else:
        with st.container(horizontal=True, gap="small", key="bar_buttons"):
            share.button(page.title)
    name = f"{APART if page_row(page.url_path).of_no_sentence else ''}{page.url_path or 'heads'}"
    with st.container(key=f"page_{name}"):
        page.run()
    errors.say_damaged()


page = st.navigation(frame.navigation(), position="hidden" if st.context.is_embedded else "top")
st.set_page_config(page_title=f"{page.title} · Parallax", page_icon=ICON, layout="wide")
acting.follow_act()
legacy_link.lead_to_steps(page.url_path)
lesson_bar.follow(page.url_path)
with errors.shown(), visitors.turn():
    frame.open_host_model(page.url_path)
    legacy_link.enter(page.url_path)
    if page.url_path in link.PAGES:
        draw_page(page)
    else:
        draw_old_page(page)
