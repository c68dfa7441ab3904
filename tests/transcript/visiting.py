"""A visitor who writes down what a page sends: words, pictures' data, controls; where it is mounted is left out.

An item is one sentence, picture or control, as plain JSON: keys of widgets, bounds between components and containers
without a name do not count, so that the same page drawn in fewer pieces is the same transcript.
"""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
from google.protobuf.json_format import MessageToDict
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX
from streamlit.testing.v1.element_tree import Block, Widget

from mha.engine import Request
from mha.engine.answers import Experiment
from mha.engine.question import NotKnown, known_already
from mha.readers.envelope import unpacked
from mha.readers.first import first
from mha.readers.links import opened_link
from mha.readers.preview import preview
from mha.ui.bound import models
from mha.ui.telling import SCREEN
from tests.pages.conftest import FRAME, AppTest
from tests.unsealed import unseal

Item = dict[str, Any]
DIGITS = 6  # of a number that are kept
PATIENCE = 90  # seconds for what a page still waits for
UNSEEN = {
    "id",
    "formId",
    "key",
    "deferredFileId",
    "setValue",
    "rawValue",  # with `setValue` alone, which depends on how often the page was drawn; `value` has it
    "rawValues",
    "setBody",
    "queryParamKey",
    "elementId",
    "pageScriptHash",
}
SILENT = {"empty", "skeleton", "spinner", "transient"}  # what stands only while something comes
WAITING = ("progress", "spinner", "skeleton")
WHERE = re.compile(r"Step \d+ of 10")
NAMED = ("popover", "expandable", "tab", "dialog")
ADDRESS = re.compile(r"parallax-js/\w+|/media/[\w.]+")  # hashes of files and of what is downloaded
TAKES = re.compile(r"\((less than a minute|about [\w ]+ minutes?|about a minute)\)")  # measured, here and now


class Visitor:
    """Somebody who opens a link and goes on from there."""

    def __init__(self, link: str) -> None:
        page, _, query = link.partition("?")
        self.page, self.query = page, parse_qs(query, keep_blank_values=True)
        self.test = AppTest.from_file(FRAME, default_timeout=300)
        for name, values in self.query.items():
            self.test.query_params[name] = values if len(values) > 1 else values[0]
        if page:
            self.test.switch_page(f"{page}.py")
        self.run()

    def run(self) -> None:
        """Run the page until nothing on it still comes."""
        self.test.session_state[SCREEN] = "wide"  # as a browser says once the first picture stands
        self.test.run()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and any(_comes(one) for one, _ in self._elements()):
            time.sleep(0.3)
            self.test.run()
        assert not self.test.exception

    def items(self) -> list[Item]:
        """Return everything that stands on the page, and the address, in reading order."""
        said = [item for element, label in self._elements() for item in items_of(element, label)]
        address = dict(sorted(self.test.query_params.items()))
        return [plain({"kind": "address", "query": address}), *said]

    def opened(self) -> list[Item]:
        """Return what the link says before anything is drawn: the first answer's words, and where it is pasted.

        Every recording is known for it, and no experiment: what is in the cache depends on what else was opened.
        """
        link, _ = opened_link(self.page, self.query, models())
        before = first(link, _recorded)
        pasted = preview(link, self.query, before, _recorded)
        return [
            plain({"kind": "first answer", "texts": before.texts, "said": before.said}),
            plain({"kind": "preview", "title": pasted.title, "said": pasted.sentence, "pieces": pasted.pieces}),
        ]

    def does(self, deed: tuple) -> None:
        """Do one thing: ``("click", event, value)`` in a picture, or a row of `CONTROLS` with its label and value."""
        what, name, *value = deed
        if what == "click":
            self._click(name, value[0] if value else {})
        elif what == "page":
            self.test.switch_page(f"{name or 'heads'}.py")
        elif what == "press":
            next(button for button in self.test.button if button.label == name).click()
        else:
            found = [one for one in self.test.get(what) if getattr(one, "label", None) == name]
            assert found, f"no {what} is called {name!r}"
            found[0].set_value(value[0])
        if what != "click":
            self.run()

    def _elements(self) -> Iterator[tuple[Any, str]]:
        yield from _walk(self.test.main)

    def _click(self, name: str, value: Any) -> None:
        """Send an event of a component, named ``component.event``, as a browser does."""
        component, _, event = name.partition(".")
        (proto,) = [
            one.proto
            for one, _ in self._elements()
            if getattr(one, "type", "") == "bidi_component" and _takes(one.proto, component, event)
        ][:1] or [None]
        assert proto is not None, f"nothing here takes {name}"
        said = [{"event": event, "value": value}]
        sent = WidgetState(
            id=f"{STREAMLIT_INTERNAL_KEY_PREFIX}_{proto.id}__events", json_trigger_value=json.dumps(said)
        )
        states = self.test._tree.get_widget_states()
        states.widgets.append(sent)
        self.test._run(states)
        self.run()


def _recorded(question: Any) -> Any:
    """Answer with recordings, made where they are not known, and with what needs no run."""
    if isinstance(question, Experiment):
        raise NotKnown
    return question.answer() if isinstance(question, Request) else known_already(question)


def _comes(element: Any) -> bool:
    """Return whether an element says that something still comes; Step by step has a bar that says where one is."""
    kind = getattr(element, "type", "")
    return kind in WAITING and not (kind == "progress" and WHERE.fullmatch(element.proto.text))


def _takes(proto: Any, component: str, event: str) -> bool:
    return proto.component_name == f"parallax_{component}" and bool(event)


def _walk(block: Block, label: str = "") -> Iterator[tuple[Any, str]]:
    for child in block.children.values():
        if isinstance(child, Block):
            name = getattr(child, "label", "") if getattr(child, "type", "") in NAMED else ""
            yield from _walk(child, name or label)
        else:
            yield child, label


def items_of(element: Any, inside: str) -> list[Item]:
    """Return what an element says, as items; ``inside`` is the popover, tab or dialog in which it stands."""
    kind = getattr(element, "type", "")
    if kind in SILENT:
        return []
    if kind == "bidi_component":
        found = _of_component(element.proto)
    elif kind == "plotly_chart":
        found = [{"kind": "figure", "spec": json.loads(element.proto.spec)}]
    elif kind == "dataframe":
        found = [{"kind": "table", "columns": list(element.value.columns), "rows": element.value.to_numpy().tolist()}]
    else:
        found = [_native(element, kind)]
    return [plain({**item, "inside": inside} if inside else item) for item in found]


def _of_component(proto: Any) -> list[Item]:
    content, name = unpacked(proto.bytes), proto.component_name.removeprefix("parallax_")
    data, arrays = (json.loads(content), {}) if content[3] else unseal(content)
    if list(data) in (["blocks"], ["blocks", "large"]):
        return [{**block, **({"large": True} if data.get("large") else {})} for block in data["blocks"]]
    return [{"kind": name, **data, **({"arrays": arrays} if arrays else {})}]


def _native(element: Any, kind: str) -> Item:
    said = MessageToDict(element.proto) if hasattr(element.proto, "DESCRIPTOR") else {}
    item = {"kind": kind, **{name: value for name, value in said.items() if name not in UNSEEN}}
    word = said.get("queryParamKey")
    if word:
        item["word"] = word
    if isinstance(element, Widget):
        item["value"] = getattr(element, "value", None)
    return item


def plain(value: Any) -> Any:
    """Return a value as JSON that compares: numbers rounded, arrays as what they hold, hashes of files left out."""
    if isinstance(value, np.ndarray):
        return {"shape": list(value.shape), "values": plain(value.ravel().tolist())}
    if isinstance(value, dict):
        if set(value) >= {"dtype", "bdata"}:  # as plotly writes an array
            return plain(np.frombuffer(base64.b64decode(value["bdata"]), dtype=value["dtype"]))
        return {str(name): plain(one) for name, one in value.items() if one is not None}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, bool | int | str):
        return TAKES.sub("(…)", ADDRESS.sub("…", value)) if isinstance(value, str) else value
    if isinstance(value, float):
        return None if value != value else float(f"{value:.{DIGITS}g}")
    if value is None or value is pd.NA:
        return None
    return plain(value.item()) if isinstance(value, np.generic) else str(value)
