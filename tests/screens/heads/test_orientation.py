"""The newcomer's line is true of every model's shape."""

from dataclasses import replace

import pytest

from mha.models.files.catalog import model_row
from mha.screens.heads.orientation import PURPOSE, orientation


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ((6, 12), "MiniLM has 6 layers of 12: 72 heads. L0H1 is head 1 of layer 0; both count from 0."),
        ((1, 2), "MiniLM has one layer of 2. L0H1 is head 1 of layer 0; both count from 0."),
        ((3, 1), "MiniLM has 3 layers of 1: 3 heads. L1H0 is head 0 of layer 1; both count from 0."),
        ((1, 1), "MiniLM has one head. Its name is L0H0: head 0 of layer 0; both count from 0."),
    ],
)
def test_the_line_counts_and_names_heads_that_there_are(shape, said):
    row = replace(model_row("minilm"), n_layers=shape[0], n_heads=shape[1])
    line = "".join(span[1] for span in orientation(row))
    assert line == f"{PURPOSE} A head is one way in which the model lets each word look at other words. {said}"
