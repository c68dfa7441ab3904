"""The words of the link that pages have which are not plain; `mha.navigation` has the rows of all pages."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from itertools import islice

from mha.link.kinds import Shape, quoted
from mha.link.readings import ReadingsWords
from mha.link.removed import REMOVED, removed
from mha.link.view import COPIED, View, complaint_of_end, complaint_of_version, shape_of
from mha.link.word import Query, Words

WORDS: Mapping[str, type[Words]] = {"readings": ReadingsWords}
_EVERY: tuple[type[Words], ...] = (View, *WORDS.values())
KNOWN = {*COPIED, *REMOVED, *(word.name for words in _EVERY for word in words.table())}
ALIKE, LEAST, MOST = 0.8, 4, 20  # how alike a name that was meant is, of how many letters; so many are looked at


def words_of(path: str) -> type[Words]:
    """Return the words of a page that is not plain; others have none."""
    return WORDS.get(path, Words)


def misspelt(query: Query, page: str) -> dict[str, str]:
    """Return a complaint for each word that left this page, or that no page knows and that is nearly a word of it.

    Words that left share one complaint. Others are left alone: a link may be newer than the app, or pass through a
    mailer that adds some.
    """
    names = [word.name for word in (*View.table(), *words_of(page).table()) if len(word.name) >= LEAST]
    unknown = (name for name in query if name not in KNOWN and LEAST - 1 <= len(name) <= max(map(len, names)) + LEAST)
    meant = {name: get_close_matches(name.casefold(), names, 1, ALIKE) for name in islice(unknown, MOST)}
    return removed(query, words_of(page).PREFIX) | {
        name: f"Problem in this link: {quoted(name)} (unknown; perhaps {quoted(alike[0])} was meant). Showing the rest."
        for name, alike in meant.items()
        if alike
    }


def corrected(query: Query, page: str, models: Mapping[str, Shape]) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """Return what has to stand in a link to a page in the place of what cannot (empty: nothing), and the complaints."""
    shape = shape_of(query, models)
    fixes = View.fixes(query, shape) | words_of(page).fixes(query, shape)
    wrong = misspelt(query, page)
    said = (*(fix.complaint for fix in fixes.values()), *dict.fromkeys(wrong.values()))
    complaints = (complaint_of_version(query), complaint_of_end(query), *said)
    out: dict[str, list[str]] = {name: [] for name in (*COPIED, *wrong) if name in query}  # marks have done their work
    return {name: fix.values for name, fix in fixes.items()} | out, tuple(filter(None, complaints))
