"""Draw the picture of links that are not drawn in time, and write it to assets: ``python -m tools.preview_picture``."""

import argparse

from mha.figures.preview import preview_picture
from mha.navigation import ABOUT, NAME
from mha.server.first_answers import BUNDLED

IDEA = "Where every head looks"


def picture() -> bytes:
    """Return the picture: the purpose of the program, without a page's name."""
    return preview_picture(NAME, "", (IDEA,), (ABOUT,))


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m tools.preview_picture", description=__doc__).parse_args()
    BUNDLED.write_bytes(picture())
