"""How far a run over many texts is, with Stop and going on."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from mha.engine.atlas import AtlasRun
from mha.engine.following import FOLLOWERS

PACE = 1.5  # seconds between looks at a run


def progress(run: AtlasRun, go_on: Callable[[], None]) -> None:
    """Draw how far a run is, with Stop or going on."""
    if run.state == "failed":
        st.text("The measurement failed by a fault of ours; it has been logged.")
    what = "Comparing heads" if run.comparing else f"Sentence {run.over.n_measured} of {len(run.texts)}"
    st.progress(min(1.0, run.done / max(run.whole, 1)), text=what)
    if run.running and len(FOLLOWERS.of(run)) > 1:
        st.text("Others wait for this too: it goes on as long as one of you does.")
    elif run.running:
        st.button("Stop", key="whole_stop", on_click=run.stop)
    elif run.state != "done":
        st.button("Measure the rest", key="whole_go_on", on_click=go_on)
