"""The pages of the app, one row each: path, title, description, and its place in the navigation."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

NAME = "Parallax"
VERSION = "1"  # of links
ABOUT = "See where every attention head of a transformer looks in your sentence."
GUESS_FIRST = "Guess first: where will the heads look?"
IN_BAR, IN_MORE = "", "More"  # sections of the navigation


@dataclass(frozen=True)
class PageRow:
    """A page: its path, title and description, and the label ``door`` of links that lead to it.

    ``of_text``: its numbers belong to the text and the model of the link. ``opens_with_text``: it opens with that text.
    ``second`` names the parameters of a second sentence. ``section`` is its section of the navigation.
    """

    path: str
    title: str
    about: str
    door: str
    of_text: bool = False
    opens_with_text: bool = False
    second: tuple[str, ...] = ()
    section: str = IN_BAR

    @property
    def file(self) -> str:
        """The name of its script in the folder `pages`."""
        return f"{self.path or 'heads'}.py"


ROWS = (
    PageRow(
        "",
        "Heads",
        ABOUT,
        "Look at every head of your sentence",
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
        section=IN_MORE,
    ),
    PageRow(
        "matters",
        "Looks, adds, matters",
        "Where each head looks, what it adds to a word, and whether the word depends on it: three numbers, one chart.",
        "See where heads look, what they add, whether it matters",
        of_text=True,
        section=IN_MORE,
    ),
    PageRow(
        "write",
        "Let it write",
        "Ten words that a language model writes, with the attention of a head at each step.",
        "Let the model write ten words",
        of_text=True,
        section=IN_MORE,
    ),
    PageRow(
        "translate",
        "Translation",
        "An English sentence in Portuguese: which word changes without two heads of the translator?",
        "See a translator without two of its heads",
        of_text=True,
        section=IN_MORE,
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
    ),
    PageRow(
        "atlas",
        "Whole model",
        "All heads of a model by any two measures, and a page for every head.",
        "See all heads of the model, and a page for each",
        section=IN_MORE,
    ),
    PageRow(
        "yours",
        "Your file",
        "Attention maps of any tool: open a file and look at every head.",
        "Open a file of maps",
        section=IN_MORE,
    ),
    PageRow(
        "questions",
        "Questions",
        "Three claims about heads and ten questions: predict, then an experiment answers. What can be concluded.",
        "Predict, then let an experiment answer",
    ),
    PageRow(
        "lesson",
        "Lesson",
        "A lesson stop by stop: what to ask, what to do, and a worksheet to print.",
        "Open the lesson",
    ),
)
PAGES: Mapping[str, PageRow] = {row.path: row for row in ROWS}
OPENS_PREDICTING = ("next", "matters", "write")  # pages that open with a model that predicts words


def page_row(path: str) -> PageRow:
    """Return the row of a page; an unknown path is the name of a row of its own."""
    return PAGES.get(path) or PageRow(path, path.replace("_", " ").capitalize(), ABOUT, "")


PUBLIC_URL = "PARALLAX_PUBLIC_URL"
HERE_ONLY, SAME_NETWORK, ANYWHERE = "here only", "same network", "anywhere"


def public_folder(shown: str, page: str) -> str:
    """Return the app's address as others open it, with its slash: ``shown`` is that of a page in a visitor's browser.

    The result is "" if the address is unknown.

    >>> public_folder("https://example.org/heads-of/readings", "readings")
    'https://example.org/heads-of/'
    """
    address = os.environ.get(PUBLIC_URL, "").strip().rstrip("/")
    parts = urlsplit(address)
    if parts.scheme in ("http", "https") and parts.netloc:
        return f"{address}/"
    return shown.rstrip("/").removesuffix(f"/{page}" if page else "") + "/" if shown else ""


def reach(address: str) -> str:
    """Return the reach of an address: this machine, the same network, or anywhere. No name is looked up.

    >>> reach("http://localhost:8501/"), reach("http://192.168.1.7:8501/"), reach("https://example.org/")
    ('here only', 'same network', 'anywhere')
    """
    host = (urlsplit(address).hostname or "").rstrip(".")
    if host in ("", "localhost") or host.endswith((".localhost", ".local")):
        return HERE_ONLY
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return ANYWHERE
    if number.is_loopback or number.is_unspecified:
        return HERE_ONLY
    return SAME_NETWORK if number.is_private else ANYWHERE
