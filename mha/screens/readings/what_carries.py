"""The tab "What carries it": how the score moves between two versions, and which heads that difference comes with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mha.engine.asking import Here, Kept
from mha.engine.question import Ask
from mha.export.experiments import carried_table
from mha.export.provenance import MapsSource
from mha.export.tables import Table
from mha.link.acts import Act, ChangeWord, Keep, Say, SayContrast, SecondWord
from mha.link.readings import MOST_NAME, ReadingsWords
from mha.link.sent import SentName, SentText
from mha.screens.blocks import Block
from mha.screens.places import Numbers, Together, Wait
from mha.screens.readings.carried import DOG, FORCES, OVER_PAIRS, OWN, carry_blocks
from mha.screens.readings.doorway import door_blocks, doorway
from mha.screens.readings.effect import brought
from mha.screens.readings.pairs import pairs_blocks
from mha.screens.readings.recorded import RecordedReadings, provenance
from mha.screens.readings.section import TAKE_DOG, measuring
from mha.screens.readings.states import State, state_of
from mha.screens.readings.two_versions import calibration_of, moved, shared

if TYPE_CHECKING:  # the module brings torch
    from mha.intervention.patching import Patch

SHOWN = "readings_over_pairs"  # whether what is told over pairs is shown where nothing is told of the sentence
SECOND = {"second": (SecondWord(SentName("side", ("a", "b")), SentText("text", MOST_NAME, cut=True)),)}


@dataclass(frozen=True, eq=False)
class CarriedNumbers:
    """What each head carries, to be taken away."""

    patch: Patch
    source: MapsSource

    def table(self) -> Table:
        """Return it as a table."""
        return carried_table(self.patch, self.source.told())


def tab(case: RecordedReadings, own: ReadingsWords, ask: Ask) -> Iterator[Block]:
    """Yield the tab; where there is no other version, the way to one."""
    found = case.ambiguity
    if found.contrast is None:
        door = doorway(case, ask)
        words = {act: (ChangeWord(found.text, door.number, other),) for act, other in door.acts.items()}
        yield Together(door_blocks(door), words)
        return
    yield Wait("Reading the score of both versions …")
    move = moved(case, ask)
    assert move is not None
    yield Wait("Taking each head from the other version …")
    this = shared(case, move, ask)
    effect = None if this is None else brought(this, case.row.name, ask)
    patch = None if this is None else this.patch
    if patch is not None:
        source = provenance(case, "what three other heads of a layer carry stands on the page", ask(Here()))
        yield Numbers("What each head carries", "parallax-carried", of=CarriedNumbers(patch, source))
    known, state, over_pairs = calibration_of(case), state_of(move), bool(ask(Kept(SHOWN)))
    acts: dict[str, tuple[Act, ...]] = {
        OWN: (SayContrast(""),),
        OVER_PAIRS: (Keep(SHOWN, not over_pairs),),
        DOG: TAKE_DOG,
        **{act: (Say(ReadingsWords.of("forces").name, letter),) for act, letter in FORCES.items()},
    }
    yield Together(carry_blocks(found, move, this, known, over_pairs, effect), acts, on=SECOND)
    if state is State.NO_FLOOR:
        yield from measuring(found.kind, case.row, case.view.large, ask)
    if known is not None and (state.shares or over_pairs):
        yield Together(pairs_blocks(known))
