"""Every benchmark can be asked, answers in one form, and still measures something."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import NAMES
from benchmarks.command import SKIPPED

ROOT = Path(__file__).parents[1]
README = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
LONGEST = 120  # seconds of a quick look, of which an idle machine needs less than ten
ABOUT = {"benchmark", "commit", "quick", "seconds", "machine"}  # what every answer says beside what was measured


def module_of(name):
    return importlib.import_module(f"benchmarks.bench_{name}")


def numbers(found):
    """Yield every number of what was measured."""
    if isinstance(found, dict | list):
        for one in found.values() if isinstance(found, dict) else found:
            yield from numbers(one)
    elif isinstance(found, int | float) and not isinstance(found, bool):
        yield found


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_be_imported_and_asked(name):
    module = module_of(name)
    assert module.arguments().parse_args([]).quick is False
    assert module.arguments().parse_args(["--quick"]).quick is True
    assert callable(module.run)
    assert f"python -m benchmarks.bench_{name}" in module.__doc__.replace("\n", " ")
    assert f'answer("{name}", arguments(), run)' in Path(module.__file__).read_text(encoding="utf-8")
    assert f"`bench_{name}" in README, "no question of the README names it"


def test_commands_of_the_readme_are_there():
    named = set(re.findall(r"`(?:python -m benchmarks\.)?bench_(\w+)", README))
    assert named <= set(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_quick_look_measures_something(name):
    command = [sys.executable, "-m", f"benchmarks.bench_{name}", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert (found["benchmark"], found["quick"]) == (name, True)
    measured = {key: value for key, value in found.items() if key not in ABOUT}
    if set(measured) == {SKIPPED}:
        pytest.skip(measured[SKIPPED])
    assert any(number > 0 for number in numbers(measured))
    assert not any(number != number for number in numbers(measured)), "not a number"
