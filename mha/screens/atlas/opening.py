"""What Whole model opens with, as far as it comes with the program."""

from __future__ import annotations

from mha.engine.atlas import bundled_atlas
from mha.link.atlas import CORPUS, AtlasWords
from mha.link.view import View
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.screens.atlas import findings, sheet
from mha.screens.atlas.whole_model import WholeModel
from mha.screens.blocks import Said, as_text


def opening(view: View, chosen: AtlasWords) -> tuple[str, str] | None:
    """Return what is found over the bundled sentences, or by the sheet of a head, and the line under it; or None."""
    atlas = bundled_atlas(view.model) if chosen.over == CORPUS else None
    if atlas is None:
        return None
    case = WholeModel(view, chosen, model_row(view.model), atlas, None, None)
    if chosen.head is None:
        blocks, under = findings.opening_blocks(case), "sub"
    else:
        blocks, under = sheet.opening_blocks(sheet.HeadSheet(case, HeadId.parse(chosen.head), None, None)), "finding"
    by_style = {one.style: as_text(one.spans) for one in blocks if isinstance(one, Said)}
    return by_style["verdict"], by_style[under]
