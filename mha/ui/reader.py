"""A page that is a value, drawn by Streamlit: its blocks as they come, its controls bound.

How each block is drawn is told in `placing`, `choosing` and `telling`; what a click does is `mha.ui.acting`.
"""

from __future__ import annotations

from mha.readers.files import ReadPage
from mha.readers.settled import settled
from mha.screens.pages import blocks_of
from mha.ui import acting, share
from mha.ui.asking import Asking
from mha.ui.choosing import CHOOSING
from mha.ui.page_run import PageRun
from mha.ui.placing import PLACING
from mha.ui.telling import TELLING

DRAWN = {**PLACING, **CHOOSING, **TELLING}


def show(page: str) -> None:
    """Draw a page of `mha.screens.pages`, as the address and its controls say."""
    drawing = PageRun(acting.fitted_link(page), DRAWN)
    drawing.blocks(blocks_of(drawing.link, drawing.asking), page)


def read(page: str) -> ReadPage:
    """Return a page as a value, as the address and its controls say."""
    link, asking = acting.fitted_link(page), Asking()
    return ReadPage(link, (), settled(blocks_of(link, asking), asking), share.link())
