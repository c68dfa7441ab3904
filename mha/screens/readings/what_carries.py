"""The tab "What carries the change": how far the score moves between two versions, and which heads carry that.

Without a changed version it asks for one.
"""

from __future__ import annotations

from collections.abc import Iterator

from mha.engine.question import ADDRESS, Ask
from mha.errors import NotComparable
from mha.export.heads import carried_table
from mha.link.acts import ASKED_ANEW, Say, SecondWord
from mha.link.readings import MOST_NAME, ReadingsWords
from mha.link.sent import SentName, SentText
from mha.screens.blocks import Block, caption, said
from mha.screens.places import More, Notice, Wait
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.carried import OWN, carried_method, shares_blocks
from mha.screens.readings.pairs import missing_pairs
from mha.screens.readings.recorded import HOW, RecordedReadings, SharedOut, in_parts, moved, provenance, shared
from mha.screens.readings.score_change import MovedScore, change_blocks, score_method
from mha.screens.readings.second_words import second_words, seconds_said
from mha.screens.readings.sentence import contrast_picture
from mha.screens.takings import Numbers, OnRequest, Print, figure_of_patch

SECOND = {"second": (SecondWord(SentName("side", ("a", "b")), SentText("text", MOST_NAME)),)}
PATCHING = "Activation patching: one head’s output is copied from the changed version, and the score measured again."


def tab(case: RecordedReadings, own: ReadingsWords, ask: Ask) -> Iterator[Block]:
    """Yield the tab; without a changed version, the way to one."""
    found = case.ambiguity
    if found.contrast is None:
        yield contrast_picture(case)
        yield caption(PATCHING)
        return
    yield Wait("Computing both scores …")
    try:
        move = moved(case, ask)
    except NotComparable as error:
        yield Notice(str(error))
        return
    yield Wait("Patching each head …")
    this = shared(case, move, ask)
    if this is not None and this.patch is not None:
        source = provenance(case, "what three other heads of a layer carry is on the page", ask(ADDRESS))
        yield Print("What heads carry", "parallax-bars", OnRequest(figure_of_patch, (this.patch, source.link)))
        yield Numbers("What each head carries", "parallax-carried", of=OnRequest(carried_table, (this.patch, source)))
    acts = {OWN: (Say("readings_contrast", ""), *ASKED_ANEW)}
    yield from in_parts(carry_blocks(found, move, this), acts, SECOND)
    if move.floor is None and not move.no_kind:
        yield from missing_pairs(found.kind, case.row, case.view.large)


def carry_blocks(found: Ambiguity, moved: MovedScore, this: SharedOut | None) -> list[Block]:
    """Return the tab of a sentence with a changed version; ``this`` has the parts that heads carry."""
    blocks: list[Block] = [*change_blocks(moved)]
    blocks += [block for block in (second_words(found, moved), seconds_said(moved)) if block is not None]
    how: list[Block] = [*score_method(moved)]
    if found.averaged:
        how.append(said("cap", found.averaged.lstrip()))
    if this is not None:
        blocks += shares_blocks(this)
        how += carried_method(this)
    return [*blocks, More(HOW, how)]
