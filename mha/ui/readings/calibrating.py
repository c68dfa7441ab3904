"""Measuring a model on the forced pairs: offered where nothing is known of it."""

from __future__ import annotations

from mha.engine import jobs
from mha.models.files.catalog import ModelRow
from mha.screens.readings.pairs import can_be_measured, offer_blocks
from mha.ui import visitors
from mha.ui.components.blocks import draw
from mha.ui.jobs import measured_once
from mha.ui.readings.headings import section


def offer(kind: str, row: ModelRow) -> None:
    """Offer to measure a model on the forced pairs, or show how far that is; nothing where there are no pairs."""
    if not can_be_measured(kind, row):
        return
    section("Over the pairs of this kind")
    draw(offer_blocks(row), "calibrating_words")
    run, step = jobs.calibration_run(row.name), "Measuring the forced pairs: step"
    measured_once("calibrating", run, lambda: _measure(row.name), "Measure the forced pairs", step)


def _measure(model: str) -> None:
    jobs.calibrate(model, visitors.here())
