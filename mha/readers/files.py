"""The files that leave a page: its numbers, its figures for print, and Heads as one HTML file."""

from __future__ import annotations

from mha.errors import InputError
from mha.export.tables import FORMATS, Format
from mha.figures.print import PaperFigure
from mha.readers.settled import ReadPage
from mha.screens import places, takings

MIMES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


def _table_file(block: takings.Numbers, how: Format) -> bytes:
    """Return a table as a file. It takes the block, not the page: a visit would keep the page with all its maps."""
    return how.write(block.of.made() if isinstance(block.of, takings.OnRequest) else block.of)


def files_of(page: ReadPage) -> dict[str, tuple[takings.Download, ...]]:
    """Return the files with a page's numbers by their title; each is made on request."""
    files: dict[str, tuple[takings.Download, ...]] = {}
    for block in places.every(page.blocks):
        if isinstance(block, takings.Files):
            files[block.title] = block.files
        elif isinstance(block, takings.Numbers):
            files[block.title] = tuple(
                takings.Download(
                    how.title,
                    f"{block.file}.{how.ending}",
                    how.mime,
                    takings.OnRequest(_table_file, (block, how)),
                )
                for how in FORMATS
            )
    return files


def prints_of(page: ReadPage) -> dict[str, tuple[takings.Download, ...]]:
    """Return the page's figures for print as files, drawn now; a figure that has no room is left out."""
    prints: dict[str, tuple[takings.Download, ...]] = {}
    for block in places.every(page.blocks):
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
