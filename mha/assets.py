"""Where the files are that travel with the package: beside it in a checkout, inside it once it is installed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "assets"

ASSETS: Path = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent / "assets"
