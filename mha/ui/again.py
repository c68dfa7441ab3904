"""What a browser only says again, not having heard what the server has put there since: it is no choice of anybody's.

A browser says with every deed what all its widgets hold. What shows a word of the link hears with the next run what the
server has put there, and a reader may be quicker than that: of two sentences that are typed one after the other, the
second would be given up for the example that was there before the first, and whoever leaves a page at once would lose
theirs. Held by tests/pages/test_again.py, tests/browser/test_again.py and tests/browser/test_another_text.py.

A page that stays open while its server begins anew says all its widgets to a visit that knows none of them. What was
typed meanwhile is noted, for the address still has the words of before. Held by tests/browser/test_faults.py.
"""

from __future__ import annotations

from typing import Any

from mha.streamlit_facts import Coming, WidgetSaid, leave_out, run

SAID = "browser_said"  # what the browser said last: a mark of each widget's state, by the widget's id
PAGE = "browser_said_on"  # on which page
TYPED = "browser_typed"  # what a new visit's browser says of its fields for text, by their keys

_noted: set[str] = set()  # the keys of what may be said again, the same for all visitors


def note(key: str) -> None:
    """Note the key of a widget that shows, in every run, what stands elsewhere in the visit's state."""
    _noted.add(key)


def take_only_new() -> None:
    """Take no state from now on that a browser only says again."""
    leave_out(_only_again)


def _only_again(coming: Coming) -> list[WidgetSaid]:
    visit = coming.visit
    if SAID not in visit:
        visit[TYPED] = {said.key: said.value() for said in coming.said if said.kind == "string_value"}
    before = visit[SAID] if SAID in visit else {}  # noqa: SIM401 (it has no `get`)
    now = {said.id: said.mark for said in coming.said}
    changed = coming.changed()
    again = [said for said in changed if now[said.id] == before.get(said.id) and said.key in _noted]
    visit[SAID] = now
    # Whoever chooses what stood there before says the same again, but then that is all they did.
    return again if _is_no_choice(visit) or len(again) > 1 or len(changed) > len(again) else []


def _is_no_choice(visit: Any) -> bool:
    """Return whether a run was asked for by something else than a widget: time, another page, a step in the history."""
    asked = run()
    if asked is None:
        return False
    elsewhere = PAGE in visit and visit[PAGE] != asked.page
    visit[PAGE] = asked.page
    return elsewhere or asked.by_history or asked.of_a_part
