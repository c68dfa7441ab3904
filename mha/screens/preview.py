"""What each page is called, and what a link to it says where nothing is known of its text."""

from __future__ import annotations

from dataclasses import dataclass

NAME = "Parallax"
ABOUT = "One sentence, many viewpoints: see where every attention head of a transformer looks."
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
        "An ambiguous sentence: where each head looks, what it carries, whether it matters.",
    ),
    "compare": PageAbout(
        "Change a word", "Two versions of a sentence, word by word: how far each head moves, beside a floor."
    ),
    "steps": PageAbout(
        "Step by step", "One cell of attention, from the words to the output, with numbers you can change."
    ),
    "training": PageAbout("Watch heads learn", "Tiny transformers trained before your eyes: one head beside two."),
    "atlas": PageAbout(
        "Whole model", "Every head of a model over many sentences: where each looks, and which are alike."
    ),
    "questions": PageAbout(
        "Questions", "Why many heads? Why divide by √d? Ten questions, each answered by an experiment."
    ),
    "about": PageAbout("What may I conclude?", "What each number is, and what it does not say."),
}


def page_row(page: str) -> PageAbout:
    """Return what a page is called; of one that has no row yet, its name in the address."""
    return PAGES.get(page) or PageAbout(page.replace("_", " ").capitalize(), ABOUT)
