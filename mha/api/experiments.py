"""Experiments over HTTP: each function asks the engine for what the function of `mha` by its name returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mha.api import questions
from mha.api.questions import chosen
from mha.engine import Request, experiments
from mha.engine.following import FOLLOWERS
from mha.engine.patience import LEFT
from mha.engine.recordings import check_words
from mha.engine.sweeps import Score, SweepRequest, SweepRun
from mha.engine.writing import predicted, written
from mha.errors import Busy, InputError
from mha.intervention.outcomes import Direct, Patch, Path, Prediction, Sweep
from mha.maps import AttentionMaps, HeadId, Recording

if TYPE_CHECKING:
    from mha.models.watch.cell import Cell
    from mha.models.watch.generating import Generation
    from mha.models.watch.output import Brought

SWEEP_SECONDS = 60.0
MOST_TOKENS = 192  # of the maps in an answer: 128 that were read, 64 that were written


def check_size(maps: AttentionMaps, most: int = MOST_TOKENS) -> None:
    """Raise InputError where maps are more than an answer holds."""
    longest = max(len(maps.tokens), len(maps.key_tokens))
    if longest > most:
        raise InputError(f"An answer holds {most} {maps.units}; this text has {longest}.")


def sweep_now(asked: SweepRequest) -> Sweep:
    """Return a sweep, made now in the name of whoever asks.

    Raises:
        InputError: a reading does not fit the text, or as `mha.sweep`.
        Busy: it took too long, or nobody waits for it any more.
    """
    scored(asked)  # what cannot be is told at once
    run = SweepRun(asked)
    with FOLLOWERS.following(run):
        if not run.wait(SWEEP_SECONDS):
            raise Busy("The sweep took too long and was stopped. Try a shorter sentence.")
    if run.state != "done":
        raise Busy(LEFT)
    return run.result()


def scored(asked: SweepRequest, silenced: tuple[HeadId, ...] = ()) -> float:
    """Return the score of a sweep with some heads silenced together; errors as `mha.preference`."""
    found = experiments.scores(
        asked.text, asked.readings, (silenced,), asked.kind, asked.model, asked.score, asked.like
    )
    return float(found[0])


def _known(model: str, text: str, *beside: str | None) -> str:
    """Return a text as it is accepted; raise InputError where a model that knows a few words does not know all of it,
    or of what is read ``beside`` it.
    """
    accepted = Request(text).text
    check_words(model, accepted, *(Request(other).text for other in beside if other))
    return accepted


def _of(asked: questions.WantedSweep) -> SweepRequest:
    score = Score(asked.readout.name, asked.readout.a, asked.readout.b, asked.at)
    return SweepRequest(_known(asked.model, asked.text), asked.both(), asked.kind, asked.model, score, asked.like)


def sweep(asked: questions.WantedSweep) -> Sweep:
    """What silencing each head by itself does to a readout between two readings, as `mha.sweep`."""
    return sweep_now(_of(asked))


def preference(asked: questions.WantedPreference) -> float:
    """A readout of a text between two readings, with some heads silenced together, as `mha.preference`."""
    return scored(_of(asked), chosen(asked.silenced))


def patch(asked: questions.WantedPatch) -> Patch:
    """What each head carries of the difference between two versions of a text, as `mha.patch`."""
    texts = _known(asked.model, asked.text), _known(asked.model, asked.contrast)
    return experiments.patched(*texts, asked.both(), asked.model, "", asked.at, asked.controls)


def follow(asked: questions.WantedPath) -> Path:
    """How much of what one head changes between two versions comes from earlier heads, as `mha.follow`."""
    texts = _known(asked.model, asked.text), _known(asked.model, asked.contrast)
    heads = chosen(asked.senders), HeadId.parse(asked.receiver)
    return experiments.followed(*texts, asked.both(), *heads, asked.model, asked.controls)


def predict(asked: questions.WantedWords) -> Prediction:
    """The likeliest words of a model, with and without heads, as `mha.predict`."""
    heads = chosen(asked.silenced), chosen(asked.each)
    return predicted(asked.text, asked.model, *heads, asked.mask, asked.count, asked.kind, asked.target)


def generate(asked: questions.WantedWriting) -> Generation:
    """What a model writes, as `mha.generate`; where its heads looked meanwhile comes as NPZ."""
    found = written(asked.text, asked.model, asked.n_tokens, asked.seed, asked.temperature)
    check_size(found.recording.maps)
    return found


def ablate(asked: questions.WantedAblation) -> Recording:
    """Where every head looks in a text while some are silenced, as `mha.ablate`."""
    _known(asked.model, asked.text)
    found = experiments.ablated(asked.text, chosen(asked.heads), asked.kind, asked.model, tuple(asked.keep))
    check_size(found.maps)
    return found


def direct(asked: questions.WantedDirect) -> Direct:
    """What each head gives directly to one next word over another, as `mha.direct`."""
    _known(asked.model, asked.text)
    return experiments.directed(asked.text, asked.a, asked.b, asked.model)


def cell(asked: questions.WantedCell) -> Cell:
    """Every number of one cell of one head, as `mha.cell`."""
    head = HeadId.parse(asked.head)
    _known(asked.model, asked.text, asked.pair, asked.target)
    return experiments.one_cell(
        asked.text, asked.model, asked.pair, head, asked.query, asked.key, asked.stack, asked.target
    )


def brought(asked: questions.WantedBrought) -> Brought:
    """What every look brings, as `mha.brought`."""
    _known(asked.model, asked.text, asked.pair, asked.target)
    found = experiments.all_brought(asked.text, asked.model, asked.pair, asked.stack, asked.target)
    check_size(found.maps)
    return found
