"""Two versions of a sentence: how the score moves between them, and what is shared out where that is allowed.

`moved` and `shared` ask; everything that is said of the answers is computed from them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mha.analysis.floor import NamingRates
from mha.analysis.readings import Leans, given_to, leans
from mha.engine import experiments
from mha.engine.question import Ask
from mha.engine.recordings import Request
from mha.errors import AttentionUnavailable, InputError
from mha.intervention.calibrated import Followed, KindCalibration
from mha.intervention.outcomes import Patch, Path
from mha.maps import AttentionMaps, HeadId
from mha.pairs import OTHER
from mha.screens.blocks import Span, word
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.kinds import misfit
from mha.screens.readings.recorded import RecordedReadings
from mha.screens.readings.states import NO_PAIRS, SEVERAL, MovedScore, state_of
from mha.screens.shown import in_words
from mha.words import with_word, words

SMALLEST_TURN = 0.05  # of the receiver's lean, under which a path is not followed in one sentence


def calibration_of(case: RecordedReadings) -> KindCalibration | None:
    """Return what is known of the kind that a case is held against; None where it fits none, or nothing is known."""
    kind = case.ambiguity.compared_with
    return None if kind is None else experiments.calibration_of_kind(kind, case.row.name)


def moved(case: RecordedReadings, ask: Ask) -> MovedScore | None:
    """Return how the score moves between both versions; None without another one.

    Raises:
        AttentionUnavailable: the model's heads cannot be taken from another version.
        MHAError: what the engine raises.
    """
    found, model = case.ambiguity, case.row.name
    if found.contrast is None:
        return None
    if not experiments.has_twin(model):
        raise AttentionUnavailable(
            f"{case.row.title} does not support activation patching here. Choose MiniLM to see what carries the change."
        )
    assert found.pivot is not None
    number = found.contrast.changed[0]

    def score(text: str) -> float:
        return ask(experiments.scores.of(text, found.readings, model=model))[0]

    seconds = [(one, score(with_word(found.text, number, one))) if one else None for one in found.seconds]
    first, second = reversed(seconds) if found.contrast.forces == "A" else seconds
    known = calibration_of(case)
    gate = known.scores.gates[known.carrying.at] if known else None
    return MovedScore(
        words=(found.words[number], words(found.contrast.text)[number]),
        scores=(score(found.text), score(found.contrast.text)),
        names=(found.partner("a"), found.partner("b")),
        pivot=found.called[found.pivot],
        kind=found.kind,
        model=case.row.short,
        forces=found.contrast.forces,
        seconds=(first, second),
        no_kind=_why_no_kind(found),
        floor=known.floor if known else None,
        rates=known.two_words if known else None,
        valid=gate is None or gate.tells,
        by_words=gate is not None and not gate.from_order,
        at=max(0, case.row.n_layers - 2),
        tuned=case.tuned,
    )


def _why_no_kind(found: Ambiguity) -> str:
    assert found.contrast is not None
    assert found.pivot is not None
    if len(found.contrast.changed) > 1:
        return SEVERAL
    if found.kind == OTHER:
        return NO_PAIRS
    return "" if found.compared_with else misfit(found.kind, found.words[found.pivot])


@dataclass(frozen=True, eq=False)
class SharedOut:
    """What is known of a difference that may be shared out; pairs are (as typed, with the other word).

    ``patch`` is None where patching is not possible; ``why_not`` says why. ``beyond`` are the heads that pass the limit
    of one head, and ``naming`` is how often that happens where the reading is kept. ``path`` is the one that the pairs
    of the kind have, None where they have none, and ``own`` the same followed in this sentence, None where it was not;
    ``why_not_own`` says why.
    """

    ambiguity: Ambiguity
    moved: MovedScore
    maps: tuple[AttentionMaps, AttentionMaps]
    leans: tuple[Leans, Leans]
    patch: Patch | None = None
    beyond: tuple[HeadId, ...] = ()
    naming: NamingRates | None = None
    why_not: str = ""
    path: Followed | None = None
    own: Path | None = None
    why_not_own: str = ""

    @property
    def named(self) -> tuple[HeadId, ...]:
        """The heads that may be named: those beyond, where pairs have such heads more often than swaps."""
        return self.beyond if self.naming is not None and self.naming.shown else ()

    @property
    def contrast(self) -> str:
        """The other version."""
        assert self.ambiguity.contrast is not None
        return self.ambiguity.contrast.text

    @property
    def changed(self) -> int:
        """The number of the word that differs."""
        assert self.ambiguity.contrast is not None
        return self.ambiguity.contrast.changed[0]

    @property
    def pivot(self) -> Span:
        """The pivot as a span."""
        assert self.ambiguity.pivot is not None
        return word(self.ambiguity.called[self.ambiguity.pivot])


def shared(case: RecordedReadings, move: MovedScore, ask: Ask) -> SharedOut | None:
    """Return what heads carry of a difference, and the path that brings it; None where nothing may be shared out.

    Raises:
        MHAError: what the engine raises.
    """
    if not state_of(move).shares:
        return None
    found, model = case.ambiguity, case.row.name
    text, contrast = case.versions
    pair, known = found.readings, calibration_of(case)
    assert known is not None
    assert known.floor is not None
    maps = case.maps, ask(Request(contrast, model)).maps
    both, path = (leans(maps[0], pair), leans(maps[1], pair)), path_of(known)
    try:
        patch = ask(experiments.patched.of(text, contrast, pair, model, found.kind))
    except InputError as error:
        return SharedOut(found, move, maps, both, why_not=str(error), path=path, why_not_own=str(error))
    beyond = patch.named_beyond(known.floor)
    if path is None:
        return SharedOut(found, move, maps, both, patch, beyond, known.naming)
    turn = both[0].lean[path.receiver] - both[1].lean[path.receiver]
    if abs(turn) < SMALLEST_TURN:
        why = f"{path.receiver}’s lean hardly changes here ({abs(turn):.2f})."
        return SharedOut(found, move, maps, both, patch, beyond, known.naming, path=path, why_not_own=why)
    own = ask(experiments.followed.of(text, contrast, pair, path.senders, path.receiver, model))
    return SharedOut(found, move, maps, both, patch, beyond, known.naming, path=path, own=own)


def path_of(known: KindCalibration | None) -> Followed | None:
    """Return the path of a kind that moves its receiver furthest, over pairs; None where its pairs have none."""
    return max(known.paths, key=lambda path: path.share[0] * path.difference, default=None) if known else None


def carrying(case: RecordedReadings, ask: Ask) -> tuple[HeadId, ...]:
    """Return the heads that may be said to carry the difference of a sentence; none where nothing is shared out."""
    move = moved(case, ask)
    found = None if move is None else shared(case, move, ask)
    return found.named if found else ()


def looks_from_pivot(maps: AttentionMaps, found: Ambiguity, number: int) -> np.ndarray:
    """Return where heads look from the pivot, float64 [3, layer, head]: to a word (NaN if its own), to A, to B.

    Shares of all attention; of several partners the sum.
    """
    merged = in_words(maps)
    assert found.pivot is not None
    to_a, to_b = (given_to(merged, found.pivot, partners) for partners in (found.a, found.b))
    first = np.full(to_a.shape, np.nan) if number == found.pivot else given_to(merged, found.pivot, (number,))
    return np.stack([first, to_a, to_b])
