"""The component "bar": the wordmark and the page's name in Streamlit's bar, and the line for newcomers.

Whether the line was dismissed is known to the reader's browser alone: it is no part of the link, and costs no run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mha.screens.blocks import Span, as_data
from mha.ui.components.loading import component


def bar(page: str, of: Mapping[str, str], line: Sequence[Span] = (), means: str = "", *, large: bool = False) -> None:
    """Draw the bar's mark and the name of the page, and the line for newcomers if there is one.

    ``of`` is what this run is of, the texts by the names of their fields and the model: what stands below of another
    text is marked until it comes anew (`assets/js/page/text_before.js`). ``means`` is what a strong colour means, said
    at the end of the line.
    """
    component("bar", "frame/bar.js", "frame")(
        key="bar", data={"page": page, "of": of, "line": as_data(tuple(line)), "means": means, "large": large}
    )
