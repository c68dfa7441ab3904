"""Every study that is run by its name says what it takes, and measures nothing when it is asked."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = sorted(path for path in (ROOT / "studies").rglob("*.py") if path.name != "__init__.py")
NAMES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
    for path in RUN
    if path.name == "__main__.py" or '__name__ == "__main__"' in path.read_text(encoding="utf-8")
]
LONGEST = 120  # seconds, of which an idle machine needs less than ten


@pytest.mark.parametrize("name", NAMES)
def test_help_measures_nothing(name):
    command = [sys.executable, "-m", name, "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: python -m {name} [-h]")
