"""The protocol of an engine, as this process keeps it."""

import numpy as np
import pytest

from mha.analysis.statistics import head_statistics
from mha.engine.inprocess import ENGINE
from mha.engine.recordings import Request, record
from mha.errors import InputError
from mha.examples import EXAMPLES
from mha.pairs import corpus

TEXT = EXAMPLES[0].text


def test_it_records_and_counts():
    assert ENGINE.record(Request(TEXT)) is record(Request(TEXT))
    found = ENGINE.statistics(Request(TEXT))
    for name, values in head_statistics(record(Request(TEXT)).maps).items():
        np.testing.assert_array_equal(found[name], values)


def test_it_knows_the_experiments_by_name():
    with pytest.raises(InputError, match="There is no experiment “tea”; there are .*patched"):
        ENGINE.experiment("tea")
    assert ENGINE.experiment("token_counts", ("dog", "telescope")) == (1, 1)


def test_it_says_how_it_is():
    ENGINE.record(Request(corpus()[0]))
    health = ENGINE.health()
    assert health.ready
    assert health.kept >= 1
    assert health.kept_bytes > 0
