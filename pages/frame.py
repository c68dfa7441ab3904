"""The frame around every page: the navigation, the link, the bar, the error boundary."""

import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:  # Streamlit puts this file's folder there, not the project's
    sys.path.insert(0, str(ROOT))

from mha.app import errors, frame, lesson_bar, link, share  # noqa: E402
from mha.navigation import page_row  # noqa: E402

ICON = ROOT / "assets" / "images" / "icon.png"  # a symbol by name would be asked from another host
APART = "apart_"  # begins the name of a page of no sentence, for `assets/js/page/text_before.js`

page = st.navigation(frame.navigation(), position="hidden" if st.context.is_embedded else "top")
st.set_page_config(page_title=f"{page.title} · Parallax", page_icon=ICON, layout="wide")
lesson_bar.follow(page.url_path)
with errors.error_boundary():
    if "link_page" not in st.session_state:
        frame.open_host_model(page.url_path)
    link.sync(page.url_path)
    frame.draw_bar(page.title)
    if st.session_state["lesson"]:
        lesson_bar.draw(page.url_path)
    errors.say_kept()
    if st.context.is_embedded:
        share.way_out(page.title)
    else:
        share.button(page.title)
    row = page_row(page.url_path)
    name = f"{'' if row.of_text or row.opens_with_text else APART}{page.url_path or 'heads'}"
    with st.container(key=f"page_{name}"), frame.page_requests():
        page.run()
    errors.say_kept()
