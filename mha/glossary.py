"""The glossary as a table: term → its one sentence, read from `docs/glossary.md`."""

import functools
import re

from mha.assets import BESIDE

FILE = BESIDE / "docs" / "glossary.md"
_LINE = re.compile(r"^- \*\*(.+?)\*\*: (.+)$", re.MULTILINE)


@functools.cache
def glossary() -> dict[str, str]:
    """Return every term with its sentence, in the order of the file: its lines are like ``- **term**: sentence``."""
    return dict(_LINE.findall(FILE.read_text(encoding="utf-8")))
