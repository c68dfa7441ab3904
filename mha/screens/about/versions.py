"""Versions and licences, read from what is installed when they are asked for."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata

from mha.assets import BESIDE

LONGEST = 70  # characters of a licence's name; a whole licence text is not one
_CLASSIFIER = "License :: OSI Approved :: "


@dataclass(frozen=True)
class Library:
    """One library as it is installed."""

    name: str
    version: str
    licence: str


def libraries(requirements: str | None = None) -> tuple[Library, ...]:
    """Return Python and every library of `requirements.txt`, in its order, as installed here."""
    text = requirements or (BESIDE / "requirements.txt").read_text(encoding="utf-8")
    names = re.findall(r"^([A-Za-z0-9._-]+)", text, re.MULTILINE)
    return (Library("Python", platform.python_version(), "PSF-2.0"), *(library(name) for name in names))


def library(name: str) -> Library:
    """Return a library's version and licence; one that is not installed says so."""
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return Library(name, "not installed", "")
    declared = {field: about[field] for field in ("License-Expression", "License") if field in about}
    return Library(name, about["Version"], licence(about.get_all("Classifier") or [], declared))


def licence(classifiers: list[str], declared: Mapping[str, str]) -> str:
    """Return the name of a licence: the declared expression, else a short declared name, else the classifier.

    >>> licence(["License :: OSI Approved :: BSD License"], {"License": "Copyright (c) 2001 …" * 9})
    'BSD License'
    """
    expression, named = (declared.get(field, "").strip() for field in ("License-Expression", "License"))
    classified = "; ".join(row.removeprefix(_CLASSIFIER) for row in classifiers if row.startswith(_CLASSIFIER))
    if expression:
        parts = expression.split(" AND ")
        return expression if len(expression) <= LONGEST else f"{parts[0]} and {len(parts) - 1} more"
    return named if named and len(named) <= LONGEST else classified or "see the package"
