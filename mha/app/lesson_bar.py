"""A lesson in progress: its bar on every page, and the way from stop to stop.

``lesson`` and ``stop`` alone in an address open the stop's page with the stop's parameters, which the address then
contains too. A lesson that the visitor opens from a file lasts for the visit and is called `OPEN`.
"""

from functools import partial
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from mha.app import errors, share, uploads
from mha.app.components import component
from mha.app.link import Query, encode, parse, report_problem, url_query
from mha.errors import InputError
from mha.formats import markdown
from mha.lesson import OPEN, SHORT, LessonPlan, LessonStop, offered, read
from mha.navigation import VERSION, page_row, public_folder
from mha.views.lesson import PAGE, short_link, spans, unknown

WHICH = "lesson_which"
EVENTS = ("go", "show", "leave", "code", "large")
KEY, PLACE = "lesson_at_work", "class_bar"
AT, CODE, LEFT = "lesson_stop_open", "lesson_code", "lesson_left"
OF_THE_CLASS = {"lesson", "stop", "reveal", "large"}  # may change without leaving the view of the stop
OF_ANY_LINK = SHORT | {"v", "reveal"}  # also of a link that was followed or copied


def follow(page: str) -> None:
    """Go to the stop that the bar or a short link asks for, before anything is drawn."""
    state, query = st.session_state, url_query()
    if state.pop(LEFT, False):  # the address still has the lesson
        return
    target = state.pop(NEXT_STOP, None)
    name, number = target or ("", 0)
    if not target:
        name = (query.get("lesson") or [""])[-1]
        if not name or page == PAGE:
            return
        number = _number((query.get("stop") or ["1"])[-1])
        if state.get(AT) == (name, number):
            return
        if not query.keys() <= OF_ANY_LINK:  # followed before: its words may be defaults, which the address drops
            state[AT] = name, number
            return
    plan = plans().get(name)
    if plan is None:
        return
    if number > len(plan.stops) or not number:
        state[AT], state["lesson"], state["stop"] = None, "", 1
        state[WHICH] = name
        st.switch_page(f"{PAGE}.py", query_params={"v": VERSION, WHICH: name})
    stop = plan.stops[number - 1]
    if not target and "v" in query and page == stop.page and len(_query_of(stop)) <= 1:
        state[AT] = name, number  # followed before: the address of a stop whose every word is a default
        return
    _open(plan, number, query)


def _open(plan: LessonPlan, number: int, query: Query) -> None:
    stop, state = plan.stops[number - 1], st.session_state
    answers = {None: (query.get("reveal") or [""])[-1], (plan.name, number): state.get("reveal")}
    reveal = answers.get(state.get(AT))  # of an address that is opened, and of a stop that one comes back to
    on_its_way = reveal if reveal in ("0", "1") else "0" if stop.guess else "1"
    large = bool(state.get("large")) or (query.get("large") or [""])[-1] == "true"
    state[AT] = plan.name, number
    values = {"lesson": plan.name, "stop": number, "reveal": on_its_way, "large": large}
    st.switch_page(page_row(stop.page).file, query_params=_query_of(stop, **values))


def _values(stop: LessonStop) -> dict[str, Any]:
    """Return the parameters of a stop."""
    return parse(stop.page, _query(stop))[0].model_dump()


def _query(stop: LessonStop) -> dict[str, list[str]]:
    query: dict[str, list[str]] = {}
    for name, value in stop.words:
        query.setdefault(name, []).append(value)
    return query


def _query_of(stop: LessonStop, /, **values: Any) -> dict[str, list[str]]:
    """Return the link of a stop as a query, defaults left out; ``values`` replace those of the stop."""
    return encode(stop.page, _values(stop) | values)


def has_wandered(stop: LessonStop, page: str) -> bool:
    """Return whether the open view is not the view of the stop."""
    if page != stop.page:
        return True
    state = st.session_state
    return any(state.get(name) != value for name, value in _values(stop).items() if name not in OF_THE_CLASS)


def _number(value: str) -> int:
    return max(1, int(value)) if value.isascii() and value.isdigit() and len(value) < 4 else 1


def draw(page: str) -> None:
    """Draw the bar of the lesson in progress, on every page but that of the plans."""
    if page == PAGE or st.context.is_embedded:
        return
    name, open_plans = st.session_state["lesson"], plans()
    plan = open_plans.get(name)
    if plan is None:
        st.session_state["lesson"], st.session_state["stop"] = "", 1
        report_problem(markdown(unknown(name, open_plans)))
        return
    number = min(_number(str(st.session_state.get("stop") or 1)), len(plan.stops))
    with st.container(key=PLACE):
        component("lesson", "frame/lesson.js", "lesson")(
            key=KEY, data=_bar_data(plan, number, page),
                **{f"on_{event}_change": partial(_handle_event, event, plan) for event in EVENTS},
        )  # fmt: skip
    if st.session_state.pop(CODE, False):
        _code(plan, number)


def _bar_data(plan: LessonPlan, number: int, page: str) -> dict[str, Any]:
    stop, revealed = plan.stops[number - 1], st.session_state.get("reveal") != "0"
    state = "guess first" if not revealed else "findings shown" if stop.guess else "open"
    return {
        "lesson": plan.name, "number": number, "minutes": [item.minutes for item in plan.stops], "state": state,
        "guess": stop.guess or not revealed, "revealed": revealed, "large": _large(), "away": has_wandered(stop, page),
        "title": [*spans(plan.title), ("plain", " · "), *spans(stop.title)],
        "question": list(spans(stop.ask or stop.title)),
    }  # fmt: skip


def _large() -> bool:
    """Return whether type is large, before its own widget is drawn."""
    choice = st.session_state.get("large")
    return bool(choice) if choice is not None else (url_query().get("large") or [""])[-1] == "true"


def _handle_event(event: str, plan: LessonPlan) -> None:
    state = st.session_state
    value = (state.get(KEY) or {}).get(event)
    if event == "go" and isinstance(value, int) and 1 <= value <= len(plan.stops) + 1:
        state[NEXT_STOP] = plan.name, value
    elif event == "show" and value in ("0", "1"):
        state["reveal"] = value
    elif event == "large" and value in ("0", "1"):
        state["large"] = value == "1"
    elif event == "leave":
        state["lesson"], state["stop"], state[AT], state[LEFT] = "", 1, None, True
    elif event == "code":
        state[CODE] = True


def stop_address(plan: LessonPlan, number: int) -> str:
    """Return the address of a stop for others; of a visitor's own file, which others lack, that of its page."""
    page, stop = str(st.session_state.get("link_page") or ""), plan.stops[number - 1]
    folder = public_folder(st.context.url or "", page)
    if plan.name != OPEN:
        return f"{folder}?{short_link(plan, number)}"
    reveal = "0" if stop.guess else "1"
    return f"{folder}{stop.page}?{urlencode(_query_of(stop, reveal=reveal), doseq=True)}"


@st.dialog("Code for phones", width="medium")
@errors.error_boundary()
def _code(plan: LessonPlan, number: int) -> None:
    address = stop_address(plan, number)
    share.show_reach(address)
    st.image(share.code(address), width=520 if st.session_state.get("large") else 260, alt="QR code of this stop")
    st.code(address, language=None, wrap_lines=True)
    st.caption("Each phone goes its own way; nothing is sent back.")


OWN = "lesson_own"  # the plan of the visitor's file
NEXT_STOP = "lesson_goes_to"  # the lesson and the stop that open in the next run
_FIELD, _MEGABYTES = "lesson_file", 1
_CONTENT = "lesson_file_taken"  # the content of the file that was last read


def own_plan() -> LessonPlan | None:
    """Return the lesson of the visitor's file, or None."""
    plan = st.session_state.get(OWN)
    return plan if isinstance(plan, LessonPlan) else None


def plans() -> dict[str, LessonPlan]:
    """Return the lessons that this visit can open, by name."""
    plan = own_plan()
    return offered() | ({OPEN: plan} if plan is not None else {})


def field() -> None:
    """Draw the field for a lesson in a file, and the button that starts it."""
    file = uploads.field("Open a lesson of your own", _FIELD, _MEGABYTES, ("md",))
    content = None if file is None else file.getvalue()
    if content is None:
        st.session_state.pop(_CONTENT, None)
    elif st.session_state.get(_CONTENT) != content:
        st.session_state[_CONTENT] = content
        try:
            plan = read(content)
        except InputError as error:
            errors.say(str(error))
        else:
            st.session_state[OWN], st.session_state["lesson_which"] = plan, OPEN
            st.rerun()
    if own_plan() is not None:
        st.button("Start your lesson", key="lesson_start", on_click=start, args=(OPEN,))


def start(name: str) -> None:
    """Callback: open the first stop of a lesson."""
    st.session_state[NEXT_STOP] = name, 1
