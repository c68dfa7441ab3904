"""The tab "What carries the change": how far the score moves between two versions, and which heads carry that.

Without a changed version it asks for one, and says what will be shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mha.engine.question import Ask, Here, Kept
from mha.export.experiments import carried_table
from mha.export.provenance import MapsSource
from mha.export.tables import Table
from mha.intervention.outcomes import Patch
from mha.link.acts import Act, Keep, Say, SayContrast, SecondWord
from mha.link.readings import MOST_NAME, ReadingsWords
from mha.link.sent import SentName, SentText
from mha.screens.blocks import Block, Span, Way, Ways, heading, say, word
from mha.screens.places import Together, Wait
from mha.screens.prints import OfPatch
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.carried import DOG, FORCES, OVER_PAIRS, OWN, carry_blocks
from mha.screens.readings.door import contrast_picture, door
from mha.screens.readings.effect import brought
from mha.screens.readings.pairs import pairs_blocks
from mha.screens.readings.recorded import RecordedReadings, provenance
from mha.screens.readings.section import TAKE_DOG, in_parts, measuring
from mha.screens.readings.states import State, state_of
from mha.screens.readings.two_versions import calibration_of, moved, shared
from mha.screens.takings import Numbers, Print

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
        yield contrast_picture(door(found, case.row.name, ask), case.view.large)
        yield Together([heading("What you will see", "h3"), Ways(_what_will_be_shown(_pivot(found)))])
        return
    yield Wait("Computing both scores …")
    move = moved(case, ask)
    assert move is not None
    yield Wait("Patching each head …")
    this = shared(case, move, ask)
    effect = None if this is None else brought(this, case.row.name, ask)
    patch = None if this is None else this.patch
    if patch is not None:
        source = provenance(case, "what three other heads of a layer carry is on the page", ask(Here()))
        yield Print("What heads carry", "parallax-carry", OfPatch(patch, source.link))
        yield Numbers("What each head carries", "parallax-carried", of=CarriedNumbers(patch, source))
    known, state, over_pairs = calibration_of(case), state_of(move), bool(ask(Kept(SHOWN)))
    acts: dict[str, tuple[Act, ...]] = {
        OWN: (SayContrast(""),),
        OVER_PAIRS: (Keep(SHOWN, not over_pairs),),
        DOG: TAKE_DOG,
        **{act: (Say(ReadingsWords.of("forces").name, letter),) for act, letter in FORCES.items()},
    }
    yield from in_parts(carry_blocks(found, move, this, known, over_pairs, effect), acts, SECOND)
    if state is State.NO_FLOOR:
        yield from measuring(found.kind, case.row, case.view.large, ask)
    if known is not None and (state.shares or over_pairs):
        yield from in_parts(pairs_blocks(known), {})


def _pivot(found: Ambiguity) -> Span:
    assert found.pivot is not None
    return word(found.called[found.pivot])


def _what_will_be_shown(pivot: Span) -> tuple[Way, ...]:
    looks = "From {pivot} to the changed word, and to each candidate, in both versions."
    carries = "Activation patching: one head’s output is copied from the changed version, and the score measured again."
    return (
        Way("Where heads look", say(looks, pivot=pivot)),
        Way("What each head carries", say(carries)),
        Way("Control", say("Three other heads of the same layer, drawn 15 times.")),
    )
