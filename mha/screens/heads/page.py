"""Heads: where does each head look in my sentence?"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

from mha.analysis.unfamiliar import unfamiliar
from mha.engine.question import ADDRESS, CAME, OWN_MAPS, Ask, Kept
from mha.export.heads import statistics_table
from mha.export.provenance import MapsSource
from mha.export.tables import source_json, weights_json, weights_npz
from mha.link.acts import CELL_ASKED, Keep, OpenCell
from mha.link.heads import CROSS, HeadsWords
from mha.link.link import Link
from mha.link.view import AS_DRAWN, DEFAULT_MODEL, DEFAULT_TEXT, View
from mha.maps import Reading
from mha.models.files.catalog import model_row
from mha.screens.blocks import Block, CopyLink, caption
from mha.screens.guessing import guess_of
from mha.screens.heads import suggested
from mha.screens.heads.all_heads import all_weights, in_numbers
from mha.screens.heads.control import control_of
from mha.screens.heads.layouts import with_layout
from mha.screens.heads.one_cell import has_steps, steps_link
from mha.screens.heads.overview import clicks_on_cells, clicks_on_heads, clicks_on_words, overview_of
from mha.screens.heads.own import KIND as OWN
from mha.screens.heads.own import drawn_instead, own_picture
from mha.screens.heads.picture import (
    Picture,
    beyond,
    elsewhere,
    first_words,
    foot,
    measured,
    missing_usual,
    recorded,
)
from mha.screens.heads.pinned import Pins
from mha.screens.heads.side_by_side import side_by_side
from mha.screens.heads.stacks import select_stack
from mha.screens.inputs import Choose, Leave, OwnField, PageDoor, Press, Remember
from mha.screens.places import (
    VIEW,
    ComponentPicture,
    Menu,
    More,
    Notice,
    TakenAway,
    Together,
    Wait,
)
from mha.screens.takings import Download, Files, Numbers, OnRequest, WholePage, prints_of_heads
from mha.words import accept_or

OWN_FIELD = "own_maps"  # how often the field for a file was emptied: each time it is another field
PAIR = HeadsWords.of("pair")
MASK = "[MASK]"
READS_MASK = f"Heads reads “{MASK}” as ordinary text. Next word fills it if the model was trained to fill gaps."
ENGLISH = "{model} was trained on English and may not know these words."
ENGLISH_BOTH = "Suggestions work for English, and {model}, trained on English, may not know these words."


def page(link: Link, ask: Ask) -> Iterator[Block]:
    """Yield the sentence with the arcs of the pinned heads, and every head; those pinned, one layer, the numbers.

    A clicked number opens its arithmetic on Step by step.
    """
    view, own = link.view, link.own
    assert isinstance(own, HeadsWords)
    text = accept_or(view.text, DEFAULT_TEXT, "").text
    if too_long := beyond(text):
        text = first_words(text)
        view = replace(view, text=text)
        yield Notice(too_long, of=text)
    marks = yield from suggested.followed(own, text, ask)
    mine = yield from _own_picture(view, ask)
    if not mine and model_row(view.model).two_sided:
        yield Menu(VIEW, (Choose("heads_stack"),))
    encoder = mine or (yield from _recorded(view, own, marks.readings, ask))
    picture = yield from select_stack(encoder, own.stack, ask)
    clicked: OpenCell | None = ask(Kept(CELL_ASKED))
    if clicked is not None:
        yield Remember(CELL_ASKED, None)
        yield Leave("steps", steps_link(picture, clicked))
        return
    is_cross, of_the_text = picture.stack == CROSS.lower(), not (mine or picture.stack)
    if MASK in text:
        yield Notice(READS_MASK)
    instead = elsewhere(view, picture.shown.full)
    if instead:
        yield Notice(instead)
    maps = picture.recording.maps
    suggests = of_the_text and maps.pair is None and maps.text == text
    unknown = not mine and view.model == DEFAULT_MODEL and unfamiliar(encoder.recording.maps)
    yield from _of_english(picture.row.short if unknown else "", suggested.silent(marks, text) if suggests else "")
    if suggests:
        yield from suggested.line(marks, text)
    yield from _sentence_and_overview(picture, ask)
    if picture.row.predicts:
        yield PageDoor(("next.py",))
    if told := missing_usual(picture):
        yield caption((("plain", told),))
    pins = yield from side_by_side(picture, own, of_the_text, ask)
    if not is_cross:  # statistics of heads need rows and columns of one text
        numbers = view.heads_table != AS_DRAWN
        yield More("All heads in numbers", in_numbers(picture), numbers, "heads_numbers", while_open=True)
    yield OwnField()
    yield from _foot(picture)
    yield TakenAway(_taken_away(picture, pins, ask))


def _of_english(model: str, silent: str) -> Iterator[Block]:
    """Yield one sentence on what a text in another language meets: ``model`` does not know its words ("": it does),
    and ``silent`` says why nothing is suggested for it ("" where it need not be said).
    """
    told = ENGLISH_BOTH if model and silent else ENGLISH if model else silent
    if told:
        yield Notice(told.format(model=model))


def _own_picture(view: View, ask: Ask) -> Generator[Block, None, Picture | None]:
    """Return the picture of the file that the visit holds, and say so; None without one, and where it is refused."""
    file = ask(OWN_MAPS)
    if file is None:
        return None
    if file.maps is None or file.again is None:
        yield Notice(file.refused)
        return None
    name, read = file.name, file.again
    yield Notice(drawn_instead(name, file.maps))
    yield Press("Back to the sentence", (Keep(OWN_FIELD, (ask(Kept(OWN_FIELD)) or 0) + 1),))
    return replace(own_picture(view, file.maps, name), again=lambda: own_picture(view, read(), name))


def _recorded(view: View, own: HeadsWords, readings: Sequence[Reading], ask: Ask) -> Generator[Block, None, Picture]:
    """Return the picture of the view, and yield what has to be said of it; what the model reads beside the sentence."""
    pair = yield from _second_text(view, own, ask)
    yield Wait("")
    picture, said = recorded(view, ask, pair, readings if pair is None else ())
    yield from said
    return picture


def _second_text(view: View, own: HeadsWords, ask: Ask) -> Generator[Block, None, str | None]:
    """Yield the field of the second text where the model takes one and the link has it; return the text.

    A model reads two texts together that is an encoder and looks both ways, or a toy, which reads on.
    """
    row = model_row(view.model)
    if row.causal or row.two_sided:
        if own.pair:
            yield caption(f"{row.short} reads one text; the second one is not used.")
        return None
    if not (own.pair or PAIR.name in ask(CAME).words):
        return None
    yield Choose(PAIR.name)
    return own.pair if own.pair.strip() else None


def _sentence_and_overview(picture: Picture, ask: Ask) -> Iterator[Block]:
    """Yield the sentence with the pinned heads' arcs, the finding, every head."""
    shown, is_cross = picture.shown, picture.shown.full.kind == "cross"
    if is_cross:  # a selected word is one of the output, and the sentence has the words of the text
        shown = replace(shown, lock=None, look="at")
    opens = has_steps(picture)
    guess = guess_of(picture.recording.maps.text, ask)
    control, following = control_of(picture, ask)
    drawn = overview_of(shown, picture.scale, picture.view.large, not is_cross, opens, guess, control)
    spec = with_layout(drawn, picture.recording, picture.stack or "self")
    on = dict(clicks_on_heads(shown))
    on |= {} if is_cross else clicks_on_words(shown)
    on |= clicks_on_cells(shown) if opens else {}
    yield ComponentPicture("overview", spec, "overview", on, first=True)
    yield from following


def _foot(picture: Picture) -> Iterator[Block]:
    """Yield which model this is, how its numbers were made, and the link."""
    link = () if picture.row.kind == OWN else (CopyLink("Copy link"),)
    yield Together((caption(foot(picture), style="wide"), *link), name="foot", small=True)
    yield More("How is this measured?", (caption(measured(picture), style="wide"),))


def _taken_away(picture: Picture, pins: Pins | None, ask: Ask) -> Iterator[Block]:
    """Yield all weights, every head's statistics, and the page as a file in which heads can be pinned.

    Of cross-attention only the weights: the others need rows and columns of one text.
    """
    full, shown = picture.shown.full, picture.shown
    link = "" if picture.row.kind == OWN else ask(ADDRESS)  # none shows what is in a file
    told = MapsSource(full, picture.row.sha256, link=link)
    if full.kind == "self":
        yield from prints_of_heads(shown, told.link)
        yield Numbers("Every head in numbers", "parallax-heads", of=OnRequest(statistics_table, (full, told)))
    csv = Download("CSV", "parallax-weights.csv", "text/csv", all_weights(picture))
    source = Download(
        "Source of the CSV", "parallax-weights.source.json", "application/json", OnRequest(source_json, (told,))
    )
    json = Download("JSON", "parallax-weights.json", "application/json", OnRequest(weights_json, (full, told)))
    npz = Download("NPZ", "parallax-weights.npz", "application/octet-stream", OnRequest(weights_npz, (full, told)))
    yield Files("All weights, nothing excluded", (csv, source, json, npz))
    if full.kind == "self":
        lock = -1 if shown.lock is None else shown.position(shown.lock)
        view = replace(picture.view, units=full.units, pins=shown.pins, lock=lock, look=shown.look)
        yield WholePage(full, view, told, pins)
