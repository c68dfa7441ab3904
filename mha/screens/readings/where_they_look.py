"""The tab "Where heads look": what the maps say at once, and what shuffled sentences say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from mha.analysis.leaning import Leaning
from mha.analysis.readings import Leans, leans
from mha.analysis.usual import Habit
from mha.analysis.usual import habit as habit_of
from mha.engine import experiments
from mha.engine.question import ADDRESS, Ask
from mha.engine.recordings import Request
from mha.errors import NotComparable
from mha.export.heads import leans_table
from mha.export.provenance import MapsSource
from mha.export.tables import Table, table_csv, table_source
from mha.formats import cut, listed, many
from mha.intervention.unusual import tried
from mha.link.readings import ReadingsWords
from mha.screens.blocks import Block, Key, caption
from mha.screens.places import More, PageTable, Row, Side, Together, Wait, together
from mha.screens.readings.leans import (
    PAIRS,
    lean_rows,
    lean_said,
    lean_table,
    map_blocks,
    places,
    rule_said,
    twin_blocks,
    unusual_blocks,
)
from mha.screens.readings.look import ONE_WAY, drawn_said, strongest_heads, top_blocks
from mha.screens.readings.pairs import missing_pairs
from mha.screens.readings.recorded import HOW, RecordedReadings, calibration_of, first_word_blocks, provenance
from mha.screens.readings.score_change import PAIRS_SAID
from mha.screens.readings.sentence import agreed, contrast_picture
from mha.screens.shown import in_words
from mha.screens.takings import Download, Numbers, OnRequest, Print, figure_of_maps

COLUMNS = (
    "Attention shared with each candidate, [[lean]] and [[share|share of a lean]]; mean and spread over the [[shuffled "
    "sentences|shuffled]]. [[AUC]] over the test pairs of this type, with its [[interval|bootstrap interval]], where "
    "there are pairs."
)
TWO = dict.fromkeys(("a", "b", "lean", "share", "shuffled", *PAIRS), "%.2f") | {"spread": "%.3f"}


def tab(case: RecordedReadings, own: ReadingsWords, ask: Ask) -> Iterator[Block]:
    """Yield the tab; what stands above the shuffling is drawn before it."""
    found, habit = case.ambiguity, habit_of(case.row.name)
    try:
        here = leans(case.maps, found.readings)
    except NotComparable as error:
        yield from first_word_blocks(found, error)
        return
    agrees = agreed(found)
    decides = agrees.number if agrees is not None and agrees.fits is not None else None
    yield Together(top_blocks(found, case.maps, habit, decides))
    if found.contrast is None:
        yield contrast_picture(case)
    asked = experiments.leaning.of(found.text, found.readings, case.row.name)

    def orders() -> Iterator[Block]:
        yield Wait("Shuffling the sentence …")
        yield Together(unusual_blocks(ask(asked)))

    of_map = Together(map_blocks(case.maps, here, habit))
    yield Side(((of_map,), orders()), (62, 43), "large")
    leaning = ask(asked)
    yield More(HOW, tuple(_method(case, leaning, habit)))
    yield from _twins(case, here, ask)
    known = calibration_of(case)
    rows = lean_rows(leaning, known)
    source = provenance(case, f"{len(leaning.shuffles)} shuffled sentences", ask(ADDRESS))
    source = replace(source, aside=True)
    whole = in_words(case.maps)
    place = next((at for at, token in enumerate(whole.tokens) if token.word == found.pivot), None)
    if place is not None:  # for each candidate the head that looks at it most, as in the picture above
        picks = strongest_heads(found, whole)
        title = f"Arcs from “{cut(found.words[found.at])}”: {listed([str(head) for head in picks])}"
        given_arcs = (whole, "arcs", tuple(picks), source.link, place, False, picks)
        yield Print(title, "parallax-arcs", OnRequest(figure_of_maps, given_arcs))
    yield Numbers("Every head’s lean", "parallax-leans", of=OnRequest(leans_table, (leaning, source)))
    given = source.model_sha256, source.controls, source.link, source.texts, source.aside
    yield _table(leaning, rows, Request(found.text, case.row.name), given)
    if known is None and found.compared_with:
        yield from missing_pairs(found.kind, case.row, case.view.large)


def _method(case: RecordedReadings, leaning: Leaning, habit: Habit | None) -> Iterator[Block]:
    """Yield how this tab is measured."""
    found = case.ambiguity
    yield caption(drawn_said(found, case.maps))
    if habit is not None:
        yield caption("Usual share: average attention at the same distance over the sample sentences.")
    one_way = f" {ONE_WAY}" if case.maps.causal else ""
    yield caption(lean_said(found, any(map(any, places(case.maps, habit)))), one_way)
    yield caption(rule_said(leaning, tried(case.row.name)))
    yield caption(PAIRS_SAID)
    yield together(Key("lean_legend"))


def _twins(case: RecordedReadings, here: Leans, ask: Ask) -> Iterator[Block]:
    """Yield how far scrambled copies lean, measured once the part is opened."""
    if not experiments.has_twin(case.row.name):
        return
    found = case.ambiguity

    def measured() -> Iterator[Block]:
        yield Wait("Making five scrambled copies …")
        twins = ask(experiments.twins.of(found.text, found.readings, case.row.name))
        yield Together(twin_blocks(here, twins))

    yield More("Against scrambled copies", measured(), name="readings_twins", late=True)


Source = tuple[str, str, str, tuple[str, ...], bool]  # the arguments of a `MapsSource` after its maps


def _leans_file(write: Callable[[Table], bytes], rows: dict[str, list[Any]], request: Request, source: Source) -> bytes:
    """Return the rows of the table as a file; maps are computed again, so that a visit does not keep them."""
    return write(lean_table(rows, MapsSource(request.answer().maps, *source).told()))


def _table(leaning: Leaning, rows: dict[str, list[Any]], request: Request, source: Source) -> More:
    count = leaning.here.a.size
    alt = f"Leans of {many(count, 'head')}, one row each; the downloaded file has the same numbers."
    formats = {name: TWO[name] for name in rows if name in TWO}
    sheet = PageTable(rows, alt, "parallax-leans-table", "Every head’s lean", formats=formats)
    table, provenance = (OnRequest(_leans_file, (make, rows, request, source)) for make in (table_csv, table_source))
    downloads = (
        Download("Download as CSV", "parallax-leans.csv", "text/csv", table),
        Download("Its source", "parallax-leans.source.json", "application/json", provenance),
    )
    return More(
        f"{'The one head' if count == 1 else f'All {count} heads'} in numbers",
        (sheet, caption(COLUMNS), Row(downloads, left=True, gap="medium")),
    )
