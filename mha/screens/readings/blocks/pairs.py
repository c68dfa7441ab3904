"""Blocks of what is told over the forced pairs of a kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mha.screens.readings.blocks.shapes import LabelledPicture


@dataclass(frozen=True)
class PairsHead:
    """One head over the forced pairs: how often it is right, and what it carries, each with its interval."""

    name: str
    pair: float
    pair_from: float
    pair_to: float
    tells: bool
    share: float
    from_: float
    to: float
    named: bool
    sure: bool


class CalibrationStrip(LabelledPicture, kind="calibration_strip"):
    """Every head on two axes, joined."""

    heads: Sequence[PairsHead]
    limit: float
    n_pairs: int
    n_patched: int


@dataclass(frozen=True)
class ForestRow:
    """A number, perhaps with its interval; the sentence's own are ``loud``."""

    name: str
    value: float
    from_: float | None = None
    to: float | None = None
    loud: bool = False


class Forest(LabelledPicture, kind="forest"):
    """Plain intervals below each other."""

    rows: Sequence[ForestRow]
