"""Draw the picture of links that are not drawn in time, and write it to assets: ``python -m mha.ui.unfurled``."""

import argparse

from mha.link.pages import ABOUT, NAME
from mha.readers.preview import Preview
from mha.ui.unfurled.drawing import drawn
from mha.ui.unfurled.picture import BUNDLED

IDEA = "Where every head looks"


def instead() -> bytes:
    """Return the picture: what the program is for, and no page's name above it."""
    return drawn(Preview(f"{IDEA} ·  · {NAME}", ABOUT))


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m mha.ui.unfurled", description=__doc__).parse_args()
    BUNDLED.write_bytes(instead())
