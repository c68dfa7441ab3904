"""Facts about Streamlit that it does not promise: each once, under the name of its purpose.

No other module imports from ``streamlit.runtime`` or ``streamlit.proto``, touches a name of Streamlit's that
begins with an underscore, or reads a file of its installation (tests/test_layers.py). A public way is preferred. Each
function names its fact, and tests/test_platform.py tests that fact, so an upgrade that breaks it fails. Written for
Streamlit 1.67.
"""

import re
import time
from pathlib import Path
from typing import NamedTuple

import streamlit
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

# ---- whose run this is


class Run(NamedTuple):
    """The run of a page that is under way in this thread, and what asked for it."""

    visitor: str
    page: str  # another text for another page
    by_history: bool  # a step back or forth in the browser's history asked for it
    of_a_part: bool  # a part of the page is drawn again alone


def run() -> Run | None:
    """Return the run of this thread, None outside of one. Leans on the script run context; nothing public has these."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return None
    return Run(
        context.session_id,
        context.page_script_hash,
        context.is_history_navigation,
        bool(context.fragment_ids_this_run),
    )


def is_open(visitor: str) -> bool:
    """Return whether a visitor's page is open, always where no server runs. Leans on ``Runtime.is_active_session``."""
    return not Runtime.exists() or Runtime.instance().is_active_session(visitor)


# ---- the files of downloads

SWEEP_SECONDS = 10.0  # a file that is made on request lives at least so long


def keep_downloads() -> None:
    """Make the server remove files that no page names every ten seconds instead of at the end of each run.

    A file that a button makes on request is named by no page: the second run of any visitor that ended before the
    browser had fetched it removed it. Leans on ``MediaFileManager.remove_orphaned_files``, which marks such a file at
    its first call and removes it at the second.
    """
    manager = Runtime.instance().media_file_mgr
    remove, calls = manager.remove_orphaned_files, [0.0]

    def remove_sometimes() -> None:
        if time.monotonic() - calls[-1] >= SWEEP_SECONDS:
            calls[:] = [time.monotonic()]
            remove()

    manager.remove_orphaned_files = remove_sometimes  # type: ignore[method-assign]


# ---- its addresses, and messages over its socket


_OWN = "/_stcore/"  # begins its own routes
STREAM = f"{_OWN}stream"  # the socket of a page
UPLOAD = re.compile(rf"{_OWN}upload_file(/|$)")  # a visitor's file
OWN_PATHS = r"(?:_stcore|static|media|component)/|manifest\.json$|favicon\.png$"  # what else it answers but its page
# Its own metrics, its way for programs and its script checks show or do more than a visitor needs.
ASIDE = re.compile(rf"{_OWN}(metrics|agent|script-health-check)(/|$)")


def kind_of_message(data: bytes) -> str | None:
    """Return the kind of a message from a page, "rerun_script" or "operation deferred_file"; None if it is not such a
    message.

    Leans on the message's fields.
    """
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except Exception:  # protobuf's own error type depends on how it was built
        return None
    kind: str | None = message.WhichOneof("type")
    if kind == "backend_operation_request":
        return f"operation {message.backend_operation_request.WhichOneof('payload')}"
    return kind or "empty"


LAST_BYTES = 200  # the longest message that ends a run, in bytes


def ends_run(data: bytes) -> bool:
    """Return whether a message to a page ends a run. Leans on that message's name, and on its size."""
    return len(data) <= LAST_BYTES and ForwardMsg.FromString(data).WhichOneof("type") == "script_finished"


# ---- its page, its scripts and its fonts


STATIC = Path(streamlit.__file__).parent / "static"  # index.html and manifest.json; below static/, css/, js/ and media/
_INLINE = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)
_ANCHORS = {  # of its page, each once
    "html": re.compile(r"<html\b[^>]*>"),
    "title": re.compile(r"<title>.*?</title>", re.DOTALL),
    "icon": re.compile(r"\./favicon\.png"),
    "font": re.compile(r'<link\s+rel="preload"\s+href="[^"]*SourceSansVF-Upright[^>]*/?>'),
    "end_of_head": re.compile(r"(?=</head>)"),
    "root": re.compile(r'(?<=<div id="root">)(?=</div>)'),  # its scripts replace what stands there
}


def anchored(page: str, **parts: str) -> str:
    """Return Streamlit's page with these parts of it replaced; parts that it lacks are left out.

    Leans on the text of its page; there is no setting for what stands in it before its scripts run: title and
    description of a link, our sheets, the first words, and the parts of its fonts. The names are those of ``_ANCHORS``.
    """
    for name, text in parts.items():
        page = _ANCHORS[name].sub(lambda _: text, page, count=1)  # noqa: B023 (called at once)
    return page


def own_page() -> str:
    """Return Streamlit's page as it is installed. Leans on where that is."""
    return (STATIC / "index.html").read_text(encoding="utf-8")


def inline_scripts(page: str) -> list[str]:
    """Return the inline scripts of a page. Leans on how Streamlit's is written, for which this is enough."""
    return _INLINE.findall(page)
