"""The URL has the state of a page (`mha.app.params`), synchronised with the session state at the start of each run.

A value goes with the visitor from page to page. A default is left out of the URL.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import streamlit as st
from pydantic import BaseModel, ValidationError

from mha.app.params import (
    ALIASES,
    CHOSEN_PARAMS,
    FORMS,
    KNOWN,
    LISTS,
    MODEL_PARAMS,
    OLD_TOY,
    OWN_DEFAULTS,
    PAGES,
    REMOVED,
    TELESCOPE,
    THINGS,
    URL_NAMES,
    VIEW_PARAMS,
    VISIT_PARAMS,
)
from mha.app.params import MAX_HEADS as MAX_HEADS  # pages name both as limits of the link
from mha.formats import clean, markdown, truncate
from mha.maps import HeadId
from mha.navigation import VERSION
from mha.streamlit_facts import run
from mha.views.heads import MAX_PINS as MAX_PINS

Query = Mapping[str, Sequence[str]]


def default(page: str, name: str, values: Mapping[str, Any] | None = None) -> Any:
    """Return the default of a page's parameter.

    The default may be a function of parameters declared above it; their values are ``values``, by default those of the
    visit.
    """
    validated: Any = st.session_state if values is None else values
    return PAGES[page].model_fields[name].get_default(call_default_factory=True, validated_data=validated)


def sync(page: str) -> None:
    """Read a new URL into the session state. Otherwise write the changed parameters to the URL.

    Call it first in every run: widgets and callbacks have set the state when a run starts, and after `st.stop()` the
    session state can no longer be read. The navigation drops the query, so a page that is opened without one keeps the
    visit's values; Back and Forward read the URL. On another page the text and the model that nobody has chosen become
    its defaults, as do `VIEW_PARAMS`, and `MODEL_PARAMS` if the model has changed. Any other value that equals the
    default of the former page or text becomes the default of this page.
    """
    state = st.session_state
    previous, is_first = state.get("link_page"), "link_url" not in state
    drawing, is_new = run(), previous != page
    is_history_step = drawing is not None and drawing.by_history
    state["link_page"] = page
    values = state.setdefault("link_values", {})  # of the visit, also of widgets that are not drawn
    previous_fields = PAGES[previous].model_fields if previous is not None else {}
    chosen = state.setdefault("link_chosen", set())  # of `CHOSEN_PARAMS`, set by a widget, a callback or a URL
    for name in PAGES[page].model_fields:
        value = state.get(name, values.get(name))
        is_default = name in previous_fields and value == default(str(previous), name, values)
        if name in CHOSEN_PARAMS:
            if value != values.get(name, value):
                chosen.add(name)
            is_default = is_new and name not in chosen
        is_of_other_model = name in MODEL_PARAMS and values.get("model") not in (None, state["model"])
        is_stale = is_new and (name in VIEW_PARAMS or is_of_other_model)
        state[name] = default(page, name) if value is None or is_default or is_stale else value

    browser_query = query = url_query()
    is_internal_link = is_new and not is_first and not is_history_step
    keeps_values = is_internal_link and not browser_query
    if is_first or (not keeps_values and (is_new or browser_query != state["link_url"])):
        if is_internal_link and "lesson" not in query:
            query = encode(page, {name: state[name] for name in VISIT_PARAMS}) | query
        params, problems = parse(page, query)
        _note_choices(page, params)
        state.update(params.model_dump())
        state["link_problems"] = problems
    elif keeps_values or has_changed():
        query = encode(page, state, chosen)
        state["link_problems"] = []
    if query != browser_query:
        st.query_params.from_dict(query)
    state["link_url"] = query
    _keep_values()


def _note_choices(page: str, params: BaseModel) -> None:
    """Note which text and model are chosen when a URL sets values: other ones than the page's, and former choices."""
    state, values = st.session_state, params.model_dump()
    own = {name for name in CHOSEN_PARAMS if name in values and values[name] != default(page, name)}
    own |= params.model_fields_set & OWN_DEFAULTS[page]
    kept = {name for name in state["link_chosen"] if values.get(name, state.get(name)) == state.get(name)}
    state["link_chosen"] = own | kept


def url_query() -> dict[str, list[str]]:
    """Return the parameters of the open URL with all their values.

    Parameters that Parallax never had are ignored: mailers add some.
    """
    names = [name for name in st.query_params if name in KNOWN or REMOVED.fullmatch(name)]
    return {name: st.query_params.get_all(name) for name in names}


def has_changed() -> bool:
    """Return whether a widget or a callback has set a parameter since the link was synchronised."""
    state = st.session_state
    return any(state[name] != state["link_values"][name] for name in PAGES[state["link_page"]].model_fields)


def _keep_values() -> None:
    """Keep the values of the open page for the visit; the URL has them."""
    state = st.session_state
    state["link_values"].update({name: state[name] for name in PAGES[state["link_page"]].model_fields})


def parse(page: str, url: Query) -> tuple[BaseModel, list[str]]:
    """Return the parameters of a page's URL, with defaults for invalid ones, and one sentence a problem."""
    model = PAGES[page]
    names = {old: name for old, name in ALIASES.items() if name in model.model_fields}
    names |= {URL_NAMES.get(name, name): name for name in model.model_fields}
    values: dict[str, Any] = {}
    for in_url, items in _add_old_defaults(page, url).items():
        if in_url in names and any(items):
            name = names[in_url]
            values[name] = list(items) if name in LISTS else items[-1]
    removed = [name for name in url if name not in names and REMOVED.fullmatch(name)]
    problems = []
    if removed:
        problems.append(f"Problem in this link: this page does not read {quote(removed)}; parameters changed in 0.3.")
    if url.get("v", [VERSION])[-1] != VERSION:
        problems.append(f"This link is from another version ({quote(url['v'])}); this app reads {VERSION}.")
    try:
        return model(**values), problems
    except ValidationError as error:
        details = [detail for detail in error.errors() if detail["type"] != "default_factory_not_called"]
        reasons = {str(detail["loc"][0]): _reason(detail) for detail in details}
    for name, reason in reasons.items():
        problem = f"{URL_NAMES.get(name, name)} cannot be {quote(values.pop(name))}"
        problems.append(f"Problem in this link: {problem} ({reason}). Showing the default.")
    return model(**values), problems


def _reason(detail: Mapping[str, Any]) -> str:
    """Return why pydantic refuses a value, in a visitor's words."""
    context = detail.get("ctx", {})
    match detail["type"]:
        case "string_pattern_mismatch":
            return FORMS.get(context["pattern"][:2], "there is no such value")
        case "too_long":
            things = "links" if detail["loc"][0] == "cut" else "heads"
            return f"at most {context['max_length']} {things}, not {context['actual_length']}"
        case "literal_error":
            values = re.findall("'([^']*)'", context["expected"])  # pydantic lists them in quotation marks
            return f"possible: {', '.join(f'“{value}”' for value in values if value)}"
        case "less_than_equal":
            return f"at most {context['le']:,}"
        case "greater_than_equal":
            return f"at least {context['ge']}"
        case "string_too_long":
            return f"at most {context['max_length']:,} characters"
        case "value_error":
            return "a cut is written L23H4:5-4, query before key"
        case "int_parsing":
            return "it must be a whole number"
        case "bool_parsing":
            return "it must be true or false"
    return "there is no such value"


def _add_old_defaults(page: str, url: Query) -> Query:
    """Return the query with the defaults of 0.2 that a link may need: the telescope text, the toy of Step by step."""
    if page == "steps" and any(name.startswith("steps_") for name in url):
        toy = "" if url.get("steps_numbers", [""])[-1] == "model" else OLD_TOY
        return {"text": [TELESCOPE], "toy": [toy], **url}
    return {"text": [TELESCOPE], **url} if url and page == "" else url


def quote(value: object) -> str:
    """Return the start of a URL's value in quotation marks, on one line and escaped for Markdown."""
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return f"“{markdown(truncate(clean(text), 60))}”"


def encode(page: str, values: Mapping[Any, Any], chosen: Collection[str] = ()) -> dict[str, list[str]]:
    """Return the values of a page's parameters, perhaps the session state, as URL values.

    Defaults are left out, but for `OWN_DEFAULTS` that are ``chosen``.

    A URL of Heads with any parameter also has its text.
    """
    query: dict[str, list[str]] = {}
    kept = OWN_DEFAULTS[page].intersection(chosen)
    for name in PAGES[page].model_fields:
        value = values.get(name)
        if value is not None and (name in kept or value != default(page, name, values)):
            items = value if isinstance(value, list) else [value]
            query[URL_NAMES.get(name, name)] = [str(v).lower() if isinstance(v, bool) else str(v) for v in items]
    if not query:
        return {}
    text = {"text": [str(values["text"])]} if page == "" and "text" in values else {}
    return {"v": [VERSION], **text, **query}


def query_for_page(page: str) -> dict[str, list[str]]:
    """Return the query that opens another page with the values of the open page.

    It has the parameters that both pages read; the text is in it although it may be the default of the open page.
    """
    state = st.session_state
    values = {name: state[name] for name in PAGES[state["link_page"]].model_fields}
    return encode(page, values, state["link_chosen"])


def restrict(name: str, options: Collection[Any], reason: str = "") -> None:
    """Drop values that the model or the text does not have, with one sentence that stays until the next choice.

    ``reason`` replaces the sentence. A default that is not an option either becomes the first one, without a sentence:
    no link asked for it. Call it before the widget is drawn.
    """
    state = st.session_state
    values = state[name] if isinstance(state[name], list) else [state[name]]
    unknown = [value for value in values if value not in options and value not in (None, "")]
    if not unknown:
        return
    usual = default(state["link_page"], name)
    if isinstance(state[name], list):
        state[name] = [value for value in values if value in options]
    else:
        state[name] = usual if usual in (None, "", *options) else next(iter(options))
        state["link_chosen"].discard(name)
    if reason or unknown != [usual]:
        report_problem(reason or f"Problem in this link: there is no {THINGS.get(name, name)} {quote(unknown)} here.")
    else:
        _keep_values()


def report_problem(problem: str) -> None:
    """Show a problem of the link until the next choice. Until then the URL does not change."""
    state = st.session_state
    state["link_problems"] = list(dict.fromkeys([*state["link_problems"], problem]))
    _keep_values()


def set_page_choices(values: Mapping[str, Any]) -> None:
    """Set parameters that the page has chosen itself, and write them to the URL at once, so that a link has them.

    Call it before their widgets are drawn.
    """
    state = st.session_state
    if values:
        state.update(values)
        state["link_url"] = encode(state["link_page"], state)
        st.query_params.from_dict(state["link_url"])
        _keep_values()


def set_value(name: str, value: Any) -> None:
    """Callback: set a parameter."""
    st.session_state[name] = value


def toggle(name: str, value: str) -> None:
    """Callback: add a head to a list parameter, or remove it; of more than `MAX_HEADS` the oldest is removed."""
    values = st.session_state[name]
    st.session_state[name] = [v for v in values if v != value] if value in values else [*values, value][-MAX_HEADS:]


def pin(heads: Sequence[str], name: str) -> None:
    """Callback: pin a head next to the shown ``heads``, or unpin a shown one.

    Of more than `MAX_PINS` the oldest is unpinned. Heads picked for the text become pins. If the visitor unpins the
    last head, the page picks heads again.
    """
    others = [head for head in heads if head != name]
    st.session_state["pins"] = others if name in heads else [*others, name][-MAX_PINS:]


def select_word(
    selected: tuple[int | None, str], positions: Sequence[int], position: int | None, look: str = "ask"
) -> None:
    """Callback of Heads: select the word at a position of the shown axis, or release the selected one.

    ``selected`` is the position and the `look` of the selected word. ``positions`` has, for each shown word, its
    position among all words or tokens.
    """
    if position is None or (position, look) == selected:
        reset("lock", "look")
    else:
        set_values({"lock": positions[position], "look": look})


def keep_cell(key: str, name: str, row: int, column: int) -> None:
    """Callback: keep the clicked number of a head's map for the next run."""
    st.session_state[key] = HeadId.parse(name), row, column


def set_values(values: Mapping[str, Any]) -> None:
    """Callback: set parameters of the open page."""
    st.session_state.update(values)


def set_values_of(names: Sequence[str], values: Sequence[Any]) -> None:
    """Callback: set some parameters of the open page in order."""
    set_values(dict(zip(names, values, strict=True)))


def reset(*names: str) -> None:
    """Callback: set parameters of the open page to their defaults, because another choice changed their meaning.

    The page may have changed with the choice: then it may lack some of them.
    """
    page = st.session_state["link_page"]
    for name in names:
        if name in PAGES[page].model_fields:
            st.session_state[name] = default(page, name)


def show_problems() -> None:
    """Show the problems of the link; the sentences stay until the next choice."""
    for problem in st.session_state["link_problems"]:
        st.warning(problem)
