"""The sweep that a visit watches: begun as it is asked for, stopped once another one is."""

from __future__ import annotations

import streamlit as st

from mha.engine.sweeps import SweepRequest, SweepRun

RUN = "readings_sweep"
AT_ONCE = 0.6  # seconds to wait before progress is shown


def watched(asked: SweepRequest) -> SweepRun | None:
    """Return the run of what is asked, None where this visit watches another or none."""
    run: SweepRun | None = st.session_state.get(RUN)
    return run if run is not None and run.asked == asked else None


def watch(asked: SweepRequest) -> SweepRun:
    """Return the run of what is asked, begun now if it was not."""
    run: SweepRun | None = st.session_state.get(RUN)
    if run is None or run.asked != asked:
        if run is not None:
            run.stop()
        run = st.session_state[RUN] = SweepRun(asked)
        run.wait(AT_ONCE)
    return run
