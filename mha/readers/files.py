"""A page as one file, made without a browser or a server: `parallax export LINK`, and a page in a notebook."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from mha.engine import Request, known
from mha.engine.question import Ask, here
from mha.errors import InputError
from mha.export.provenance import MapsSource, Provenance
from mha.export.standalone import CHART, PagePart, standalone
from mha.export.tables import FORMATS, Format, Table
from mha.figures.named import figure
from mha.figures.print.figure import PaperFigure
from mha.link.compare import SENTENCES, CompareWords
from mha.link.kinds import Shape
from mha.link.link import Link
from mha.link.view import View
from mha.maps import AttentionMaps
from mha.models.files.catalog import model_row, offered
from mha.readers.data import ReadPage, page_data
from mha.readers.envelope import seal
from mha.readers.faces import BLOCKS, FACES, sheets_of_blocks
from mha.readers.heads_page import HeadsPage, heads_page
from mha.readers.links import followed, opened_link
from mha.readers.settled import settled
from mha.screens import inputs, places, takings
from mha.screens.blocks import Block, Drawing, as_data, caption, heading
from mha.screens.compare.comparison import Comparison
from mha.screens.legends import LEGENDS
from mha.screens.pages import PAGES, blocks_of
from mha.screens.rows import rows_of
from mha.screens.share import ON_THE_SENTENCE, page_provenance
from mha.screens.steps.lesson import read_edits, titled
from mha.theme import THEMES

LAID_OUT = (places.Side, places.Tabs, places.Place, places.Row, places.Following)
MIMES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
UNDER_HEADS = {"rows", "next_words", "kind_map"}  # what of Heads stands in a file in which heads can be pinned
WRITING = FACES["writing"][0]
_LINK, _MARKS = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)"), re.compile(r"(\*\*?|`)(\S|\S.*?\S)\1")  # of markdown
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")  # what a control's label has behind a backslash
ALONE = {"copy_link", "arrow_keys", "change_words"}  # blocks that do something on the page alone


def page_of(address: str, ask: Ask = here) -> ReadPage:
    """Return the page of a link, such as ``readings?text=…``, all its questions answered by ``ask``.

    Raises:
        InputError: the link names no page.
    """
    name, _, query = followed(address).partition("?")
    page = name.rpartition("/")[2]
    if page not in PAGES:
        names = ", ".join(sorted(filter(None, PAGES)))
        raise InputError(f"There is no page “{page[:40]}”; there are {names}, and Heads without a name.")
    link, complaints = opened_link(page, parse_qs(query, keep_blank_values=True), _shapes())
    return ReadPage(link, complaints, settled(blocks_of(link, ask)))


def _shapes() -> dict[str, Shape]:
    return {row.name: Shape(row.short, row.n_layers, row.n_heads, beside=row.beside) for row in offered()}


def shown_in(address: str) -> View:
    """Return what a link says that most pages have: its text, its model, its pinned heads.

    Raises:
        InputError: something in the link cannot be, which a figure must not pass over.
    """
    link, complaints = Link.read(followed(address), _shapes())
    if complaints:
        raise InputError(complaints[0])
    return link.view


def page(link: str, static: bool = False) -> HeadsPage:
    """Return any page, by its link, to look at in a notebook or to save as a file that opens offline.

    ``link`` is what stands in the address behind the host: ``"readings?text=A dog ate the food because it was
    hungry."``; a whole address will do. On Heads, heads can be pinned in it, unless it is to be ``static``.

    Raises:
        InputError: the link names no page, or the file would be too large.
    """
    found = page_of(link)
    text = " / ".join(_texts(found)) if found.title in ON_THE_SENTENCE else ""
    about = f"{found.title}: “{text}”" if text else found.title
    return HeadsPage(written(found, static), about, _pictured(found))


def _pictured(found: ReadPage) -> AttentionMaps | None:
    """Return the maps whose heads stand for a page where only a picture of it is left; nothing is run for them."""
    if found.title not in ON_THE_SENTENCE:
        return None
    for block in places.every(found.blocks):
        if isinstance(block, takings.WholePage):
            return block.maps
    recording = known(Request(found.link.view.text, found.link.view.model))
    return None if recording is None else recording.maps


def export(link: str, file: str | PathLike[str]) -> Path:
    """Write the page of a link into a file, as HTML or as JSON by its ending; return its path.

    Raises:
        InputError: another ending, or as `page`.
    """
    path = Path(file)
    if path.suffix not in (".html", ".json"):
        raise InputError(f"A page is written as .html or .json, not as “{path.name[:40]}”.")
    found = page_of(link)
    text = written(found) if path.suffix == ".html" else json.dumps(page_data(found), ensure_ascii=False, indent=1)
    path.write_text(text, encoding="utf-8", errors="replace")
    return path


def written(found: ReadPage, static: bool = False) -> str:
    """Return a page that was read as one HTML file."""
    parts = [*(_blocks(_line(one)) for one in found.complaints), *_parts(found.blocks)]
    for block in places.every(found.blocks):
        if isinstance(block, takings.WholePage) and not static:
            return _with_heads(found, block, parts)
    told = _told(found.title, found.link, found.address, _texts(found))
    return standalone(found.title, parts, replace(told, link="") if _is_long(found) else told, LEGENDS)


def _with_heads(found: ReadPage, whole: takings.WholePage, parts: Sequence[PagePart]) -> str:
    """Return Heads as a file in which every head can be pinned: around it what the page says, and its tables."""
    blocks = tuple(places.every(found.blocks))
    told = (part for one in blocks if isinstance(one, places.Notice | inputs.Fixed) for part in _one(one))
    said = [*(_blocks(_line(text)) for text in found.complaints), *told]
    drawn = [one.drawn for one in blocks if isinstance(one, places.ComponentPicture) and one.face == "overview"]
    overview = next((one for one in drawn if isinstance(one, Drawing)), None)
    above = [*said, *(part for part in parts if part.module == WRITING)]
    return heads_page(whole.maps, whole.view, whole.source.told(), above, _below(parts), overview, whole.of)


def _told(about: str, link: Link, address: str, texts: tuple[str, ...] | None = None) -> Provenance:
    return page_provenance(about, link.view, model_row(link.view.model), address or str(link), texts)


def _texts(found: ReadPage) -> tuple[str, ...]:
    """Return the texts that a page about a text shows, for it may show others than its link says; () of a long one."""
    if _is_long(found):
        return ()
    blocks = tuple(places.every(found.blocks))
    made = (one.of for one in blocks if isinstance(one, takings.Numbers))
    given = (one for later in made if isinstance(later, takings.OnRequest) for one in later.given)
    if texts := next(filter(None, map(_texts_of, given)), ()):
        return texts
    view, own = found.link.view, model_row(found.link.view.model).example
    if own and any(isinstance(one, places.Notice) and one.text.endswith(f"“{own}” instead.") for one in blocks):
        return (own,)  # of a model that knows a few words only
    words = found.link.own
    if isinstance(words, CompareWords) and words.against == SENTENCES and words.second:
        return view.text, words.second
    return (view.text,)


def _texts_of(given: object) -> tuple[str, ...]:
    """Return the texts that what is written into a file is about; () where it does not say so."""
    if isinstance(given, MapsSource):
        return given.of_texts
    if isinstance(given, Comparison):
        return tuple(dict.fromkeys(given.texts))  # against a scrambled copy it is one
    return ()


def _is_long(found: ReadPage) -> bool:
    """Return whether a page shows a long text, which no link holds."""
    return any(isinstance(one, places.ComponentPicture) and one.face == "long" for one in places.every(found.blocks))


def _written_table(link: Link, address: str, block: takings.Numbers, how: Format) -> bytes:
    """Return a table as a file; it is given the link and not the page, which a visit would keep with all its maps."""
    table = block.of or Table(block.columns, _told(block.about, link, address))
    return how.write(table.made() if isinstance(table, takings.OnRequest) else table)


def files_of(found: ReadPage) -> dict[str, tuple[takings.AsFile, ...]]:
    """Return the files with a page's numbers, by what they hold; each is made when it is asked for."""
    files: dict[str, tuple[takings.AsFile, ...]] = {}
    for block in places.every(found.blocks):
        if isinstance(block, takings.Files):
            files[block.title] = block.files
        elif isinstance(block, takings.Numbers):
            files[block.title] = tuple(
                takings.AsFile(
                    one.title,
                    f"{block.file}.{one.ending}",
                    one.mime,
                    takings.OnRequest(_written_table, (found.link, found.address, block, one)),
                )
                for one in FORMATS
            )
    return files


def prints_of(found: ReadPage) -> dict[str, tuple[takings.AsFile, ...]]:
    """Return the page's figures for print as files, drawn now; what cannot be drawn at any width is left out."""
    prints: dict[str, tuple[takings.AsFile, ...]] = {}
    for block in places.every(found.blocks):
        if isinstance(block, takings.Print):
            try:
                drawn = block.of.made()
            except InputError:
                continue
            prints[block.title] = tuple(
                takings.AsFile(
                    ending.upper(),
                    f"{block.file}.{ending}",
                    MIMES[ending],
                    takings.OnRequest(PaperFigure.file, (drawn, ending)),
                )
                for ending in drawn.endings
            )
    return prints


def _below(parts: Sequence[PagePart]) -> Iterator[PagePart]:
    """Yield what stands under the heads in a file: next words, tables, how it is measured; each under its heading."""
    before: PagePart | None = None
    for part in parts:
        blocks = _blocks_in(part)
        if any(block["kind"] in UNDER_HEADS or block.get("style") == "wide" for block in _each(blocks)):
            if before is not None:
                yield before
            yield part
        before = part if [block["kind"] for block in blocks] == ["heading"] else None


def _each(blocks: Sequence[Any]) -> Iterator[Any]:
    """Yield blocks as JSON has them, those in columns in the place of these."""
    for block in blocks:
        if block["kind"] == "columns":
            yield from (one for column in block["columns"] for one in _each(column))
        else:
            yield block


def _blocks_in(part: PagePart) -> Sequence[Any]:
    return () if isinstance(part.content, bytes) else part.content.get("blocks", ())


def _blocks(*blocks: Block, room: str = "") -> PagePart:
    return PagePart(BLOCKS, sheets_of_blocks(room), {"blocks": _still([as_data(block) for block in blocks])})


def _said(*blocks: Block, room: str = "") -> Iterator[PagePart]:
    """Yield blocks as a part of the file, if anything of them stands in one."""
    part = _blocks(*blocks, room=room)
    if _blocks_in(part):
        yield part


def _still(blocks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return blocks, as JSON has them, without what says what to click: spans of kind "next".

    What says nothing else goes, and its heading where that leads to nothing then.
    """
    kept: list[dict[str, Any]] = []
    for block in blocks:
        if block["kind"] == "columns":
            kept.append({**block, "columns": [_still(column) for column in block["columns"]]})
            continue
        spans = [span for span in block.get("spans", ()) if span[0] != "next"]
        if spans == list(block.get("spans", ())):
            kept.append(block)
        elif spans:
            kept.append({**block, "spans": spans})
        elif kept and kept[-1]["kind"] == "heading" and block is blocks[-1]:
            kept.pop()
    return kept


def _line(text: str) -> Block:
    return caption((("plain", text),), style="body")


def _marked(text: str) -> Block:
    """Return a line of markdown as text: a link as its words and its address, what is marked without its marks."""
    return _line(_MARKS.sub(r"\2", _LINK.sub(r"\1, \2", text)))


def _picture(face: str, drawn: Any) -> PagePart:
    module, *sheets = FACES[face]
    return PagePart(module, tuple(sheets), seal(drawn) if isinstance(drawn, Drawing) else drawn)


def _parts(blocks: places.Blocks) -> Iterator[PagePart]:
    """Yield what is said and drawn; controls, and what is behind them, are of use on the page alone."""
    for block in blocks:
        if isinstance(block, places.Tabs):
            yield _blocks(heading(block.label or block.open))
        elif isinstance(block, places.More) and (inside := tuple(_parts(block.blocks))):
            yield from (_blocks(heading(block.title, "h3")), *inside)
        if isinstance(block, LAID_OUT):
            yield from _parts(places.inside(block))
        elif isinstance(block, places.Together):
            kept = [one for one in block.blocks if one.kind not in ALONE]
            if "change_words" not in {one.kind for one in block.blocks}:
                yield from _said(*kept, room=block.room)
        else:
            yield from _one(block)


def _one(block: Any) -> Iterator[PagePart]:
    """Yield the part of one block that stands alone; none for a control."""
    if isinstance(block, places.Title):
        yield _blocks(heading(block.text, f"h{block.level}"))
    elif isinstance(block, places.Notice | places.Plain | places.Faint):
        yield _blocks(_line(block.text))
    elif isinstance(block, places.Quoted):
        yield _blocks(caption((("plain", block.text),), style="quoted"))
    elif isinstance(block, places.Listed):
        yield _blocks(*map(_marked, block.lines))
    elif isinstance(block, inputs.Fixed):
        yield _blocks(_line(f"{block.label}: {block.text}"))
    elif isinstance(block, inputs.Guess):
        if not block.required:  # one that always has an answer chooses what is drawn
            yield _blocks(*(_line(_ESCAPED.sub(r"\1", option)) for option in block.options))
    elif isinstance(block, places.Formula):
        yield _blocks(*(caption((("head", line),)) for line in block.lines))
    elif isinstance(block, places.ComponentPicture):
        if not block.control:
            yield _picture(block.face, block.drawn)
    elif isinstance(block, places.Played):
        yield _picture("training", block.drawing)
    elif isinstance(block, places.SortableTable):
        yield _blocks(rows_of(block.title, block.columns, block.formats, block.file))
    elif isinstance(block, places.PlainTable):
        yield _blocks(rows_of("", block.columns, {}, block.file))
    elif isinstance(block, inputs.Ticked):
        label = {name: label for name, (label, _, _) in block.told.items()}
        columns = {label.get(name, name): values for name, values in block.columns.items()}
        yield _blocks(rows_of("", columns, {label: how for label, _, how in block.told.values()}, block.file))
    elif isinstance(block, places.Chart):
        drawn = {theme: json.loads(figure(block.figure, block.given, theme).to_json()) for theme in THEMES}
        yield PagePart(CHART, (), {"figures": drawn, "alt": block.alt})
    elif isinstance(block, inputs.Matrices):
        edited, _ = block.seeded.edited(read_edits(block.edits)[0])
        for name in edited.names:
            yield _blocks(rows_of(titled(name), edited.columns(name, block.words), {}, f"parallax-matrix-{name}"))
    elif type(block).__module__ not in places.BY_PYTHON and block.kind not in ALONE:
        yield from _said(block)
