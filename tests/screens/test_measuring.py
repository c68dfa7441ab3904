"""The sentence about a model without a measurement is true for every model."""

from dataclasses import replace

from mha.models.files.catalog import model_row, offered_on_pages
from mha.screens.measuring import missing_measurement

COMMAND = "python -m studies.calibrate smollm2"


def test_missing_measurement_names_command():
    told = missing_measurement(model_row("smollm2"), "measured test pairs", COMMAND)
    assert (
        told == f"There are no measured test pairs for SmolLM2; `{COMMAND}` in a checkout of the repository makes them."
    )


def test_missing_measurement_needs_revision():
    told = missing_measurement(replace(model_row("smollm2"), revision=""), "measured test pairs", COMMAND)
    assert "belong to one revision of a model, and a local folder has none" in told
    assert COMMAND not in told


def test_missing_measurement_omits_unmeasurable_models():
    told = {row.name for row in offered_on_pages() if missing_measurement(row, "measured test pairs", COMMAND)}
    assert told == {"minilm", "smollm2"}
