"""What each page is called, and what a link to it says where nothing is known of its text."""

from __future__ import annotations

from dataclasses import dataclass

NAME = "Parallax"
ABOUT = "See where every attention head of a transformer looks in your sentence."
MOST_LETTERS = 120  # of a sentence that is drawn


@dataclass(frozen=True)
class PageAbout:
    """A page: what it is called, and what a link to it says where nothing is known of its text."""

    title: str
    about: str


PAGES: dict[str, PageAbout] = {
    "": PageAbout("Heads", ABOUT),
    "readings": PageAbout(
        "Two readings",
        "An ambiguous sentence: where heads look, what carries the change, and whether it matters.",
    ),
    "compare": PageAbout("Change a word", "Change one word and see which heads change, compared with a control."),
    "steps": PageAbout(
        "Step by step", "One cell of attention, from the words to the output, with numbers you can change."
    ),
    "training": PageAbout("Watch heads learn", "Train two tiny transformers live: one head against two."),
    "atlas": PageAbout(
        "Whole model", "Every head of a model over many sentences: what each looks at, and which are similar."
    ),
    "questions": PageAbout(
        "Questions", "Why many heads? Why divide by √d? Eleven questions, each answered by an experiment."
    ),
    "about": PageAbout("What can I conclude?", "What each number means, and what it does not show."),
    "lesson": PageAbout("Lesson", "A lesson stop by stop: what to ask, what to do, and a worksheet to print."),
}


def page_row(page: str) -> PageAbout:
    """Return what a page is called; of one that has no row yet, its name in the address."""
    return PAGES.get(page) or PageAbout(page.replace("_", " ").capitalize(), ABOUT)
