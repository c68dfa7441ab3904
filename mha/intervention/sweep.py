"""The score while heads are ablated: one set, or every head in one sweep, estimated or exact."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from torch import Tensor
from torch.nn.functional import normalize

from mha.analysis.readings import Readings
from mha.intervention.ablation import Heads, Pass, ablation_changes, check_kind, variants_in_parts
from mha.intervention.bank import mean_steps
from mha.intervention.outcomes import Sweep
from mha.intervention.readout import Readout, TextScore
from mha.intervention.subject import Subject
from mha.models.files.catalog import DEFAULT
from mha.models.files.environment import one_thread
from mha.models.files.loading import LoadedModel
from mha.old_names import takes_old_names
from mha.stepwise import Progress, Steps, finished


@takes_old_names
def preference(
    text: str,
    readings: Readings | None,
    score: str | Readout = "link",
    score_layer: int | None = None,
    ablated: Heads = (),
    kind: str = "mean",
    model: str | LoadedModel = DEFAULT,
) -> float:
    """Return the score of a text between two readings, positive towards the first, with some heads ablated.

    ``readings`` may be a proposal of `mha.propose`, or None if ``score`` is ``Targets(a, b)``. ``score_layer`` is the
    block output from which the cosine margin (score "link") is read: 1 = after the first block … n_layers = after
    the last; by default n_layers − 1.

    Raises:
        InputError: a reading does not fit the text, or no such block output, head, kind or score.
        AttentionUnavailable: the model's heads cannot be reached.
    """
    text_score = TextScore.from_text(text, readings, score, score_layer, model)
    return float(finished(preference_steps(text_score, [ablated], kind))[0])


def preference_steps(text_score: TextScore, sets: Sequence[Heads], kind: str = "mean") -> Steps[np.ndarray]:
    """Compute the score for each set of ablated heads, float64 [set]. The empty set ablates no head.

    Raises as `preference`.
    """
    variants = [ablation_changes(text_score.experiment, heads, kind) if len(heads) else () for heads in sets]
    _, values = yield from text_score.score_steps(variants)
    return values


@takes_old_names
def sweep(
    text: str,
    readings: Readings | None,
    kind: str = "mean",
    score: str | Readout = "link",
    score_layer: int | None = None,
    model: str | LoadedModel = DEFAULT,
    progress: Progress | None = None,
) -> Sweep:
    """Return the change of the score when each head alone is ablated: the last value of `iter_sweep`.

    ``progress(measured, planned)`` is called with numbers of heads and may raise to cancel. Raises as `preference`.
    """
    for result in iter_sweep(text, readings, kind, score, score_layer, model):
        if progress is not None:
            progress(result.n_measured, result.n_planned)
    return result


@takes_old_names
def iter_sweep(
    text: str,
    readings: Readings | None,
    kind: str = "mean",
    score: str | Readout = "link",
    score_layer: int | None = None,
    model: str | LoadedModel = DEFAULT,
    heads: Heads | None = None,
    rows: int | None = None,
) -> Iterator[Sweep]:
    """Yield the sweep again and again while it fills, low layers first; the last value is complete.

    ``heads`` are the heads to ablate, all that can act on the score if not given; given heads that cannot act on the
    score are left out. ``rows`` heads share a pass; by default as many as `rows_at_once` allows. While head means are
    computed, the sweep is yielded unchanged. Closing the generator stops the work. Raises as `preference`, at the first
    value.

    >>> from mha import propose
    >>> TEXT = "A dog ate the food because it was hungry."
    >>> for partial in iter_sweep(TEXT, propose(TEXT)[0], heads=["L2H8"]):
    ...     print(partial.n_measured)
    0
    1
    """
    yield from sweep_steps(TextScore.from_text(text, readings, score, score_layer, model), kind, rows, heads)


def sweep_steps(
    text_score: TextScore,
    kind: str = "mean",
    rows: int | None = None,
    heads: Heads | None = None,
) -> Iterator[Sweep]:
    """Yield the sweep of a text score, as `iter_sweep`."""
    acting = text_score.acting
    swept_heads = acting if heads is None else [head for head in text_score.experiment.chosen(heads) if head in acting]
    check_kind(kind)
    effects = np.full(len(acting), np.nan)
    yield text_score.as_sweep(kind, float("nan"), effects)
    if kind == "mean":
        for _ in mean_steps(text_score.experiment, any(head.stack == "cross" for head in swept_heads)):
            yield text_score.as_sweep(kind, float("nan"), effects)
    changes = ablation_changes(text_score.experiment, swept_heads, kind)
    places = np.array([acting.index(head) for head in swept_heads], dtype=int)
    for full_score, part, values in text_score.in_parts([(change,) for change in changes], rows):
        effects[places[part]] = values.numpy() - full_score
        yield text_score.as_sweep(kind, full_score, effects)


def vector_changes(experiment: Subject, text: str, rows: int | None = None) -> np.ndarray:
    """Return 1 − cosine of a text's vector with and without each head, float64 [head], all layers in order.

    The vector is the mean over tokens of the last layer's output, as in sentence models; an ablated head's output is
    its mean over the corpus. ``rows`` heads share a pass; by default as many as `rows_at_once`
    allows.
    """
    changes = [(change,) for change in ablation_changes(experiment, experiment.heads, "mean")]
    distances = np.empty(len(changes))
    single_pass = Pass(experiment.inputs(experiment.encoded(text)), _distance_to_first_row)
    with one_thread():  # a short text gains nothing from more, and others need the cores
        for _, part, values in variants_in_parts(experiment, single_pass, changes, rows):
            distances[part] = values.numpy()
    return distances


def _distance_to_first_row(outputs: Any) -> Tensor:
    """Return 1 − cosine of each row's vector with that of row 0, [row]."""
    vectors = normalize(outputs.last_hidden_state.double().mean(dim=1), dim=-1)  # [row, d_model]
    return (1 - vectors @ vectors[0]).clamp(min=0)
