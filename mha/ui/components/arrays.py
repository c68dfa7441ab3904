"""Small arrays with their numbers in the cells, as `mha.screens.arrays.small` hands them over."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from mha.theme import component_tokens
from mha.ui.components.modules import joined_modules, stylesheet


def arrays(*lines: Sequence[Mapping[str, Any] | str], key: str) -> None:
    """Draw lines of arrays, with operators such as "×" between them."""
    _arrays()(key=key, data={"tokens": component_tokens(), "lines": [list(line) for line in lines]})


@functools.cache
def _arrays() -> Callable[..., Any]:
    return st.components.v2.component(
        "parallax_arrays",
        html='<div class="arrays"></div>',
        css=stylesheet("questions.css"),
        js=joined_modules("questions_arrays.js"),
    )
