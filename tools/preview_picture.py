"""Draw the picture of links that are not drawn in time, and write it to assets: ``python -m tools.preview_picture``."""

import argparse

from mha.link.pages import ABOUT, NAME
from mha.server.previews import BUNDLED, Preview, draw_preview

IDEA = "Where every head looks"


def instead() -> bytes:
    """Return the picture: what the program is for, and no page's name above it."""
    return draw_preview(Preview(f"{IDEA} ·  · {NAME}", ABOUT))


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m tools.preview_picture", description=__doc__).parse_args()
    BUNDLED.write_bytes(instead())
