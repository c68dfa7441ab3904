"""What a model that predicts words is asked on Heads: to write on, to fill a gap, for the next word without a head.

At the foot stands what this model can be asked, true of every model by its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import TypeVar

from mha.engine import writing as engine
from mha.engine.question import Ask, Kept, Question
from mha.errors import AttentionUnavailable, Busy, InputError
from mha.link.acts import Act, Keep, Say
from mha.link.heads import CHANCE, TYPED, WRITE, HeadsWords
from mha.link.sent import SentName, SentNumber
from mha.link.view import View
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.models.files.rows import ModelRow
from mha.screens.blocks import Block, Definitions, caption
from mha.screens.decoder import looking_back, next_word
from mha.screens.decoder.writing import Writing, writing_of
from mha.screens.heads.layouts import with_layout
from mha.screens.heads.overview import clicks_on_heads, overview_of
from mha.screens.heads.picture import Picture, picture_of
from mha.screens.inputs import Choose, Pick, Press
from mha.screens.places import VIEW, ComponentPicture, Menu, Notice, Place, Plain, Row, Side, Together, Wait

HOW_MANY = "writing_how_many"  # where it stands how much was written
AT_ONCE = 32  # heads of a model whose heads are silenced one by one without being asked for
ALONE = "writing_alone"  # whether the reader has asked for it
CLOSE: tuple[Act, ...] = (Say(HeadsWords.of("cell").name, ""),)  # its places are others in another attention or target
Found = TypeVar("Found")
UNTOLD = (AttentionUnavailable, Busy, InputError)


def asked(view: View, own: HeadsWords, of_a_text: bool) -> Generator[Block, None, HeadsWords]:
    """Yield what can be asked of the model, and return it; the defaults of one that writes nothing."""
    row = model_row(view.model)
    if not of_a_text:
        return HeadsWords()
    if row.predicts == "next":
        yield from _of_a_decoder(own)
        return own
    if row.two_sided:
        yield from _of_two_sides(row, own)
    return replace(own, prompt=HeadsWords.of("prompt").default)


def _of_a_decoder(own: HeadsWords) -> Iterator[Block]:
    boxes: list[Block] = [Choose("heads_prompt", bare=True)]
    if own.prompt == WRITE:
        boxes.append(Choose("heads_how", bare=True))
        if own.how == CHANCE:
            boxes.append(Choose("heads_seed", width=110))
        boxes += [Choose("heads_most", width=110), Place(HOW_MANY, (), narrow=True)]
    yield Row(boxes, "writing_controls", left=True, align="bottom")
    if own.prompt == WRITE:
        yield Menu(VIEW, (Choose("heads_step"),))


def _of_two_sides(row: ModelRow, own: HeadsWords) -> Iterator[Block]:
    stack = Choose("heads_stack", bare=True, then=CLOSE)
    if row.predicts:
        target = Choose("heads_target", hint="the text itself", then=CLOSE)
        first: Block = target if own.aim == TYPED else Place(HOW_MANY, ())
        yield Side(((first,), (Choose("heads_aim", bare=True, then=CLOSE),)), (6, 3), align="bottom")
    yield stack


def answer(asked: Question[Found], ask: Ask) -> Generator[Block, None, Found | None]:
    """Return the answer to a question; None where it cannot be had: then yield why."""
    try:
        return ask(asked)
    except UNTOLD as error:
        yield Notice(str(error))
        return None


def written(picture: Picture, own: HeadsWords, ask: Ask) -> Generator[Block, None, Writing | None]:
    """Return what the model writes behind the text of a picture; None where it is not to, or cannot: it says why."""
    if own.prompt != WRITE:
        return None
    yield Wait("Writing …")
    asked = engine.written.of(picture.recording.maps.text, picture.row.name, own.most, seed_of(own))
    found = yield from answer(asked, ask)
    if found is None:
        return None
    yield from map(Notice, found.notes)
    made = writing_of(picture.view, own, found, picture.row)
    yield Place(HOW_MANY, (Plain(looking_back.above(made), "faint"),))
    return made


def seed_of(own: HeadsWords) -> int | None:
    """Return the seed that tokens are drawn with; None for the likeliest each time."""
    return own.seed if own.how == CHANCE else None


def text_with_looks(made: Writing) -> ComponentPicture:
    """Return the text, the slider, all heads at one step and one head at all steps."""
    on: dict[str, tuple[Act, ...]] = {
        "head_chosen": (Say("pins", (SentName("head", made.maps.heads),)),),
        "step": (Say("heads_step", SentNumber("position", made.found.n_steps, none=True, first=1)),),
    }
    return ComponentPicture("writing", looking_back.drawing(made), "writing", on, first=True)


def whole(picture: Picture, made: Writing) -> Picture:
    """Return the picture of all that was read and written, for the sections that show whole maps."""
    view = replace(picture.view, pins=picture.view.pins or (made.head,), lock=-1)
    return picture_of(view, made.found.recording, made.found.recording.maps.text)


def every_head(picture: Picture, made: Writing, ask: Ask) -> ComponentPicture:
    """Return all heads' maps, with the role of each on this text."""
    spec = looking_back.with_roles(overview_of(picture.shown, picture.scale, picture.view.large, asks=False), made)
    spec = with_layout(spec, made.found.recording)
    return ComponentPicture("overview", spec, "overview", clicks_on_heads(picture.shown, ask), first=True)


def with_gaps(picture: Picture, ask: Ask) -> Generator[Block, None, Picture]:
    """Return the picture of a text in which a typed mask is the model's own; say it where the model has none."""
    text = picture.recording.maps.text
    instead = next_word.not_filled(text, picture.row)
    if instead:
        yield Notice(instead)
    if not next_word.n_gaps(text, picture.row) or picture.recording.maps.pair is not None:
        return picture
    yield Wait("Looking …")
    recording = yield from answer(engine.masked.of(text, picture.row.name), ask)
    if recording is None:
        return picture
    return picture_of(picture.view, recording, text, picture.shown.habit)


def next_words(picture: Picture, own: HeadsWords, made: Writing | None, ask: Ask) -> Iterator[Block]:
    """Yield the likeliest next words, or those for a gap, with and without heads, and what each head alone does."""
    text = picture.recording.maps.text
    count = 0 if picture.recording.maps.pair is not None else next_word.n_gaps(text, picture.row)
    if picture.row.predicts == "mask" and not count:
        yield caption(next_word.INVITATION)
        return
    if picture.row.predicts != "next" and not count:
        return
    if count > 1:
        yield from _several_gaps(text, picture.row.name, count, ask)
        return
    heads = picture.recording.maps.heads
    pinned = made.head if made is not None else next(iter(picture.shown.pins), heads[-1])
    layer = pinned.layer
    in_layer = tuple(head for head in heads if head.layer == layer)
    predicted = _predicted(picture, own, made)
    by_head = None
    if len(heads) <= AT_ONCE or ask(Kept(ALONE)):
        yield Wait("Ablating each head …")
        by_head = yield from answer(predicted(in_layer, heads), ask)
        if by_head is None:
            return
    yield _silenced(own, by_head)
    silenced = tuple(head for head in own.silenced if head in heads)
    yield Wait("Computing the next word …")
    found = yield from answer(predicted(silenced, ()), ask)
    if found is None:
        return
    left = next_word.likely_blocks(found, next_word.title(0, 1)) if count else next_word.likely_blocks(found)
    if by_head is None:
        yield Together(left)
        yield Press("Ablate every head", (Keep(ALONE, True),))
        return
    yield Together(next_word.side_by_side(left, next_word.head_by_head_blocks(by_head, layer)))


def _several_gaps(text: str, model: str, count: int, ask: Ask) -> Iterator[Block]:
    """Yield the likeliest words for each of the first gaps, side by side."""
    yield Wait("Computing the words …")
    columns = []
    for number in range(min(count, next_word.MOST)):
        found = yield from answer(engine.predicted.of(text, model, mask=number), ask)
        if found is None:
            return
        columns.append(next_word.likely_blocks(found, next_word.title(number, count)))
    yield Together(next_word.side_by_side(*columns))
    if more := next_word.left_out(count):
        yield caption(more)


Heads = tuple[HeadId, ...]


def _predicted(
    picture: Picture, own: HeadsWords, made: Writing | None
) -> Callable[[Heads, Heads], Question[engine.Prediction]]:
    text, model = picture.recording.maps.text, picture.row.name
    if made is None:
        return lambda silenced, each: engine.predicted.of(text, model, silenced=silenced, each=each)
    given = text, model, own.most, seed_of(own), made.step
    return lambda silenced, each: engine.predicted_step.of(*given, silenced, each)


def _silenced(own: HeadsWords, by_head: engine.Prediction | None) -> Row:
    """Return the choice of what is silenced together: nothing, the head that moves the word furthest, or any."""
    furthest = None if by_head is None else next_word.furthest(by_head)
    options: dict[str, Heads] = {"No ablation": ()}
    options |= {} if furthest is None else {f"Without {furthest}": (furthest,)}
    shows = next((label for label, value in options.items() if value == own.silenced), None)
    acts = {label: (Say("heads_silenced", heads),) for label, heads in options.items()}
    menu = Menu("Choose heads", (Choose("heads_silenced"),), narrow=True)
    offered = Pick("silenced", "Ablated heads", tuple(acts), shows, look="pills", acts=acts)
    return Row((offered, menu), "silenced", left=True, align="center")


def askable(picture: Picture) -> tuple[Block, ...]:
    """Return what this model can do."""
    if picture.row.kind != "transformer":
        return ()
    return (Definitions(askable_entries(picture.row), compact=True),)


def askable_entries(row: ModelRow) -> list[dict[str, str]]:
    """Return what a transformer can be asked on these pages: questions as names, answers as texts."""
    looks = {"next": "Where it looks, step by step", "target": "Where a target looks in the source"}
    next_word = {
        "next": ("The next word, and which head moves it", "yes"),
        "target": ("The next word of a target", "yes: it writes one beside the text"),
        "mask": ("The next word", "no, it fills gaps: type [MASK] for a missing word"),
        "": ("The next word", "no, this model has no layer for that"),
    }
    rows = [(looks.get(row.predicts, "Where it looks"), "yes"), next_word[row.predicts]]
    encoder = "yes, by the encoder" if row.two_sided else "yes"
    if row.example:
        rows.append(("Two readings, Change a word", "only with the few words this model knows"))
    elif row.causal:
        no = "no, this model reads left to right: put the deciding word first"
        rows.append(("Readings decided by later words", no))
        rows.append(("Compare two versions that begin alike", "yes, from the first word that differs"))
    else:
        rows += [("Readings decided by later words", encoder), ("Compare two versions", encoder)]
    return [{"name": name, "text": text} for name, text in rows]
