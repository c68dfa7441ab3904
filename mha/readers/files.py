"""A page as one file, made without a browser or a server: `parallax export LINK`, and a page in a notebook."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from urllib.parse import parse_qs

from mha.engine import Request, known
from mha.engine.patience import unhurried
from mha.engine.question import Ask, here
from mha.errors import InputError
from mha.export.provenance import MapsSource, Provenance
from mha.export.standalone import PagePart, standalone
from mha.export.tables import FORMATS, Format, Table
from mha.figures.print.figure import PaperFigure
from mha.link.compare import SENTENCES, CompareWords
from mha.link.kinds import Shape
from mha.link.link import Link
from mha.link.view import View
from mha.maps import AttentionMaps
from mha.models.files.catalog import model_row, offered
from mha.readers.data import ReadPage, page_data
from mha.readers.heads_page import HeadsPage, heads_page
from mha.readers.links import followed, opened_link
from mha.readers.parts import WRITING, parts_of, under_heads
from mha.readers.settled import settled
from mha.screens import inputs, places, takings
from mha.screens.blocks import Drawing
from mha.screens.compare.comparison import Comparison
from mha.screens.legends import LEGENDS
from mha.screens.pages import PAGES, blocks_of
from mha.screens.share import ON_THE_SENTENCE, page_provenance

MIMES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


def page_of(address: str, ask: Ask = here) -> ReadPage:
    """Return the page of a link, such as ``readings?text=…``, all its questions answered by ``ask``.

    Raises:
        InputError: the link names no page.
    """
    name, _, query = followed(address).partition("?")
    name = name.partition("#")[0]
    last = name.rstrip("/").rpartition("/")[2]
    page = last if last in PAGES else name.rpartition("/")[2]  # the app leads from "readings/" to "readings", too
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
    with unhurried():
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
    with suppress(InputError):  # nothing in the link's text can be looked at: the page shows another one
        recording = known(Request(found.link.view.text, found.link.view.model))
        return None if recording is None else recording.maps
    return None


def export(link: str, file: str | PathLike[str]) -> Path:
    """Write the page of a link into a file, as HTML or as JSON by its ending; return its path.

    Raises:
        InputError: another ending, or as `page`.
    """
    path = Path(file)
    if path.suffix not in (".html", ".json"):
        raise InputError(f"A page is written as .html or .json, not as “{path.name[:40]}”.")
    with unhurried():
        found = page_of(link)
    text = written(found) if path.suffix == ".html" else json.dumps(page_data(found), ensure_ascii=False, indent=1)
    path.write_text(text, encoding="utf-8", errors="replace")
    return path


def written(found: ReadPage, static: bool = False) -> str:
    """Return a page that was read as one HTML file."""
    parts = [*parts_of(map(places.Notice, found.complaints)), *parts_of(found.blocks)]
    for block in places.every(found.blocks):
        if isinstance(block, takings.WholePage) and not static:
            return _with_heads(found, block, parts)
    told = _told(found.title, found.link, found.address, _texts(found))
    return standalone(found.title, parts, replace(told, link="") if _is_long(found) else told, LEGENDS)


def _with_heads(found: ReadPage, whole: takings.WholePage, parts: Sequence[PagePart]) -> str:
    """Return Heads as a file in which every head can be pinned: around it what the page says, and its tables."""
    blocks = tuple(places.every(found.blocks))
    told = [*map(places.Notice, found.complaints)] + [
        one for one in blocks if isinstance(one, places.Notice | inputs.Fixed)
    ]
    drawn = [one.drawn for one in blocks if isinstance(one, places.ComponentPicture) and one.face == "overview"]
    overview = next((one for one in drawn if isinstance(one, Drawing)), None)
    above = [*parts_of(told), *(part for part in parts if part.module == WRITING)]
    return heads_page(whole.maps, whole.view, whole.source.told(), above, under_heads(parts), overview, whole.of)


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
    if instead := next((one.of for one in blocks if isinstance(one, places.Notice) and one.of), ""):
        return (instead,)
    view, words = found.link.view, found.link.own
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


def files_of(found: ReadPage) -> dict[str, tuple[takings.Download, ...]]:
    """Return the files with a page's numbers, by what they hold; each is made when it is asked for."""
    files: dict[str, tuple[takings.Download, ...]] = {}
    for block in places.every(found.blocks):
        if isinstance(block, takings.Files):
            files[block.title] = block.files
        elif isinstance(block, takings.Numbers):
            files[block.title] = tuple(
                takings.Download(
                    one.title,
                    f"{block.file}.{one.ending}",
                    one.mime,
                    takings.OnRequest(_written_table, (found.link, found.address, block, one)),
                )
                for one in FORMATS
            )
    return files


def prints_of(found: ReadPage) -> dict[str, tuple[takings.Download, ...]]:
    """Return the page's figures for print as files, drawn now; what cannot be drawn at any width is left out."""
    prints: dict[str, tuple[takings.Download, ...]] = {}
    for block in places.every(found.blocks):
        if isinstance(block, takings.Print):
            try:
                drawn = block.of.made()
            except InputError:
                continue
            prints[block.title] = tuple(
                takings.Download(
                    ending.upper(),
                    f"{block.file}.{ending}",
                    MIMES[ending],
                    takings.OnRequest(PaperFigure.file, (drawn, ending)),
                )
                for ending in drawn.endings
            )
    return prints
