"""A visitor of the page of two readings, and the sentences that its tests look at."""

from mha.engine.jobs import RUNS
from mha.engine.sweeps import SweepRequest
from tests.pages.conftest import Page
from tests.said import texts

DOG = "A dog ate the food because it was hungry."
TELESCOPE = "I saw the man with the telescope"
OWN = "The nurse helped the singer because she was kind"
CHOSEN = {"readings_pivot": "6 she", "readings_a": ["1 nurse"], "readings_b": ["4 singer"]}


class Readings(Page):
    """A visitor of this page."""

    def __init__(self, **link):
        super().__init__(bare=not link, at="readings.py", seconds=120, **link)

    def waits_for_the_sweep(self):
        """Let the sweep that was asked about last be over, and draw the page of it."""
        sweeps = [run for asked, run in RUNS._runs.items() if isinstance(asked, SweepRequest)]
        assert sweeps[-1].wait(60)
        self.run()

    def blocks(self):
        """Return every heading and sentence of the tabs."""
        said = [texts(blocks) for blocks in self.columns()]
        return "\n".join([*(heading.value for heading in self.test.header), *said]).replace("\u00a0", " ")

    def columns(self):
        """Return the columns of blocks that the tabs draw; captions and the like stand by themselves."""
        every = [data["blocks"] for data in self.components("blocks")]
        return [blocks for blocks in every if not _is_beside(blocks[0])]

    def kinds(self):
        """Return the kinds of all blocks, columns opened."""

        def walk(blocks):
            for block in blocks:
                yield block["kind"]
                for column in block.get("columns", ()) if block["kind"] == "columns" else ():
                    yield from walk(column)

        return [kind for blocks in self.columns() for kind in walk(blocks)]

    def roles(self):
        """Return the words with a role, as the sentence was sent to the browser."""
        spec = [*self.part("ambiguity"), *self.part("contrast")][0]  # on the first tab the picture has the sentence
        return {role: piece["text"] for piece in spec["pieces"] for role in piece["roles"]}


def _is_beside(block):
    return block["kind"] == "copy_link" or block.get("style", "").startswith("caption")
