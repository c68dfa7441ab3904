"""A sentence as the tabs get it, measured; and what a tab says of it."""

from mha import engine
from mha.engine.question import here as ask
from mha.link.readings import ReadingsWords
from mha.link.view import View
from mha.models.files.catalog import model_row
from mha.screens.readings.choices import resolved
from mha.screens.readings.recorded import RecordedReadings, moved, shared
from mha.screens.readings.what_carries import carry_blocks
from tests.said import texts

DOG = "A dog ate the food because it was hungry."
TELESCOPE = "I saw the man with the telescope"
LATE = "We met the friend of the sisters who was late."


def case(text=DOG, choices=ReadingsWords(), model="minilm", **view) -> RecordedReadings:  # noqa: B008
    maps = engine.record(engine.Request(text, model)).maps
    return RecordedReadings(View(text=text, model=model, **view), resolved(text, choices), maps, model_row(model))


def carried(this: RecordedReadings):
    """Return the blocks of the tab "What carries it"."""
    move = moved(this, ask)
    return carry_blocks(this.ambiguity, move, shared(this, move, ask))


def kinds(blocks) -> list[str]:
    return [block.kind for block in blocks]


def said(blocks) -> str:
    return texts(blocks).replace("\u00a0", " ")
