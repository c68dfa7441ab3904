"""Two readings: where do heads look, what carries the change, and does it matter?"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from typing import Any

from mha.analysis.proposals import only_english, propose
from mha.engine.question import CAME, Ask, Kept
from mha.engine.recordings import Request
from mha.examples import OPENS_TWO_READINGS
from mha.link.acts import GiveRole, Keep, Say
from mha.link.kinds import NONE
from mha.link.link import Link
from mha.link.readings import DISMISSED, OPEN, SUGGESTED, TAB_LABELS, TABS, ReadingsWords
from mha.link.sent import SentName, SentNumber
from mha.link.view import DEFAULT_TEXT
from mha.models.files.catalog import model_row
from mha.screens.blocks import Asked, Block, CopyLink, caption, chip, say, word
from mha.screens.guessing import NOT_STORED, guess_of, plain
from mha.screens.inputs import Choose, Guess, PageDoor, Press, Put, Remember
from mha.screens.places import (
    ComponentPicture,
    Menu,
    Notice,
    Place,
    Row,
    Side,
    Tabs,
    Together,
    Wait,
)
from mha.screens.readings import does_it_matter, what_carries, where_they_look
from mha.screens.readings.ambiguity import ROLES, Ambiguity
from mha.screens.readings.choices import carried_over, resolved, suggested_words, word_labels
from mha.screens.readings.recorded import TAKE_DOG, RecordedReadings, foot_said
from mha.screens.readings.sentence import LEAST, agreed, contrast_picture, sentence_spec, suggestion, way_out
from mha.words import accept_or

BEFORE = "readings_before"  # the ambiguity that stood there
NOTES = "readings_notes"  # what of a link or an edit does not fit the text; old news once something else is chosen
KIND, TAB, BY = (ReadingsWords.of(field).name for field in ("kind", "tab", "by"))
NOT_AMBIGUOUS = "Marked as not ambiguous."
GUESSES = ("guess_look", "guess_change")  # where heads look, and what changes
ELSEWHERE = {"heads": "Heads", "compare": "Change a word"}
MAKES = ("pivot", "a", "b", "cue", "contrast", "forces", "word_a", "word_b", "kind", "name_a", "name_b")
AS_EXAMPLE = tuple(Say(ReadingsWords.of(field).name, getattr(ReadingsWords(), field)) for field in MAKES)
FREELY = (*AS_EXAMPLE, Say(BY, OPEN))
NO_NEWS = Keep(NOTES, ())
WAKING = "The model is waking up; this takes a few seconds once."
Tab = Callable[[RecordedReadings, ReadingsWords, Ask], Iterator[Block]]
DRAWS: Mapping[str, Tab] = dict(zip(TABS, (where_they_look.tab, what_carries.tab, does_it_matter.tab), strict=True))


def page(link: Link, ask: Ask) -> Iterator[Block]:
    """Yield the sentence with both readings, and the open tab; where they are hidden, two questions to guess first."""
    own = link.own
    assert isinstance(own, ReadingsWords)
    accepted = accept_or(link.view.text, OPENS_TWO_READINGS, "Until then the page shows the hungry dog.")
    text = accepted.text
    own, notes = yield from _following(own, text, ask)
    own = yield from _suggested(own, text, bool(notes), ask)
    found = resolved(text, own)
    yield Remember(BEFORE, found)
    shown = link.view.reveal
    yield from _question(found, own)
    if found.missing or own.tab != TABS[0] or not shown:  # there the picture of the looks has the sentence
        yield _claim(found, link.view.large)
    if found.missing:
        yield Place("readings_ways_out", tuple(_ways_out(found, own)))
    yield from (Notice(note) for note in dict.fromkeys((*accepted.notes, *notes, *found.notes)))
    if found.missing:
        return
    if not shown:  # findings wait until they are shown
        yield Place("readings_guess", tuple(_guesses(found)))
        yield Asked("cap", say(NOT_STORED))
    else:
        kept = {guess_of(found.text, ask, name) for name in GUESSES}  # neither right nor wrong
        if guesses := [one for choices in guess_choices(found) for one in choices if plain(one) in kept]:
            yield caption(say("Your guess: {guess}.", guess="; ".join(guesses)))
    yield Wait(WAKING)
    recording = ask(Request(text, link.view.model))
    yield from (Notice(note) for note in recording.notes if note not in notes)
    case = RecordedReadings(link.view, found, recording.maps, model_row(link.view.model))
    if found.contrast is not None or not shown:
        yield contrast_picture(case)
    if shown:
        yield Tabs(TAB, own.tab, DRAWS[own.tab](case, own, ask), TAB_LABELS[own.tab])
    yield caption(foot_said(case), style="wide")
    yield CopyLink("Copy link")


def _following(
    own: ReadingsWords, text: str, ask: Ask
) -> Generator[Block, None, tuple[ReadingsWords, tuple[str, ...]]]:
    """Return the choices as they fit this text, with a sentence for each that does not; yield what changes them.

    A link may name words that are not there; an edit keeps what stands where it stood.
    """
    before: Ambiguity | None = ask(Kept(BEFORE))
    notes: tuple[str, ...] = tuple(ask(Kept(NOTES)) or ())
    changes: dict[str, Any] = {}
    if before is None or (before.text != text and ask(CAME).from_another):
        notes = resolved(text, replace(own, contrast=NONE)).notes  # the widget takes any contrast
        yield Remember(NOTES, notes)
    elif before.text != text:
        kept, notes = carried_over(before, own, text)
        in_place = kept.pivot and len(kept.a) == len(before.a) and len(kept.b) == len(before.b)
        if (own.by == SUGGESTED or not in_place) and propose(text):  # another sentence, another question
            kept, notes = ReadingsWords(contrast=kept.contrast), ()
        changes = {field: getattr(kept, field) for field in MAKES} | {"by": None}
        yield Remember(NOTES, notes)
    own, labels = replace(own, **changes), word_labels(text)
    a, b = (tuple(label for label in given if label in labels) for given in (own.a, own.b))
    cue = own.cue if own.cue in (*labels, NONE) else None
    own = replace(own, pivot=own.pivot if own.pivot in labels else None, a=a, b=b, cue=cue)
    yield from (Put(ReadingsWords.of(field).name, value) for field, value in changes.items())
    if text == DEFAULT_TEXT and own.kind is None and KIND not in ask(CAME).words:
        own = replace(own, kind="attachment")
        yield Put(KIND, own.kind)
    return own, notes


def _suggested(own: ReadingsWords, text: str, complained: bool, ask: Ask) -> Generator[Block, None, ReadingsWords]:
    """Return the choices with the readings that the shape of the sentence suggests, where nobody has chosen any.

    What is suggested stands in the link, so that it opens with the same words whatever is suggested one day.
    """
    if own.by or own.pivot or own.a or own.b or complained or not (changes := suggested_words(text)):
        return own
    if TAB not in ask(CAME).words:
        changes["tab"] = TABS[0]
    yield from (Put(ReadingsWords.of(field).name, value) for field, value in changes.items())
    return replace(own, **changes)


def _question(found: Ambiguity, own: ReadingsWords) -> Iterator[Block]:
    """Yield what the readings are about, what can be done about it, and every choice behind a button."""
    line: list[Block] = []
    clear = (*AS_EXAMPLE, Say(BY, DISMISSED))
    if own.by == DISMISSED and found.missing:
        line = [caption(NOT_AMBIGUOUS, style="body"), Press("Undo", (Say(BY, None),), faint=True)]
    elif not found.missing:
        about, agrees = suggestion(found, badge=own.by == SUGGESTED), agreed(found)
        if agrees is not None and agrees.fits is not None:  # the one reading that is stated: no model says it
            here = word(found.called[agrees.number])
            about = (*about, *say(" {word} fits only {letter}.", word=here, letter=chip("AB"[agrees.fits])))
        line.append(caption(about, style="body"))
        if own.pivot or own.a or own.b:
            line.append(Press("Change words", (*FREELY, NO_NEWS), faint=True))
            line.append(Press("Not ambiguous" if own.by == SUGGESTED else "Remove", clear, faint=True))
    boxes = Menu("Edit readings", tuple(_boxes(found, own)))
    yield Side(((Row(line, "readings_suggested", left=True, align="center"),) if line else (), (boxes,)), (14, 2.6))


def _claim(found: Ambiguity, large: bool) -> Block:
    """Return the sentence with both readings as brackets, whose words can be clicked."""
    number = SentNumber("word", len(found.words))
    labels = tuple(map(found.label, range(len(found.words))))
    role = GiveRole(SentName("role", tuple(ROLES)), number, labels, found.cue), Say(BY, None), NO_NEWS
    spec = {"part": "ambiguity", **sentence_spec(found, large)}
    return Place("readings_sentence", (ComponentPicture("sentence", spec, "ambiguity", {"role": role}, first=True),))


def _boxes(found: Ambiguity, own: ReadingsWords) -> Iterator[Block]:
    """Yield every choice as a box, the way for keyboards and screen readers."""
    text, example = found.text, resolved(found.text, ReadingsWords())
    labels = tuple(word_labels(text))

    def box(role: str, empty: str | None, options: tuple[str, ...] = ()) -> Choose:
        return Choose(
            ReadingsWords.of(role).name, hint=empty or "not chosen", then=(Say(BY, None), NO_NEWS), options=options
        )

    def label(number: int | None) -> str | None:
        return None if number is None else example.label(number)

    yield box("pivot", label(example.pivot), labels)
    for role, partners, name in (("a", example.a, example.names[0]), ("b", example.b, example.names[1])):
        yield box(role, ", ".join(map(example.label, partners)), labels)
        yield box(f"name_{role}", name or "its words")
    yield box("cue", label(example.cue), (*labels, NONE))
    yield box("contrast", example.contrast.text if example.contrast else None)
    yield box("forces", example.contrast.forces if example.contrast else None)
    for role, second in zip(("word_a", "word_b"), example.seconds, strict=True):
        yield box(role, second or None)
    yield box("kind", f"{found.kind} (guessed)" if found.guessed else found.kind)
    yield Choose(BY, hint="the reader or the example")
    yield Press("As the example has them", AS_EXAMPLE, off=example.pivot is None)


def _ways_out(found: Ambiguity, own: ReadingsWords) -> Iterator[Block]:
    """Yield where else a sentence can be looked at whose readings are not complete, and the way back from a click.

    Words that are cleared stay so until the reader chooses: nothing is suggested in their place but by another click.
    """
    back = (Press("Back to the suggestion", (*AS_EXAMPLE, Say(BY, None), NO_NEWS), faint=True),)
    may_suggest = bool(suggested_words(found.text))
    if found.pivot is None and (silent := only_english(found.text)):
        yield caption(silent)
    yield caption(way_out(found), style="body")
    if found.pivot is not None and len(found.words) >= LEAST:
        again = Press("Choose another word", (*(FREELY if may_suggest else AS_EXAMPLE), NO_NEWS))
        ways: tuple[Block, ...] = (again, *(back if may_suggest else ()))
    else:
        example = Press("Show an example", TAKE_DOG, faint=True)
        heads, change = (PageDoor((f"{name}.py",), text=text, arrow=False) for name, text in ELSEWHERE.items())
        ways = (heads, change, *(back if own.by == OPEN and may_suggest else (example,)))
    yield Row(ways, left=True, align="center")


def _guesses(found: Ambiguity) -> Iterator[Block]:
    """Yield two questions to guess at first, the second about the contrast sentence."""
    first, second = guess_choices(found)
    asks = "Guess first: where do heads look from {pivot}?"
    yield Together((Asked("verdict", say(asks, pivot=found.pivot_said)),))
    yield Guess(GUESSES[0], "Where do heads look?", tuple(map(plain, first)))
    if second:
        _, before, after = found.change
        asks = "If {before} becomes {after}, which heads change?"
        yield Together((Asked("text", say(asks, before=word(before), after=word(after))),))
        yield Guess(GUESSES[1], "What changes?", tuple(second))


def guess_choices(found: Ambiguity) -> tuple[list[str], list[str]]:
    """Return what can be guessed: words, and what changes (nothing without a contrast).

    >>> from mha.link.readings import ReadingsWords
    >>> from mha.screens.readings.choices import resolved
    >>> guess_choices(resolved("A dog ate the food because it was hungry.", ReadingsWords()))[0]
    ['dog', 'food', 'hungry', 'it depends on the head']
    """
    cue = () if found.cue is None or found.cue == found.pivot else (found.cue,)
    looks = dict.fromkeys(found.called[number] for number in (*found.a[:1], *found.b[:1], *cue))
    first = f"heads that look at the {'deciding' if cue else 'ambiguous'} word"
    return [*looks, "it depends on the head"], [first, "heads that look at a noun", "none"] if found.contrast else []
