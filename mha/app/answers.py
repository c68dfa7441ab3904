"""Answers of the engine, for pages: a page names this module and no part of the engine."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

from mha.analysis.shuffles import bundled_control
from mha.engine import Request, record
from mha.engine.bundled import bundled_ranks
from mha.engine.experiments import (
    ablated,
    iter_closeness,
    iter_idle_control,
    iter_idle_leaning,
    iter_score_change,
    one_cell,
    scores,
)
from mha.engine.experiments import compared as compare
from mha.engine.word_sweeps import WordSweepRequest, head_positions
from mha.engine.writing import (
    attention,
    cut_ranks,
    cut_words,
    effects,
    next_words,
    output_recording,
    translated,
    word_changes,
)
from mha.errors import MHAError
from mha.intervention.outcomes import NextWords
from mha.maps import HeadId, Recording
from mha.views import cuts
from mha.views.heads import HeadsCase, HeadsChoice, select
from mha.views.heads_text import HeadsInput, stack_maps
from mha.views.next_word import NextWordCase

__all__ = [
    "WordSweepRequest",
    "attention",
    "bundled_control",
    "bundled_ranks",
    "compare",
    "cut_words",
    "effects",
    "heads_case",
    "iter_closeness",
    "iter_idle_control",
    "iter_idle_leaning",
    "iter_score_change",
    "next_word_case",
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
    return select(result.maps, choice)


def next_word_case(case: NextWordCase, text: str, target: str = "") -> NextWordCase:
    """Return the case with the attention of its head, the positions at which it acts, and what its cut links change.

    Errors as `mha.record`, `mha.ablate` and `mha.rank_by_layer`.
    """
    model, prediction, head = case.model.name, case.prediction, case.head
    if case.model.two_sided:
        return replace(case, maps=attention(text, model, target)) if case.chosen and target else case
    if head is None:
        return case
    changes_maps = case.model.predicts == "next" and any(other.layer < head.layer for other in prediction.ablated)
    get_maps = partial(attention, text, model, ablated=prediction.ablated if changes_maps else ())
    case = replace(case, maps=get_maps(cut=prediction.cut), uncut=get_maps())
    if case.shows_effect:
        case = replace(case, positions=head_positions(text, model, head, case.sweep.ids, case.position_word))
    return with_cut(case, text) if prediction.cut else case


def with_cut(case: NextWordCase, text: str) -> NextWordCase:
    """Return the case with the ranks of its word with its links cut, and with the same cut in another head."""
    model, prediction, uncut = case.model.name, case.prediction, case.uncut
    with suppress(MHAError):  # a model without ranks after each layer: the page has the reason
        ranks = cut_ranks(text, model, prediction.sweep.ids, prediction.ablated, prediction.cut)
        case = replace(case, changed_ranks=ranks[case.word_index])
    cut = None if uncut is None else cuts.same_cut(prediction, uncut)
    return replace(case, same_cut=cut_words(NextWords(case.sweep), text, model, (cut,))) if cut else case


def recording(
    text: str, model: str, without: tuple[HeadId, ...] = (), pair: str = "", stack: str = "Encoder"
) -> Recording:
    """Return the recording of a text, bundled or kept if there is one, perhaps ``without`` some heads (mean ablation).

    ``pair`` is a second text that the model reads with the first. For another ``stack`` of an encoder–decoder its
    output is recorded, too, and the maps are those of this stack. Errors as `mha.engine.record`, `mha.ablate` and
    `mha.generate`.
    """
    if stack != "Encoder":
        result = output_recording(text, model)
        return replace(result, maps=stack_maps(result, stack))
    request = Request(text, model, pair or None)
    return ablated(request.text, without, "mean", model) if without else record(request)
