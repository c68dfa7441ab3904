"""Where the numbers of a page come from."""

from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.views import models


def test_pictures_of_an_ablated_model_name_its_heads_first():
    row = model_row("minilm")
    assert models.origin(row, ablated=[HeadId(0, 1), HeadId(2, 3)]) == f"Ablated: L0H1 and L2H3. {models.origin(row)}"
