"""The components of pages: the loader of their scripts, and one function for each picture.

Streamlit sends a component's text again with every rerun, once for every element on the page. So the text only imports
the served files (`mha/server/static.py`); if they cannot be loaded, the element shows one sentence. The data of a
picture are a plain dict or an envelope of bytes; each event of a component calls its own callback.
"""

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from mha.app import errors
from mha.server import static
from mha.views.component_data import PictureData, packed, seal

_LOADER = """
export default await import(new URL("{folder}js/lib/mount.js", document.baseURI).href)
.then((m) => m.component("{module}", {sheets}))
.catch(() => ({ parentElement: p }) => {
p.innerHTML = '{failed}'; p.getRootNode().host?.setAttribute("data-drawn", ""); });
"""
# A link to the page itself: the content security policy blocks scripts in attributes.
_FAILED = '<p>This page was updated, or its server is away. <a role="button" href="">Reload it</a></p>'


def loader(module: str, *sheets: str) -> str:
    """Return the text that Streamlit takes for a component drawn by a module of `assets/js`, in sheets of `assets/css`.

    Raises:
        KeyError: a file is not served.
    """
    for path in ("js/" + module, *(f"css/{name}.css" for name in sheets)):
        static.address(path)
    values = {"folder": static.address(), "module": module, "sheets": json.dumps(sheets), "failed": _FAILED}
    return functools.reduce(lambda text, name: text.replace("{" + name + "}", values[name]), values, _LOADER)


@functools.cache
def component(name: str, module: str, *sheets: str) -> Callable[..., Any]:
    """Return Streamlit's component of this name, which a module draws and sheets style."""
    mount = st.components.v2.component(f"parallax_{name}", js=loader(module, "common", *sheets))

    def draw(*, key: str, data: Any, **events: Any) -> Any:
        if isinstance(data, PictureData):
            data = seal(*data)
        elif isinstance(data, Mapping):
            # Streamlit would search a dict for tables, write it with spaces, and write it again to name the element.
            text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
            data = text.encode("utf-8", "replace")  # half a letter cannot be written
        callbacks: Any = {name: errors.guard(callback) for name, callback in events.items()}
        return mount(key=key, data=packed(data), **callbacks)

    return draw


def finding(text: str) -> None:
    """Draw the only first heading of a page, in Markdown: a finding, a question or a refusal."""
    with st.container(key="finding"):
        st.title(text, anchor=False)


def sentence(
    key: str,
    *,
    data: Mapping[str, Any],
    on_word: Callable[[str], None] = lambda _: None,
    on_select: Callable[[int], None] = lambda _: None,
    on_cut: Callable[[str], None] = lambda _: None,
) -> None:
    """Draw a text with the arcs of a head and, if there are any, its next words.

    A click on a next word calls ``on_word`` with it, a click on a word of the text ``on_select`` with its number, and
    one on an arc or a tint ``on_cut`` with the name of its link.
    """
    draw = component("sentence_next", "components/sentence.js", "components")
    draw(
        key=key,
        data=data,
        on_word_change=lambda: on_word(st.session_state[key]["word"]),
        on_select_change=lambda: on_select(st.session_state[key]["select"]),
        on_cut_change=lambda: on_cut(st.session_state[key]["cut"]),
    )


def next_words(key: str, *, data: Mapping[str, Any], on_word: Callable[[str], None] = lambda _: None) -> None:
    """Draw the likeliest next words as bars; a click on one calls ``on_word`` with its spelling."""
    draw = component("next_words", "components/next_words.js", "components")
    draw(key=key, data=data, on_word_change=lambda: on_word(st.session_state[key]["word"]))


def rank_line(
    key: str,
    *,
    title: Sequence[str],
    ranks: Sequence[int],
    drops: Sequence[int],
    label: str,
    before: Sequence[int] = (),
    legend: Sequence[str] = (),
) -> None:
    """Draw the rank of a word after each layer, 1 for the likeliest; ``drops`` are layers that are marked.

    The second part of the ``title`` is a word. Ranks ``before`` a change have a dashed line; ``legend`` names both. A
    click on a layer selects its column in the grid of heads. ``label`` is the text alternative.
    """
    draw = component("rank_line", "components/rank_line.js", "components")
    data = {"title": title, "ranks": ranks, "drops": drops, "label": label, "before": before, "legend": legend}
    draw(key=key, data=data)


def heads(key: str, *, data: Mapping[str, Any], on_head: Callable[[str], None]) -> None:
    """Draw one cell a head (`mha.views.component_data`); a click calls ``on_head`` with its name."""
    draw = component("heads_grid", "components/heads.js", "components")
    draw(key=key, data=data, on_head_change=lambda: on_head(st.session_state[key]["head"]))


def overview(
    picture: PictureData, key: str, on_head: Callable[[str], None], on_word: Callable[[int | None], None]
) -> None:
    """Draw a sentence with the arcs of two heads, the finding and all heads (`mha.views.heads_pictures.overview`).

    A click on a head calls ``on_head`` with its name, one on a word ``on_word`` with its position, None to close.
    """
    component("overview", "heads/overview.js", "overview")(
        key=key,
        data=picture,
        on_head_change=lambda: on_head(st.session_state[key]["head"]["head"]),
        on_word_change=lambda: on_word(st.session_state[key]["word"]["position"]),
    )


def pinned_maps(
    picture: PictureData,
    key: str,
    on_head: Callable[[str], None],
    on_ablate: Callable[[str], None],
    on_word: Callable[[int | None, str], None],
    on_cell: Callable[[str, int, int], None],
) -> None:
    """Draw heads as large maps (`mha.views.heads_pictures.pinned`).

    A click on *Unpin* calls ``on_head`` with a name, one on *Ablate* ``on_ablate``; a word of an axis ``on_word`` with
    its position and "at" or "from"; a number ``on_cell`` with the head, its row and its column.
    """

    def event(name: str) -> Any:
        return st.session_state[key][name]

    component("pinned", "heads/pinned.js", "pinned")(
        key=key,
        data=picture,
        on_head_change=lambda: on_head(event("head")["head"]),
        on_ablate_change=lambda: on_ablate(event("ablate")["head"]),
        on_word_change=lambda: on_word(event("word")["position"], event("word")["look"]),
        on_cell_change=lambda: on_cell(*(event("cell")[name] for name in ("head", "query", "key"))),
    )


def chart(figure: Any, key: str, alt: str, on_head: Callable[[str], None] | None = None) -> None:
    """Draw a Plotly figure with its text alternative.

    With ``on_head`` its points have the name of a head as ``customdata``; a click calls ``on_head`` with it.
    """

    def select() -> None:
        points = st.session_state[key]["selection"]["points"]
        if points and on_head:
            on_head(points[0]["customdata"])

    events: Any = {"on_select": select, "selection_mode": "points"} if on_head else {}
    st.plotly_chart(figure, theme=None, key=key, config={"displayModeBar": False}, alt=alt, **events)


def head_table(
    columns: Mapping[str, Any],
    key: str,
    on_head: Callable[[str], None],
    alt: str,
    explanations: Mapping[str, str] | None = None,
) -> None:
    """Draw a sortable table of heads, the first column their names; selecting a row calls ``on_head``.

    ``explanations`` describe columns by their titles.
    """
    names = next(iter(columns.values()))

    def select() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        if rows:
            on_head(names[rows[0]])

    options: Any = {"on_select": select, "selection_mode": "single-row", "hide_index": True}
    options["column_config"] = {
        name: st.column_config.NumberColumn(help=text) for name, text in (explanations or {}).items()
    }
    st.dataframe(columns, key=key, height=420, alt=alt, **options)


def versions(key: str, *, data: Mapping[str, Any], on_cut: Callable[[str], None] = lambda _: None) -> None:
    """Draw two sentences with equal words above each other, and the arcs of one row of a head in each, or of several
    heads. A click on an arc that can be cut calls ``on_cut`` with the name of its link.
    """
    draw = component("versions", "components/versions.js", "components")
    draw(key=key, data=data, on_cut_change=lambda: on_cut(st.session_state[key]["cut"]))


def runs(key: str, *, words: Sequence[str], pivot: int, runs: Sequence[Mapping[str, Any]], large: bool) -> None:
    """Draw two recorded training runs on a sentence, whose word number ``pivot`` is asked about; the browser plays."""
    data = {"words": words, "pivot": pivot, "runs": runs, "large": large}
    component("runs", "components/runs.js", "components", "runs")(key=key, data=data)


def arrays(
    key: str,
    on_cell: Callable[[list[int]], None] | None = None,
    *,
    lines: Sequence[Sequence[Mapping[str, Any] | str]],
    ink: float,
    label: str,
) -> None:
    """Draw lines of matrices and operators (`mha.views.component_data`); ``ink`` is the number in full colour.

    A click on a cell with a head calls ``on_cell`` with head, row and column.
    """
    data = {"lines": lines, "ink": ink, "label": label}
    draw = component("arrays", "components/arrays.js", "components", "arrays")
    draw(key=key, data=data, on_cell_change=lambda: on_cell and on_cell(st.session_state[key]["cell"]))
