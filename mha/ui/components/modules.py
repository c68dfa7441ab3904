"""The components' JavaScript and CSS, as the one text that Streamlit takes.

Streamlit imports a component's text from a blob address, where relative imports cannot be resolved. So the small
modules in `assets/js` are joined: each file after the ones it imports, its import lines dropped, all else unchanged.
In Node the same files import each other as usual.
"""

from __future__ import annotations

import re
from pathlib import Path

from mha.assets import ASSETS

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z_]+\.js)";\n', re.MULTILINE)


def joined_modules(name: str, folder: Path = ASSETS / "js") -> str:
    """Return one ES module: the named file behind everything it imports, each file once."""
    return "\n".join(_joined(name, folder, set()))


def _joined(name: str, folder: Path, seen: set[str]) -> list[str]:
    if name in seen:
        return []
    seen.add(name)
    source = (folder / name).read_text(encoding="utf-8")
    before = [part for needed in _IMPORT.findall(source) for part in _joined(needed, folder, seen)]
    return [*before, _IMPORT.sub("", source)]


def stylesheet(*names: str) -> str:
    """Return the named files of `assets/css`, joined."""
    return "\n".join((ASSETS / "css" / name).read_text(encoding="utf-8") for name in names)
