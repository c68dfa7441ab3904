"""How each block of a page stands in a file: as a part that one module draws, or as a line; controls stand in none.

Nothing that only a server answers is left: no button, no sentence that asks for a click, no heading over nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from mha.export.standalone import CHART, FORMULA, PagePart
from mha.figures.named import figure
from mha.readers.envelope import seal
from mha.readers.faces import BLOCKS, FACES, sheets_of_blocks
from mha.screens import inputs, places
from mha.screens.blocks import Block, Drawing, as_data, caption, heading
from mha.screens.rows import rows_of
from mha.screens.steps.lesson import read_edits, titled
from mha.theme import THEMES

LAID_OUT = (places.Side, places.Tabs, places.Place, places.Row, places.Following)
UNDER_HEADS = {"rows", "row_chart", "kind_map"}  # what of Heads stands in a file in which heads can be pinned
WRITING = FACES["writing"][0]
_LINK, _MARKS = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)"), re.compile(r"(\*\*?|`)(\S|\S.*?\S)\1")  # of markdown
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")  # what a control's label has behind a backslash
ALONE = {"copy_link", "arrow_keys", "change_words"}  # blocks of the browser that do something on the page alone


def under_heads(parts: Sequence[PagePart]) -> Iterator[PagePart]:
    """Yield what stands under the heads in a file: next words, tables, how it is measured; each under its heading."""
    before: PagePart | None = None
    for part in parts:
        blocks = _blocks_in(part)
        if any(block["kind"] in UNDER_HEADS or block.get("style") == "caption wide" for block in _each(blocks)):
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


def _line(text: str, style: str = "body") -> Block:
    return caption((("plain", text),), style=style)


def _marked(text: str) -> Block:
    """Return a line of markdown as text: a link as its words and its address, what is marked without its marks."""
    return _line(_MARKS.sub(r"\2", _LINK.sub(r"\1, \2", text)))


def parts_of(blocks: places.Blocks) -> Iterator[PagePart]:
    """Yield what is said and drawn; controls, and what is behind them, are of use on the page alone."""
    for block in blocks:
        if isinstance(block, places.Tabs):
            yield _blocks(heading(block.label or block.open))
        elif isinstance(block, places.More) and (inside := tuple(parts_of(block.blocks))):
            yield from (_blocks(heading(block.title, "h3")), *inside)
        if isinstance(block, LAID_OUT):
            yield from parts_of(places.inside(block))
        elif isinstance(block, places.Together):
            kept = [one for one in block.blocks if one.kind not in ALONE]
            if "change_words" not in {one.kind for one in block.blocks}:
                yield from _said(*kept, room=block.room)
        else:
            yield from _one(block)


def _one(block: Any) -> Iterator[PagePart]:
    """Yield the part of one block that stands alone; none for a control."""
    if isinstance(block, places.Notice | places.Plain):
        quoted = isinstance(block, places.Plain) and block.style == "quoted"
        yield _blocks(_line(block.text, "quoted" if quoted else "body"))
    elif isinstance(block, places.Listed):
        yield _blocks(*map(_marked, block.lines))
    elif isinstance(block, inputs.Fixed):
        yield _blocks(_line(f"{block.label}: {block.text}"))
    elif isinstance(block, inputs.Guess):
        if not block.required:  # one that always has an answer chooses what is drawn
            yield _blocks(*(_line(_ESCAPED.sub(r"\1", option)) for option in block.options))
    elif isinstance(block, places.Formula):
        from latex2mathml.converter import convert

        lines = [convert(line, display="block") for line in block.lines]
        yield PagePart(FORMULA, (), {"formulas": lines, "narrow": block.narrow})
    elif isinstance(block, places.ComponentPicture):
        if not block.control:
            module, *sheets = FACES[block.face]
            drawn = seal(block.drawn) if isinstance(block.drawn, Drawing) else block.drawn
            yield PagePart(module, tuple(sheets), drawn)
    elif isinstance(block, places.PageTable):
        yield _blocks(rows_of(block.title, block.columns, block.formats, block.file))
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
