"""The words of the link that pages have which are not plain; `mha.navigation` has the rows of all pages."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from itertools import islice

from mha.link.kinds import Shape, quoted
from mha.link.removed import REMOVED, removed
from mha.link.view import COPIED, View, complaint_of_end, complaint_of_version, shape_of
from mha.link.word import Query, Words

NAME = "Parallax"
ABOUT = "See where every attention head of a transformer looks in your sentence."
GUESS_FIRST = "Guess first: where will the heads look?"
IN_BAR, IN_MORE = "", "More"  # where the navigation has a page


@dataclass(frozen=True)
class PageRow:
    """A page: its part of the address, its name, and what a link to it says where nothing is known of its text.

    ``door`` is what leads to it from another page. ``of_text`` says that its numbers are of the text and the model of
    the link, ``opens_with_text`` that it opens with that text, ``second`` names the parameters that may have another
    sentence, ``controls`` that the frame's controls stand on it.
    """

    path: str
    title: str
    about: str
    door: str
    words: type[Words] = Words
    of_text: bool = False
    opens_with_text: bool = False
    second: tuple[str, ...] = ()
    stands: str = IN_BAR
    controls: bool = True

    @property
    def of_no_sentence(self) -> bool:
        """Whether what stands on it stays whatever the text, but for places that say otherwise themselves."""
        return not (self.of_text or self.opens_with_text)

    @property
    def file(self) -> str:
        """The script that opens it, in the folder `pages`."""
        return f"{self.path or 'heads'}.py"


ROWS = (
    PageRow(
        "",
        "Heads",
        ABOUT,
        "Look at every head of your sentence",
        HeadsWords,
        of_text=True,
        opens_with_text=True,
    ),
    PageRow(
        "readings",
        "Two readings",
        "An ambiguous sentence: where heads look, what carries the change, and whether it matters.",
        "Compare two readings, with their controls",
        of_text=True,
        opens_with_text=True,
        second=("readings_contrast",),
    ),
    PageRow(
        "next",
        "Next word",
        "Which word a language model expects next, and which heads that depends on.",
        "See the next word, and which heads matter for it",
        of_text=True,
    ),
    PageRow(
        "compare",
        "Change a word",
        "Change one word and see which heads change, compared with a control.",
        "Change a word and see which heads change",
        of_text=True,
        opens_with_text=True,
        second=("second", "compare_second"),
        stands=IN_MORE,
    ),
    PageRow(
        "matters",
        "Looks, adds, matters",
        "Where each head looks, what it adds to a word, and whether the word depends on it: three numbers, one chart.",
        "See where heads look, what they add, whether it matters",
        of_text=True,
        stands=IN_MORE,
    ),
    PageRow(
        "write",
        "Let it write",
        "Ten words that a language model writes, with the attention of a head at each step.",
        "Let the model write ten words",
        of_text=True,
        stands=IN_MORE,
    ),
    PageRow(
        "steps",
        "Step by step",
        "One cell of attention, from the words to the output.",
        "Walk it step by step",
        of_text=True,
        opens_with_text=True,
    ),
    PageRow(
        "training",
        "Watch heads learn",
        "Two tiny transformers learn: one head against two.",
        "Watch heads learn it",
        controls=False,
    ),
    PageRow(
        "atlas",
        "Whole model",
        "All heads of a model by any two measures, and a page for every head.",
        "See all heads of the model, and a page for each",
        stands=IN_MORE,
    ),
    PageRow(
        "questions",
        "Questions",
        "Three claims about heads and ten questions: predict, then an experiment answers. What can be concluded.",
        "Predict, then let an experiment answer",
        controls=False,
    ),
    PageRow(
        "lesson",
        "Lesson",
        "A lesson stop by stop: what to ask, what to do, and a worksheet to print.",
        "Open the lesson",
        controls=False,
    ),
)
PAGES: Mapping[str, PageRow] = {row.path: row for row in ROWS}
OPENS_PREDICTING = ("next", "matters", "write")  # pages that open with a model that predicts words
MOVED = "{names} left Heads in 0.3: models predict words on Next word and write on Let it write."
KNOWN = {
    *(*COPIED, *MOVED_TO_NEXT_WORD, *REMOVED),
    *(word.name for row in ROWS for word in (*View.table(), *row.words.table())),
}
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
