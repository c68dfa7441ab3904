"""What happens on the way of a typed sentence: which functions run, in which files, and how often rooms change."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from streamlit.testing.v1 import local_script_runner

from tests.house.counting import ROOT

PACKAGE = str(ROOT / "mha")
WARM, TYPED = "The clerk thanked the guest because {} waited", "The nurse helped the singer because they were kind"


class Way:
    """Calls of the package's functions while one run of a page goes on, in every thread."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str]] = set()
        self.changes = 0
        self.counting = False
        self._room = threading.local()

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        if not self.counting or event != "call" or not frame.f_code.co_filename.startswith(PACKAGE):
            return
        file = frame.f_code.co_filename
        self.functions.add((file, frame.f_code.co_qualname))
        room = str(Path(file).parent)
        self.changes += room != getattr(self._room, "now", room)
        self._room.now = room

    def __enter__(self) -> Way:
        threading.setprofile(self)
        sys.setprofile(self)
        return self

    def __exit__(self, *_raised: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def followed() -> dict[str, str]:
    """Return the way of a sentence that is typed on Heads, and the messages that its run sends."""
    from mha.ui import page_run
    from tests.pages.conftest import IS_OPEN, Page

    runners = []
    begin = local_script_runner.LocalScriptRunner.__init__

    def noted(self, *given, **more):
        begin(self, *given, **more)
        runners.append(self)

    local_script_runner.LocalScriptRunner.__init__ = noted  # type: ignore[method-assign]
    try:
        with Way() as way:  # from the start, so that it is in every thread
            page = Page(text=WARM.format("he"))
            page_run.is_open = IS_OPEN
            page.test.text_area(key="text").set_value(WARM.format("she"))
            page.run()
            page.test.text_area(key="text").set_value(TYPED)
            way.counting = True
            page.run()
        assert page.header("overview")["keys"][-1] == TYPED.split()[-1], "the sentence was not drawn"
        messages = len(runners[-1].forward_msg_queue._queue)
    finally:
        local_script_runner.LocalScriptRunner.__init__ = begin  # type: ignore[method-assign]
    files = {file for file, _ in way.functions}
    passed = f"{len(way.functions)} / {len(files)} / {way.changes:,}"
    return {
        "functions / files / changes of room on the way of a typed sentence": passed,
        "messages of a rerun of Heads": str(messages),
    }
