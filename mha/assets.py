"""Where the files are that travel with the package: beside it in a checkout, in `mha/beside` once it is installed.

`setup.py` lays them out there as they lie in a checkout, so that one path is right for both.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "beside"

BESIDE: Path = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
ASSETS: Path = BESIDE / "assets"
