"""One browser tab without the browser: Streamlit's websocket protocol, so that one process can be fifty people."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.parse
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from mha.views.component_data import unpacked

WAIT = 60.0  # seconds for one answer
LABEL, LABEL_BEFORE = "Your text", "Your sentence"  # of the field for the text; the second one of release 0.2
TELLER = "parallax_overview"  # in 0.2 it says when the first picture stands; the rest of the page comes then
ENDS = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
VALUES = {"text_area": "string_value", "text_input": "string_value"}  # what carries what was typed


@dataclass
class Answer:
    """What one run of the script sent: after how long, how much of it and of what.

    ``drawn`` has what our components and paragraphs were sent, unpacked: a field that was typed in holds its text
    whatever the page makes of it, they do not.
    """

    seconds: float
    bytes: int
    by_element: Counter[str]
    drawn: bytes = field(repr=False)


class Visitor:
    """Someone with one page open. What was typed and clicked is in the link and in the widgets, as in a browser.

    ``cookie`` is the page's cookie, by which a proxy finds the same process again. ``address`` is the visitor's address
    as a trusted proxy forwards it.
    """

    def __init__(self, url: str, page: str = "", cookie: str = "", address: str = "") -> None:
        self._url, self._page = url, page
        headers = {"Cookie": cookie, "X-Forwarded-For": address}
        self._headers = {name: value for name, value in headers.items() if value}
        self._socket: ClientConnection | None = None
        self._hash = ""
        self._link: dict[str, str] = {}
        self._widgets: dict[str, tuple[str, str]] = {}  # id: field of the message and value
        self._labels: dict[str, tuple[str, str]] = {}  # label: id and kind
        self._reruns: dict[str, float] = {}  # fragments that run again by themselves: id and seconds in between
        self._components: dict[str, str] = {}  # name: id
        self._known: set[str] = set()  # messages that a browser keeps and is not sent twice

    async def open(self, **link: str) -> Answer:
        """Come to the page by a link."""
        address = self._url.replace("http", "ws", 1) + "/_stcore/stream"
        self._socket = await connect(
            address,
            subprotocols=["streamlit", "x"],
            origin=self._url,
            additional_headers=self._headers,
            max_size=None,
            compression=None,
        )
        self._link = dict(link)
        first = await self._run()
        if not (self.has(LABEL_BEFORE) and TELLER in self._components):
            return first
        self._widgets[self._components[TELLER]] = ("json_value", json.dumps({"screen": "wide"}))
        rest = await self._run()
        return Answer(
            first.seconds + rest.seconds,
            first.bytes + rest.bytes,
            first.by_element + rest.by_element,
            first.drawn + rest.drawn,
        )

    def has(self, label: str) -> bool:
        """Return whether the page has a text field of that label."""
        return label in self._labels

    async def type(self, text: str) -> Answer:
        """Type a text into its field, which is bound to a word of the link."""
        name, kind = self._labels[LABEL if self.has(LABEL) else LABEL_BEFORE]
        self._widgets[name] = (VALUES[kind], text)
        self._link["text"] = text
        return await self._run()

    async def trigger(self, component: str, event: str, value: Any) -> Answer:
        """Send what a component of ours sends when it is clicked."""
        name = f"$$STREAMLIT_INTERNAL_KEY_{self._components[component]}__events"
        return await self._run({name: ("json_trigger_value", json.dumps([{"event": event, "value": value}]))})

    async def again(self) -> Answer:
        """Let the script run again with nothing changed."""
        return await self._run()

    async def rest(self, seconds: float) -> list[Answer]:
        """Look at the page for so long; return the answers of the fragments that a browser lets run again meanwhile."""
        begin, answers = time.perf_counter(), []
        next_runs: dict[str, float] = {}
        while True:
            now = time.perf_counter() - begin
            next_runs = {name: next_runs.get(name, now + pause) for name, pause in self._reruns.items()}
            name = min(next_runs, key=lambda name: next_runs[name], default="")
            due = next_runs.get(name, seconds)
            if due >= seconds:
                await asyncio.sleep(max(0.0, seconds - now))
                return answers
            await asyncio.sleep(max(0.0, due - now))
            answers.append(await self._run(fragment=name))
            next_runs.pop(name)

    async def close(self) -> None:
        """Leave."""
        if self._socket:
            await self._socket.close()

    async def _run(self, once: dict[str, tuple[str, str | bool]] | None = None, fragment: str = "") -> Answer:
        assert self._socket
        message = BackMsg()
        state = message.rerun_script
        state.query_string = urllib.parse.urlencode(self._link)
        state.page_script_hash, state.page_name = self._hash, "" if self._hash else self._page
        state.context_info.timezone, state.context_info.url = "UTC", f"{self._url}/{self._page}"
        state.cached_message_hashes.extend(self._known)
        state.fragment_id, state.is_auto_rerun = fragment, bool(fragment)
        if not fragment:
            self._reruns = {}
        for name, (kind, value) in {**self._widgets, **(once or {})}.items():
            widget = state.widget_states.widgets.add(id=name)
            setattr(widget, kind, value)
        begin = time.perf_counter()
        await self._socket.send(message.SerializeToString())
        return await asyncio.wait_for(self._read(begin), WAIT)

    async def _read(self, begin: float) -> Answer:
        assert self._socket
        by_element, drawn, started = Counter[str](), [], False
        while True:
            raw = await self._socket.recv(decode=False)
            message = ForwardMsg.FromString(raw)
            kind = message.WhichOneof("type")
            if message.metadata.cacheable:
                self._known.add(message.hash)
            if kind == "new_session":
                started, by_element, drawn = True, Counter(), []
            if kind == "auto_rerun":
                self._reruns[message.auto_rerun.fragment_id] = message.auto_rerun.interval
            if kind == "navigation":
                self._hash = message.navigation.page_script_hash
            name = self._element(message) if kind == "delta" else kind
            by_element[name] += len(raw)
            drawn.append(unpacked(_sent(message)))
            if kind == "script_finished" and started:
                if message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    started, self._reruns = False, {}
                    continue
                if message.script_finished not in ENDS:
                    raise RuntimeError(f"the script ended with {message.script_finished}")
                seconds = time.perf_counter() - begin
                return Answer(seconds, sum(by_element.values()), by_element, b"".join(drawn))

    def _element(self, message: ForwardMsg) -> str:
        """Return what was sent, and remember how to answer it."""
        delta = message.delta
        if not delta.HasField("new_element"):
            return str(delta.WhichOneof("type"))
        kind = str(delta.new_element.WhichOneof("type"))
        element = getattr(delta.new_element, kind)
        if kind == "exception":
            raise RuntimeError(f"the page failed: {element.type}: {element.message}")
        if kind in VALUES:
            self._labels[element.label] = (element.id, kind)
        if kind == "bidi_component":
            self._components[element.component_name] = element.id
            return element.component_name
        return kind


def _sent(message: ForwardMsg) -> bytes:
    """Return what a message has for a component of ours or, on a page with nothing else, for a paragraph."""
    element = message.delta.new_element
    return bytes(element.bidi_component.bytes) or element.markdown.body.encode()
