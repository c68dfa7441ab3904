"""A long text on Heads: taken in by a field or a file, surveyed layer by layer, and read through a window.

No link holds it: the text, and what is chosen in it, are what a visit keeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mha.engine.question import Ask, Kept
from mha.engine.surveys import SurveyRun, SurveyWanted, measured, tokens_read
from mha.errors import MHAError
from mha.link.acts import Act, Begin, Keep
from mha.link.sent import SentName, SentNumber, SentText
from mha.link.view import View
from mha.maps import HeadId, heads_of
from mha.models.files.catalog import model_row
from mha.models.watch.lengths import Measure
from mha.screens.blocks import Block, Drawing, Heading, Said, caption, heading, say
from mha.screens.inputs import Guess, KeptField, Press, Remember
from mha.screens.long import drawings
from mha.screens.long.surveyed import AT, SIDES, WINDOW, SurveyedText, first_token, found_in
from mha.screens.measuring import stop
from mha.screens.places import ComponentPicture, Following, Notice, Plain, ProgressBar, Row, Side, Together, each

LONG_OPEN, TEXT = "long_open", "long_text"  # whether a long text is looked at, and the text
BEFORE = "long_before"  # the text whose overview is known, the overview, and whether the model looks back only
TOKEN, PIN, START, BEGIN, SIDE, SEARCH, HIT = (
    f"long_{name}" for name in ("token", "pin", "start", "begin", "side", "search", "hit")
)
MOST_BYTES = 100_000  # of a text: a socket takes 128 KiB at once, and says so to nobody
CELLS = 48  # a side of the overview, as `mha.survey` has it
PACE = 0.6  # seconds between looks at the run
ANOTHER_PLACE = tuple(Keep(name) for name in (TOKEN, START, HIT))
TAKEN = (Keep(TEXT, SentText("text", MOST_BYTES)), *ANOTHER_PLACE, Keep(PIN), Keep(BEGIN), Keep(SEARCH, ""))


def long_text(view: View, ask: Ask) -> Iterator[Block]:
    """Yield the field for a long text, or the text that was given."""
    row, text = model_row(view.model), ask(Kept(TEXT))
    another = (Press("Another long text", (Keep(TEXT),)),) if text is not None else ()
    yield Row((Press("← The sentence", (Keep(LONG_OPEN, False),)), *another), "long_way", left=True, align="center")
    if row.kind != "transformer":
        yield Notice(f"{row.short} reads single sentences only. Choose another model for a long text.")
    elif text is None:
        yield Together((Said("cell-lead lead", say("Long text")),), name="long_title", room="cell")
        note = f"Paste a text or open a plain-text file. You will see how much of it {row.short} can read at once."
        box = Drawing({"part": "box", "most": MOST_BYTES, "note": f"{note} {NO_LINK}"})
        yield ComponentPicture("long", box, "long_box", {"text": TAKEN}, control=True)
    else:
        yield from each(lambda: _looked_at(view, text, ask))


def _looked_at(view: View, text: str, ask: Ask) -> Iterator[Block]:
    measure = measured(text, view.model)
    yield from map(Notice, measure.notes)
    first = 0
    if measure.n_tokens > measure.most:
        last = max(0, measure.n_tokens - WINDOW)
        first = min(ask(Kept(BEGIN)) or 0, last)
        yield Side(((KeptField(BEGIN, "Begin at token", last, number=True, then=ANOTHER_PLACE),), ()), (1, 4))
    n_read = min(measure.most, measure.n_tokens - first)
    token, pin = ask(Kept(TOKEN)), ask(Kept(PIN))
    read = measure.part(first)
    if token is None:  # it is chosen by the text alone
        token = first_token(tokens_read(read, view.model))
    asked = SurveyWanted(read, view.model, token, (pin,) if pin else ())
    run, head = ask(asked), pin
    yield _caption(said_read(measure, first, n_read), "long_read", style="wide")
    found = run.found
    if found is None:
        yield from _progress(asked, run, _every_head(run, read, head, n_read, ask), read, ask)
        return
    again = asked
    if pin is None:  # the head is chosen by what was found: its map is a second look
        head = SurveyedText(found, token).head
        again = SurveyWanted(read, view.model, token, (head,))
    whole = ask(again)
    wanted, start = ask(Kept(SEARCH)) or "", ask(Kept(START))
    start = max(0, token - WINDOW // 2) if start is None else start
    hits, side = found_in(found.tokens, found.text, wanted), ask(Kept(SIDE)) or AT
    long = SurveyedText(found, token, side, head, start, whole.maps.get(head), wanted, hits, chosen=pin is None)
    yield from _read(long, ask)
    yield Remember(BEFORE, (read, found.overview, found.causal))
    if whole.state != "done":
        yield from _progress(again, whole, (), read, ask, again=True)
    yield from _every_head(run, read, head, n_read, ask, (found.overview, found.causal))
    yield _caption(said_kept(SurveyedText(found, token), head in whole.maps), "long_kept")
    yield _caption(NO_LINK, "long_no_link")


def _caption(text: str, name: str, style: str = "") -> Together:
    return Together((caption(text, style=style),), name=name, small=True)


def _progress(
    asked: SurveyWanted, run: SurveyRun, below: Any, text: str, ask: Ask, again: bool = False
) -> Iterator[Block]:
    """Yield how far a survey is, with Stop, or the way to begin it again; ``below`` stands under it.

    What is under way is drawn again without the rest of the page: heads come layer by layer.
    """

    def now() -> Iterator[Block]:
        if run.state == "failed":
            error = run.error if isinstance(run.error, MHAError) else None
            yield Plain(str(error) if error else "This run failed on our side and was logged.")
        elif run.running:
            yield ProgressBar(run.done / run.whole, under_way(run.done, run.whole, run.seconds, again))
            yield stop(asked, run, "long_stop")
        else:
            yield Plain(stopped(run.done, run.whole, (ask(Kept(BEFORE)) or ("",))[0] == text))
            yield Press("Begin again", (Begin(asked),), name="long_again")
        yield from below

    yield Following("survey", asked, run.state == "running", now(), PACE)


def _read(long: SurveyedText, ask: Ask) -> Iterator[Block]:
    """Yield the finding, the search, the window with its strip, and the profiles."""
    yield Together((drawings.finding(long),), name="long_finding", room="cell")
    yield _search(long, ask(Kept(HIT)))
    place = SentNumber("position", long.n_tokens)
    moves: dict[str, tuple[Act, ...]] = {"window": (Keep(START, place),), "token": (Keep(TOKEN, place),)}
    yield ComponentPicture("long", drawings.reader(long), "long_reader", moves)
    title = Together((Heading(drawings.profiles_title(long), style="first"),), name="long_profiles_title")
    side = Guess(SIDE, "Direction", SIDES, required=True)
    yield Side(((title,), (Row((side,), gap="small"),)), (3, 2), align="bottom")
    yield _caption(drawings.profiles_about(long), "long_profiles_about")
    pins = _pins(long.survey.n_layers, long.survey.n_heads)
    yield ComponentPicture("long", drawings.profiles(long), "long_profiles", pins)


def _pins(n_layers: int, n_heads: int) -> dict[str, tuple[Act, ...]]:
    """Return what a click on one of so many heads does."""
    return {"pin": (Keep(PIN, SentName("head", heads_of(n_layers, n_heads))),)}


def _search(long: SurveyedText, now: int | None) -> Side:
    """Return the search and the way from hit to hit; ``now`` is the one that the window stands at."""
    hits = long.hits

    def to(by: int, otherwise: int) -> tuple[Act, ...]:
        if not hits:
            return ()
        place = hits[(hits.index(now) + by) % len(hits) if now in hits else otherwise]
        return Keep(HIT, place), Keep(START, max(0, place - WINDOW // 2))

    told: tuple[Block, ...] = ()
    if long.search:
        place = f"{hits.index(now) + 1} of {len(hits)}" if now in hits else f"{len(hits)} places"
        told = (Plain(place if hits else "not found in what was read"),)
    field = KeptField(SEARCH, "Search in the text", 80, then=(Keep(HIT),))
    ways = [Press("← Before", to(-1, -1), off=not hits, wide=True), Press("Next →", to(1, 0), off=not hits, wide=True)]
    return Side(((field,), *((way,) for way in ways), told), (4, 1, 1, 4), align="bottom")


def _every_head(
    run: SurveyRun, text: str, head: HeadId | None, n_tokens: int, ask: Ask, found: tuple[Any, bool] | None = None
) -> Iterator[Block]:
    """Yield the overview of all heads, as far as it is there: one of this very text holds for every token of it."""
    before, overview, causal = ask(Kept(BEFORE)) or ("", None, False)
    if found is not None:
        layers, causal = list(found[0]), found[1]
    elif before == text and overview is not None:
        layers = list(overview)
    else:
        layers = list(run.layers)
        causal = bool(layers) and not any(np.triu(layer, 1).any() for layer in layers)
    if not layers:
        return
    n_heads, side = len(layers[0]), layers[0].shape[-1]
    yield Together((heading(f"All {run.whole * n_heads:,} heads, {side} × {side}"),), name="long_every", room="cell")
    drawn = drawings.overview(layers, run.whole, -(-n_tokens // CELLS), head, causal)
    yield ComponentPicture("long", drawn, "long_overview", _pins(len(layers), n_heads))
    if causal:
        yield _caption(COMPARE, "long_compare")


NO_LINK = "Links do not include long texts. Send the text along with the link."


COMPARE = "Early tokens have fewer tokens to look at, so their shares are larger. Compare heads, not rows."


def said_read(measure: Measure, begin: int, n_read: int) -> str:
    """Return what of the text was read and what was not; ``n_read`` tokens from the token ``begin`` on."""
    if n_read >= measure.n_tokens:
        return f"Read: all {measure.n_tokens:,} tokens (limit {measure.most:,})."
    last = min(begin + n_read, measure.n_tokens)
    line = f"Read: tokens {begin:,} to {last - 1:,} of {measure.n_tokens:,}"
    line += ", the limit of this model." if n_read >= measure.most else "."
    parts = []
    if begin:
        parts.append(f"the first {begin:,}")
    if measure.n_tokens > last:
        parts.append(f"the last {measure.n_tokens - last:,}")
    if not parts:
        return line
    return f"{line} Not read: {' and '.join(parts)}."


def said_kept(long: SurveyedText, whole: bool) -> str:
    """Return what is kept of the text, and what is not; ``whole`` says that the pinned head's map is."""
    found, n = long.survey, long.n_tokens
    heads = found.n_layers * found.n_heads
    side = found.overview.shape[-1]
    parts = [(f"the overview, {heads:,} × {found.overview.shape[-2]} × {side}", 4 * found.overview.size)]
    parts.append(("attention to and from the selected token", 8 * heads * n))
    if whole:
        parts.append((f"all of {long.head}, {n:,} × {n:,}", 2 * n * n))
    said = "; ".join(f"{name} ({_megabytes(size)})" for name, size in parts)
    return f"Saved: {said}. Too large to save: all maps ({_megabytes(4 * heads * n * n)})."


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f} MB" if size >= 10 * 2**20 else f"{size / 2**20:.1f} MB"


def under_way(done: int, whole: int, seconds: float, again: bool) -> str:
    """Return how far a survey is, and about how long it still takes."""
    what = "One head’s whole map: layer" if again else "Layer"
    if not done:
        return f"{what} 1 of {whole}."
    to_go = seconds / done * (whole - done)
    return f"{what} {min(done + 1, whole)} of {whole} · about {to_go:.0f} s left"


def stopped(done: int, whole: int, known: bool) -> str:
    """Return what is said of a survey that was stopped; ``known`` where all heads were looked at before."""
    line = f"Stopped after {done} of {whole} layers."
    if known:
        return f"{line} The heads below are from your previous request for this text."
    return f"{line} Hatched layers are not computed yet." if done else f"{line} Nothing is drawn."
