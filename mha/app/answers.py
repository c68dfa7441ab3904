"""Answers of the engine, for pages: a page names this module and no part of the engine."""

from mha.analysis.shuffles import bundled_control
from mha.engine import Request, record
from mha.engine.bundled import bundled_ranks
from mha.engine.experiments import ablated, one_cell, scores
from mha.engine.experiments import compared as compare
from mha.engine.readings import iter_closeness, iter_idle_leaning, iter_score_change
from mha.engine.shuffles import ControlRequest
from mha.engine.translations import translated, word_changes
from mha.engine.word_sweeps import WordSweepRequest, head_positions
from mha.engine.writing import attention, cut_words, effects, next_words, output_recording
from mha.maps import HeadId, Recording
from mha.views.heads import HeadsCase, HeadsChoice, select
from mha.views.heads_text import HeadsInput, stack_maps

__all__ = [
    "ControlRequest",
    "WordSweepRequest",
    "attention",
    "bundled_control",
    "bundled_ranks",
    "compare",
    "cut_words",
    "effects",
    "head_positions",
    "heads_case",
    "iter_closeness",
    "iter_idle_leaning",
    "iter_score_change",
    "next_words",
    "one_cell",
    "recording",
    "scores",
    "translated",
    "word_changes",
]


def heads_case(source: HeadsInput, model: str, choice: HeadsChoice) -> HeadsCase:
    """Return what Heads shows for a text and the choices of its link, recorded now or kept by the engine."""
    result = recording(source.text, model, source.ablated, source.pair, source.stack)
    return select(stack_maps(result, source.stack), choice)


def recording(
    text: str, model: str, without: tuple[HeadId, ...] = (), pair: str = "", stack: str = "Encoder"
) -> Recording:
    """Return the recording of a text, bundled or kept if there is one, perhaps ``without`` some heads (mean ablation).

    ``pair`` is a second text that the model reads with the first. For another ``stack`` of an encoder–decoder its
    output is recorded, too. Errors as `mha.engine.record`, `mha.ablate` and `mha.generate`.
    """
    if stack != "Encoder":
        return output_recording(text, model)
    request = Request(text, model, pair or None)
    return ablated(request.text, without, "mean", model) if without else record(request)
