"""The URL holds the state of a page: one pydantic model a page, synchronised once at the start of each run.

A field is the key of a widget, or of the value that a component's callback sets, and the name of a URL parameter. Pages
share a field by its name, and its value goes with the visitor from page to page. A default is left out of the URL.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import streamlit as st
from pydantic import BaseModel, Field, ValidationError

from mha.examples import NEXT_WORD_EXAMPLES
from mha.words import MAX_CHARACTERS

VERSION = "1"
MAX_PINS = 4
MAX_WRITTEN = 10  # words that *Let it write* shows

Query = Mapping[str, Sequence[str]]
Text = Annotated[str, Field(max_length=MAX_CHARACTERS)]
Word = Annotated[str, Field(max_length=100)]
Head = Annotated[str, Field(pattern=r"^L\d{1,3}H\d{1,3}$")]
Step = Annotated[int, Field(ge=1, le=MAX_WRITTEN)]

ALIASES = {"heads_silenced": "ablate", "heads_target": "target", "heads_step": "step"}  # names of 0.2
REMOVED = {  # parameters of 0.2 that no page has
    "off": "Hidden heads left Parallax in 0.3. `ablate=L5H3` runs the model without a head.",
    "on": "Hidden heads left Parallax in 0.3. `ablate=L5H3` runs the model without a head.",
    "heads_how": "The model writes the likeliest word each time; random draws left Parallax in 0.3.",
    "heads_seed": "The model writes the likeliest word each time; random draws left Parallax in 0.3.",
    "heads_most": f"The model writes {MAX_WRITTEN} words; other lengths left Parallax in 0.3.",
}


class Params(BaseModel):
    """Parameters that every page has; a page adds its own."""

    page: ClassVar[str]
    text: Text
    model: str
    reveal: Literal["1", "0"] = "1"
    large: bool = False
    lesson: Annotated[str, Field(max_length=60)] = ""
    stop: Annotated[int, Field(ge=1, le=40)] = 1


class NextParams(Params):
    """Next word: the words whose change is shown, the ablated heads, the head whose attention is shown."""

    page = "next"
    text: Text = NEXT_WORD_EXAMPLES["capital of France"]
    model: str = "smollm2"
    view: Literal["next", "write", "matters"] = "next"
    ablate: list[Head] = []
    head: Head | None = None
    word: Word = ""
    versus: Word = ""
    target: Text = ""
    step: Step = 1
    guess: Literal["", "looks", "adds", "none"] = ""


PAGES: Mapping[str, type[Params]] = {params.page: params for params in (NextParams,)}
SHARED = tuple(Params.model_fields)


def default(page: str, name: str) -> Any:
    """Return the default of a page's parameter."""
    return PAGES[page].model_fields[name].get_default(call_default_factory=True)


def sync(page: str, is_new: bool, by_history: bool) -> None:
    """Read a URL that is new into the session state, else write what widgets and callbacks have set to the URL.

    Call it first in every run: widgets and callbacks have set the state when a run starts, and after `st.stop()` it can
    no longer be read. The navigation drops the query, so a page that is opened without one keeps the visit's values;
    Back and Forward read the URL. ``is_new`` is True if another page was open before.
    """
    state = st.session_state
    values: dict[str, Any] = state.setdefault("link_values", {})
    for name in PAGES[page].model_fields:  # keeps values whose widgets are not drawn
        state[name] = state.get(name, values.get(name, default(page, name)))
    url = {name: st.query_params.get_all(name) for name in st.query_params}
    last = state.get("link_synced")
    keeps_visit = is_new and last is not None and not url and not by_history
    if last is None or (not keeps_visit and (is_new or url != last[0])):
        params, problems = parse(PAGES[page], url)
        state.update(params.model_dump())
        state["link_problems"] = problems
    elif keeps_visit or encode(page) != last[1]:
        url = encode(page)
        st.query_params.from_dict(url)
        state["link_problems"] = []
    state["link_synced"] = url, encode(page)
    values.update({name: state[name] for name in PAGES[page].model_fields})


def parse(model: type[Params], url: Query) -> tuple[Params, list[str]]:
    """Return the parameters of a URL, with defaults for invalid ones, and one sentence a problem.

    Parameters that no page has are ignored: mailers add some. Names of 0.2 are read, or answered by one sentence.
    """
    fields = model.model_fields
    named = {ALIASES.get(name, name): list(values) for name, values in url.items()}
    values: dict[str, Any] = {
        name: values if "list" in str(fields[name].annotation) else values[-1]
        for name, values in named.items()
        if name in fields and any(values)
    }
    problems = list(dict.fromkeys(sentence for name, sentence in REMOVED.items() if name in url))
    if named.get("v", [VERSION])[-1] != VERSION:
        problems.append(f"This link is from another version ({quote(url['v'])}); this app reads {VERSION}.")
    try:
        return model(**values), problems
    except ValidationError as error:
        invalid = {str(detail["loc"][0]): detail["msg"] for detail in error.errors()}
        problems += [
            f"Problem in this link: {name} cannot be {quote(named[name])} ({message}). Showing the default."
            for name, message in invalid.items()
        ]
        return model(**{name: value for name, value in values.items() if name not in invalid}), problems


def quote(value: object) -> str:
    """Return a value of a URL as short inline code, so that Markdown in a link has no effect."""
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return f"`{text.replace('`', '´')[:60]}`"


def encode(page: str, **changes: Any) -> dict[str, list[str]]:
    """Return the parameters of a page as URL values, defaults left out, with some of them changed."""
    fields = PAGES[page].model_fields
    now = {name: changes.get(name, st.session_state[name]) for name in fields}
    changed = {name: value for name, value in now.items() if value != default(page, name) and value is not None}
    query = {name: [str(v) for v in (value if isinstance(value, list) else [value])] for name, value in changed.items()}
    query |= {name: ["true"] for name, value in changed.items() if value is True}
    return {"v": [VERSION], **query} if query else {}


def restrict(name: str, options: Collection[Any]) -> None:
    """Drop values that the model or the text does not have, with one sentence that stays until the next choice.

    Call it before the widget is drawn.
    """
    state = st.session_state
    values = state[name] if isinstance(state[name], list) else [state[name]]
    unknown = [value for value in values if value not in options and value not in (None, "")]
    if not unknown:
        return
    page = state["link_page"]
    state[name] = [value for value in values if value in options] if isinstance(state[name], list) else None
    state[name] = default(page, name) if state[name] is None else state[name]
    state["link_problems"] = [*state["link_problems"], f"Problem in this link: {name} has no {quote(unknown)} here."]
    state["link_synced"] = state["link_synced"][0], encode(page)  # the URL keeps the link until the next choice
    state["link_values"][name] = state[name]


def set_value(name: str, value: Any) -> None:
    """Callback: set a parameter."""
    st.session_state[name] = value


def toggle(name: str, value: str) -> None:
    """Callback: add a value to a list parameter, or remove it."""
    values = st.session_state[name]
    st.session_state[name] = [v for v in values if v != value] if value in values else [*values, value]


def reset(*names: str) -> None:
    """Callback: set parameters of the open page to their defaults, because another choice changed their meaning."""
    for name in names:
        st.session_state[name] = default(st.session_state["link_page"], name)


def show_problems() -> None:
    """Show what is wrong in the link; the sentences stay until the next choice."""
    for problem in st.session_state["link_problems"]:
        st.warning(problem)
