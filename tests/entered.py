"""Count the functions of the code that a typed sentence and a pin enter on Heads, with MiniLM and a warm process."""

from __future__ import annotations

import inspect
import sys
import threading
from types import FrameType
from typing import Any

from tests.language import ROOT

FOLDERS = tuple(f"{ROOT / folder}/" for folder in ("mha", "pages"))
WARM, TYPED = "The clerk thanked the guest because {} waited", "The nurse helped the singer because they were kind"


class EnteredFunctions:
    """Profiler of every thread that collects the functions (`def`) of some folders while ``is_counting``.

    Lambdas, comprehensions and the bodies of modules and classes are left out. Threads that were started before the
    profiler are not seen.
    """

    def __init__(self, folders: tuple[str, ...] = FOLDERS) -> None:
        self.folders = folders
        self.names: set[tuple[str, str]] = set()
        self.is_counting = False

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if not self.is_counting or event != "call" or not code.co_filename.startswith(self.folders):
            return
        if code.co_flags & inspect.CO_OPTIMIZED and not code.co_name.startswith("<"):
            self.names.add((code.co_filename, code.co_qualname))

    def __enter__(self) -> EnteredFunctions:
        threading.setprofile(self)
        sys.setprofile(self)
        return self

    def __exit__(self, *_error: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]

    def during(self, action: Any) -> int:
        """Return the number of functions that an action enters."""
        self.names.clear()
        self.is_counting = True
        action()
        self.is_counting = False
        return len(self.names)


def count_entered_functions() -> dict[str, int]:
    """Return the functions entered by a typed sentence and by a pin of one head.

    The pin is set in the session state, as the callback of the grid does; the event of the browser is not part of it.
    """
    from tests.pages.conftest import Page

    with EnteredFunctions() as entered:  # from the start, so that it is in every thread
        page = Page(text=WARM.format("he"))
        for text in (WARM.format("she"), TYPED):
            page.test.text_area(key="text").set_value(text)
            typed = entered.during(page.run)
        assert page.test.session_state["text"] == TYPED, "the sentence was not taken"
        for pins in (["L0H1", "L3H2"], ["L0H1", "L4H5"]):
            page.test.session_state["pins"] = pins
            pinned = entered.during(page.run)
        assert page.test.session_state["pins"] == pins, "the head was not pinned"
    return {"functions_of_a_sentence": typed, "functions_of_a_pin": pinned}
