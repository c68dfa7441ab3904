"""One cell of every kind of model: whatever it has or lacks, all of the view can be said and drawn."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from mha.export.heads import cell_table
from mha.export.tables import table_csv
from mha.maps import AttentionMaps
from mha.models.files.catalog import model_row
from mha.models.files.loading import LoadedModel
from mha.models.watch.any_cell import cell
from mha.models.watch.attending import record_text
from mha.models.watch.cell import Cell
from mha.screens.blocks import as_data
from mha.screens.cell import keys, page, score
from mha.screens.cell.recorded import RecordedCell, source
from tests.models.conftest import tiny  # noqa: F401
from tests.models.tiny import TEXT, THROUGH_THE_INTERFACE, Tiny

KINDS = ("BertModel", "LlamaForCausalLM", "T5ForConditionalGeneration", "Gemma2ForCausalLM", "GptOssForCausalLM")
ROWS = [row for row in THROUGH_THE_INTERFACE if row.architecture in KINDS]


def drawn(found: Cell, maps: AttentionMaps, row) -> str:
    """Everything that the view sends, in both orders, as JSON."""
    sent = []
    for by_number in (False, True):
        for before in (False, True):
            case = RecordedCell(found, maps, row, by_number, before)
            blocks = [
                page.hero(case),
                page.finding(case),
                *page.parts(case),
                *score.fits(case),
                *score.dims(case),
            ]
            blocks += [*score.score_steps(case), *keys.keys(case), keys.arrives(case)]
            sent.append([as_data(block) for block in blocks] + [source(case)])
    return json.dumps(sent, allow_nan=False)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.architecture)
def test_every_kind_of_transformer(row: Tiny, tiny: Callable[[Tiny], LoadedModel]) -> None:  # noqa: F811
    loaded = tiny(row)
    maps = record_text(TEXT, loaded).maps
    for query, key in ((4, 2), (5, 5), (2, 6), (0, 0)):
        found = cell(TEXT, (1, 3), query, key, loaded)
        sent = drawn(found, maps, loaded.row)
        assert ("cannot look at" in sent) == (found.hidden and found.weight == 0)
        assert ("share one key and one value" in sent) == (len(found.group) > 1)
        assert table_csv(cell_table(found, maps)).startswith(b"part,place,token,number,head")


@pytest.mark.parametrize("model", ["toy", "trained"])
def test_the_toys(model: str) -> None:
    text = "the man saw the dog with the telescope"
    found = cell(text, (0, 1), 3, 2, model)
    maps = record_text(text, model).maps
    assert "cannot look" not in drawn(found, maps, model_row(model))
    lines = table_csv(cell_table(found, maps)).decode().splitlines()
    assert sum(line.startswith("product,") for line in lines) == len(found.q)
    assert sum(line.startswith("weight,") for line in lines) == len(maps.tokens)
