"""Guess first: what of a page stands there before its findings are shown, while the link says ``reveal=0``.

One door for every page and every reader of one: the browser, the first answer, a file, the API. What is an answer is
said by the kind of a block (`mha.screens.blocks.Block`): one that is not marked is left out, so that a new kind of
picture is hidden until somebody says otherwise. Of what is marked, our own words are looked through once more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mha.analysis.patterns import PATTERNS
from mha.engine.question import Ask, Kept
from mha.errors import InputError
from mha.link.acts import Say
from mha.link.kinds import NONE, Shape
from mha.link.link import Link
from mha.navigation import GUESS_FIRST, page_row
from mha.screens.blocks import Asked, Block, Heading, say
from mha.screens.inputs import Choose, Guess, Out, PageDoor, Press, Put, guess_kept
from mha.screens.pieces import Piece, text_pieces
from mha.screens.places import Blocks, More, Notice, Place, Together, remade
from mha.words import accept, words

GUESS = "guess_word"  # what a visit keeps of the guess: nothing but this page knows it
MOST_WORDS = 24  # of a map that is to be drawn on, and of words to choose from
HIDDEN = "Findings are hidden until you show them."
NOT_STORED = "Your guess is not stored."
TELLS = re.compile(
    r"\d\s?%|\bL\d+H\d+\b|\b(?:" + "|".join(re.escape(pattern.title) for pattern in PATTERNS) + r")\b", re.IGNORECASE
)
_ONE = Shape("", 1, 1, ("",))


class GuessText(Block, kind="guess_text", asks=True):
    """The reader's sentence, large, and nothing measured on it: only a dashed arc from the word ``asked`` to a guess.

    ``asked`` and ``guessed`` are numbers of words; without the first a guess is underlined alone.
    """

    text: str
    pieces: tuple[Piece, ...] = ()
    asked: int | None = None
    guessed: int | None = None
    label: str = ""


class EmptyMap(Block, kind="empty_map", asks=True):
    """A map without weights, whose rows look at its columns."""

    words: tuple[str, ...]
    label: str


def before_findings(blocks: Blocks, link: Link, ask: Ask) -> Iterator[Block]:
    """Yield the sentence, a question, and of a page's blocks those that give nothing away."""
    yield from _guess(link, ask)
    if not link.view.lesson:  # whose bar has the button
        yield Press("Show findings", (Say("reveal", True),), name="show_findings")
    yield from _kept(blocks, link)


def _text(link: Link) -> str:
    row = page_row(link.page)
    if not (row.of_text and row.opens_with_text):  # no page of a sentence
        return ""
    try:
        return accept(link.view.text).text
    except InputError:
        return ""


def guess_of(text: str, ask: Ask, name: str = GUESS) -> str:
    """Return what a visit has guessed of a text, as the widget of the guess has it; "" where it has nothing."""
    kept = ask(Kept(guess_kept(name)))
    return kept["word"] if kept and accept(kept["text"]).text == text else ""


def guessed_places(names: Sequence[str], word: str) -> list[int]:
    """Return which of the words a guess means: the first that is written so, or none."""
    return [place for place, name in enumerate(names) if word and plain(name) == word][:1]


def _sentence(link: Link, text: str, ask: Ask) -> GuessText:
    names = words(text)[:MOST_WORDS]
    guessed = next(iter(guessed_places(names, guess_of(text, ask))), None)
    if guessed is None:
        return GuessText(text, tuple(text_pieces(text)))
    return GuessText(text, tuple(text_pieces(text)), None, guessed, f"Your guess: {names[guessed]}.")


def _guess(link: Link, ask: Ask) -> Iterator[Block]:
    text = _text(link)
    if not text:
        yield Asked("cap", say(HIDDEN))
        return
    names = words(text)[:MOST_WORDS]
    label = "An empty map: each row looks at the columns."
    second = [GuessText(other, tuple(text_pieces(other))) for other in _second(link)]
    shown: list[Block] = [_sentence(link, text, ask), *second]
    if link.page != "readings" and not link.view.lesson:  # the one asks about its pivot, a lesson's bar for itself
        shown.append(Asked("verdict", say(GUESS_FIRST)))
    yield Place("guess_first", (Together(tuple(shown)),))
    if link.page != "readings":
        yield Guess(GUESS, "Your guess", tuple(dict.fromkeys(map(plain, names))))
    yield Together((Asked("cap", say(" ".join((HIDDEN, NOT_STORED, label)))), EmptyMap(tuple(names), label)))


def _second(link: Link) -> tuple[str, ...]:
    """Return the sentence that a page has beside the reader's, where its link names one."""
    text = getattr(link.own, "contrast", "")
    try:
        return (accept(text).text,) if text not in ("", NONE) else ()
    except InputError:
        return ()


def _kept(blocks: Blocks, link: Link) -> Iterator[Block]:
    for block in blocks:
        if not (block.asks or (isinstance(block, Heading) and block.level == "h1")):  # others are of an empty section
            continue
        if isinstance(block, Choose):
            yield _chosen(block, link)
        elif isinstance(block, Together):
            asked = tuple(one for one in block.blocks if one.asks)
            if asked:
                yield Together(asked, name=block.name)
        elif isinstance(block, More) and (block.while_open or not any(_opens(one) for one in block.blocks)):
            continue  # what is made once somebody looks is a picture or numbers
        elif isinstance(block, Asked | Notice | Guess | Put) or not _tells(block):
            yield remade(block, lambda held: _kept(held, link))


def _opens(block: Block) -> bool:
    """Return whether a block is worth opening a fold for: a question or a control, not a door."""
    return block.asks and not isinstance(block, Out | PageDoor)


def _chosen(block: Choose, link: Link) -> Block:
    """Return a control; of one that offers heads by name only what it says, so that the link keeps its word."""
    word = link.words[block.word]
    offers = " ".join((*block.options, *word.kind.options(_ONE), block.hint, block.label))
    return Put(word.name, link.says(word.name)) if TELLS.search(offers) else block


def _tells(block: Any) -> bool:
    """Return whether what a block says of itself tells a finding; what it holds is looked at by itself."""
    own = [getattr(block, name, "") for name in ("title", "text", "spans", "label", "options", "names", "shows")]
    acts = getattr(block, "acts", None)
    return bool(TELLS.search(str([*own, *(acts if isinstance(acts, Mapping) else ())])))


def plain(text: str) -> str:
    """Return a word with every character escaped that a widget's label would take for markup."""
    return "".join(f"\\{character}" if character in r"\`*_{}[]()<>#+-.!|$:~" else character for character in text)
