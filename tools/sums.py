"""Write assets/sums.txt after a file of assets was changed on purpose: ``python -m tools.sums``."""

import argparse
import hashlib

from mha.assets import ASSETS, SUMS, short


def summed() -> str:
    """Return the lines of `assets/sums.txt`."""
    files = [
        *(file for file in ASSETS.glob("*.*") if file != SUMS),
        *(file for folder in ("copier", "reverser", "lessons") for file in (ASSETS / folder).glob("*.*")),
    ]
    return "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {short(file)}\n" for file in sorted(files))


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m tools.sums", description=__doc__).parse_args()
    SUMS.write_text(summed(), encoding="utf-8")
