"""What a model without measured test pairs says in their place."""

from __future__ import annotations

from collections.abc import Iterator

from mha.engine import experiments
from mha.models.files.catalog import ModelRow
from mha.pairs import KINDS, LATE_KINDS
from mha.screens.blocks import Block, said
from mha.screens.measuring import missing_measurement
from mha.screens.places import Together
from mha.screens.readings.recorded import section

NO_PAIRS_OF_CAUSAL = (
    "{model} reads left to right. In the test pairs of this type the deciding word comes after the words of the score, "
    "so both versions have equal scores whatever the model does. Choose two continuations as the score."
)


def missing_pairs(kind: str, row: ModelRow, large: bool) -> Iterator[Block]:
    """Yield the section of a model that has no measured test pairs; nothing if there are no pairs to measure."""
    told = missing_measurement(row, "measured test pairs", f"python -m studies.calibrate {row.name}")
    if kind in KINDS and told and experiments.calibration_of_kind(kind, row.name) is None:
        yield section("Test pairs", large)
        if row.causal and kind in LATE_KINDS:
            yield Together((said("sub", NO_PAIRS_OF_CAUSAL, model=row.short),))
        else:
            yield Together((said("sub", "{told}", told=told),))
