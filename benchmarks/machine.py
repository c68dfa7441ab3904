"""Where a benchmark ran, for the JSON of each: machine, versions, and what of its memory something takes."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

PACKAGES = ("torch", "transformers", "numpy", "streamlit", "plotly")
HERE = Path(__file__).parent


def commit(folder: Path = HERE) -> str | None:
    """Return the commit of a folder, with "-dirty" behind it where files differ; None where git knows of none."""
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=7", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def machine() -> dict[str, Any]:
    """Return the machine, its load and the versions of what is measured."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
        "threads": sys.modules["torch"].get_num_threads() if "torch" in sys.modules else None,
    }


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    about = Path("/proc/cpuinfo")
    if about.exists():
        for line in about.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor()


def memory_rise(run: Callable[[], object], rounds: int = 1) -> float:
    """Return by how many MB this process's highest resident memory rises while something runs (Linux only)."""
    begin = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts anew
    for _ in range(rounds):
        run()  # one result held at a time
    return _memory("VmHWM") - begin


def _memory(field: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise OSError(f"no {field} here")
