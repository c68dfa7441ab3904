"""What can be asked of a whole model, over the corpus, over readers' own texts, of one text; what is known by now."""

from __future__ import annotations

from dataclasses import dataclass

from mha.engine.answers import FEW, in_steps
from mha.engine.atlas.bundled import bundled, bundled_atlas
from mha.engine.atlas.flow import FlowRun
from mha.engine.atlas.runs import TWIN_SEED, Atlas, AtlasRun, alone
from mha.engine.atlas.silencing import Silenced, SilencedRun
from mha.engine.atlas.watching import MOST_WORDS, watching
from mha.engine.jobs import Long
from mha.engine.question import Question
from mha.engine.recordings import Request, record
from mha.errors import InputError
from mha.models.files.catalog import model_row
from mha.stepwise import Steps


@dataclass(frozen=True)
class AtlasOfCorpus(Long):
    """What every head does over the bundled sentences."""

    model: str

    def run(self) -> AtlasRun:
        return AtlasRun(self.model)


@dataclass(frozen=True)
class AtlasOfTexts(Long):
    """What every head does over somebody's own texts."""

    model: str
    texts: tuple[str, ...]

    def run(self) -> AtlasRun:
        return AtlasRun(self.model, self.texts)


@dataclass(frozen=True)
class SilencingOf(Long):
    """How far silencing each head turns the bundled sentences."""

    model: str

    def run(self) -> SilencedRun:
        return SilencedRun(self.model)


@dataclass(frozen=True)
class FlowOf(Long):
    """The flow of a text over all layers."""

    text: str
    model: str

    def run(self) -> FlowRun:
        return FlowRun(record(Request(self.text, self.model)).maps.merged())


@dataclass(frozen=True)
class AtlasOfText(Question[Atlas]):
    """What every head does in one text, beside its looks in the scrambled twin."""

    text: str
    model: str

    def answer(self) -> Atlas:
        return atlas_of_text(self.text, self.model)


def atlas_of(model: str) -> Atlas | None:
    """Return a model over the bundled corpus: as it comes with the program, or as far as it was measured; else None."""
    known = bundled_atlas(model)
    if known is not None:
        return known
    run = AtlasOfCorpus(model).answer()
    return run.so_far() if run and run.over.n_measured else None


def silenced_of(model: str) -> Silenced | None:
    """Return how far silencing turns the corpus, bundled or measured; else None."""
    known = bundled(model)
    if known is not None and known.silenced is not None:
        return known.silenced
    run = SilencingOf(model).answer()
    if run is None:
        return None
    atlas = atlas_of(model)
    return run.found(atlas.alike if atlas else None)


@in_steps(lambda _: FEW)
def atlas_of_text(text: str, model: str) -> Steps[Atlas]:
    """Find `alone` of a text, beside its looks in the model's scrambled twin, if it has one.

    Raises:
        InputError: the text has more than 128 words and marks, or none that can be looked at.
    """
    maps = record(Request(text, model)).maps.merged()
    if maps.n_queries > MOST_WORDS:
        raise InputError(f"Heads are compared over texts of up to {MOST_WORDS} words; this one has {maps.n_queries}.")
    twin = watching(model, TWIN_SEED)([text])[0] if model_row(model).kind == "transformer" else None
    yield 1
    return (yield from alone(maps, twin))
