"""The readout while heads are silenced: one set, every head in one sweep, foretold or exact, one head scaled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from mha.analysis.readings import Readings
from mha.intervention.ablation import Heads, needs, scaled, silencing
from mha.intervention.bank import gathering_means, head_means
from mha.intervention.growing import Pass, through, variants_in_parts
from mha.intervention.outcomes import Sweep
from mha.intervention.readout import AskedReadout, Readout
from mha.intervention.subject import Subject
from mha.models.files.catalog import DEFAULT
from mha.models.files.environment import one_thread
from mha.models.files.loading import LoadedModel
from mha.models.watch.attention import Site
from mha.pairs import OTHER
from mha.stepwise import Progress, Steps, finished


def preference(
    text: str,
    readings: Readings,
    readout: str | Readout = "link",
    at: int | None = None,
    silenced: Heads = (),
    kind: str = "mean",
    model: str | LoadedModel = DEFAULT,
    like: str = OTHER,
) -> float:
    """Return the readout of a text between two readings, positive towards the first, with some heads silenced.

    ``readings`` may be a proposal of `mha.propose`, for its own, here as wherever two are asked for. ``at`` is the
    block output that the link margin reads: 1 = after the first block … n_layers = last; n_layers − 1 if not said.
    Under "resample" it is the mean over up to ten other sentences, taken from the pairs of the kind of ambiguity
    ``like`` (see `mha.intervention.bank`).

    Raises:
        InputError: a reading does not fit the text, or no such block output, head, kind or readout; under "resample",
            no other sentence has the length of the text, or the readout reads more than the text.
        AttentionUnavailable: the model's heads cannot be reached.
    """
    question = AskedReadout.asked(text, readings, readout, at, model)
    return float(finished(preferring(question, [silenced], kind, like))[0])


def preferring(
    question: AskedReadout, sets: Sequence[Heads], kind: str = "mean", like: str = OTHER
) -> Steps[np.ndarray]:
    """Find the readout for each set of silenced heads (an empty set: untouched), float64 [set]; errors as above."""
    donors = question.given(kind, like)
    variants = [
        silencing(question.experiment, heads, kind, donor) if len(heads) else () for donor in donors for heads in sets
    ]
    _, values = yield from question.answering(variants)
    return values.reshape(len(donors), len(sets)).mean(axis=0)


def sweep(
    text: str,
    readings: Readings,
    kind: str = "mean",
    readout: str | Readout = "link",
    at: int | None = None,
    model: str | LoadedModel = DEFAULT,
    progress: Progress | None = None,
    like: str = OTHER,
) -> Sweep:
    """Return the change of the readout when each head alone is ablated: the last value of `iter_sweep`.

    ``progress(measured, planned)`` is called with numbers of heads and may raise to cancel. Raises as `preference`.
    """
    for result in iter_sweep(text, readings, kind, readout, at, model, like=like):
        if progress is not None:
            progress(result.n_measured, result.n_planned)
    return result


def iter_sweep(
    text: str,
    readings: Readings,
    kind: str = "mean",
    readout: str | Readout = "link",
    at: int | None = None,
    model: str | LoadedModel = DEFAULT,
    heads: Heads | None = None,
    rows: int | None = None,
    like: str = OTHER,
) -> Iterator[Sweep]:
    """Yield the sweep again and again while it fills, low layers first; the last value is complete.

    ``heads`` are the heads to ablate, all that can act on the readout if not given. One pass ablates ``rows`` heads; if
    not given, as many as a visitor may wait for. Values without a new head come while head means are computed. Closing
    the generator stops the work. Raises as `preference`, at the first value.

    >>> from mha import propose
    >>> TEXT = "A dog ate the food because it was hungry."
    >>> for partial in iter_sweep(TEXT, propose(TEXT)[0], heads=["L2H8"]):
    ...     print(partial.n_measured)
    0
    1
    """
    yield from sweeping(AskedReadout.asked(text, readings, readout, at, model), kind, rows, heads, like)


def sweeping(
    question: AskedReadout,
    kind: str = "mean",
    rows: int | None = None,
    heads: Heads | None = None,
    like: str = OTHER,
) -> Iterator[Sweep]:
    """Yield as `iter_sweep` for a readout whose model is loaded."""
    acting = question.acting
    wanted = acting if heads is None else [head for head in question.experiment.chosen(heads) if head in acting]
    donors = question.given(kind, like)
    effects = np.full((len(donors), len(acting)), np.nan)
    yield question.swept(kind, float("nan"), effects.mean(axis=0))
    if needs(kind) == "means":
        for _ in gathering_means(question.experiment):
            yield question.swept(kind, float("nan"), effects.mean(axis=0))
    changes = [change for donor in donors for change in silencing(question.experiment, wanted, kind, donor)]
    places = np.array([acting.index(head) for head in wanted] * len(donors), dtype=int)
    donor_of = np.repeat(np.arange(len(donors)), len(wanted))
    for untouched, part, values in question.in_parts([(change,) for change in changes], rows):
        effects[donor_of[part], places[part]] = values.numpy() - untouched
        yield question.swept(kind, untouched, effects.mean(axis=0))  # NaN until every donor has had its turn


def steering(question: AskedReadout, heads: Heads, strengths: Sequence[float]) -> Steps[np.ndarray]:
    """Find the readout with each head, one at a time, at each strength from 0 to 3, as float64 [head, strength]."""
    chosen = question.experiment.chosen(heads)
    variants = [(scaled(head, strength),) for head in chosen for strength in strengths]
    _, values = yield from question.answering(variants)
    return values.reshape(len(chosen), len(strengths))


class Nudges:
    """The intervention that changes nothing, but to whose zeros gradients come back: one for each layer."""

    def __init__(self, stack: str, on_weights: bool) -> None:
        self.stack = stack
        self.on_weights = on_weights
        self.zeros: list[Tensor] = []
        self.seen: list[Tensor] = []  # what stands there, detached
        self.even: list[Tensor] = []

    def weights(self, site: Site, weights: Tensor) -> Tensor | None:
        """Return the weights as they are, plus zeros [1, head, query, key]."""
        if not self.on_weights or site.stack != self.stack:
            return None
        visible = site.visible(weights).to(weights.dtype)
        self.even.append(visible / visible.sum(dim=-1, keepdim=True).clamp(min=1))
        return self._nudged(weights)

    def output(self, site: Site, output: Tensor) -> Tensor | None:
        """Return the head outputs as they are, plus zeros [1, query, head, d_head]."""
        return None if self.on_weights or site.stack != self.stack else self._nudged(output)

    def _nudged(self, tensor: Tensor) -> Tensor:
        zeros = torch.zeros_like(tensor, requires_grad=True)
        self.zeros.append(zeros)
        self.seen.append(tensor.detach())
        return tensor + zeros


def preview(question: AskedReadout, kind: str = "mean") -> Sweep:
    """Return the sweep as one backward pass foretells it; raises as `mha.intervention.sweep.preference`."""
    with torch.inference_mode(False), torch.enable_grad():
        instead = _instead(question, kind)
        untouched, effects = 0.0, np.zeros((question.reach, question.experiment.n_heads))
        for one in question.readout.passes(question.experiment, question.place, question.at):
            nudges = Nudges(question.experiment.stack, on_weights=kind == "uniform")
            value = through(question.experiment, one, intervention=nudges)
            untouched += float(value[0].detach())
            for layer, gradient in enumerate(torch.autograd.grad(value[0], nudges.zeros)):
                effects[layer] += _foretold(nudges, layer, gradient, instead)
        return question.swept(kind, untouched, effects.ravel())


def _instead(question: AskedReadout, kind: str) -> Tensor | None:
    """Return what would stand in the place of each output, [layer, token or 1, head, d_head]; None for zeros."""
    if needs(kind) == "means":
        return torch.as_tensor(head_means(question.experiment))[:, None]
    donors = [donor for donor in question.given(kind) if donor is not None]
    return torch.stack(donors).mean(dim=0).transpose(1, 2) if donors else None  # linear: the mean stands for all


def _foretold(nudges: Nudges, layer: int, gradient: Tensor, instead: Tensor | None) -> np.ndarray:
    """Return the linear effect of each head of one layer, as float64 [head]."""
    seen = nudges.seen[layer]
    if nudges.on_weights:
        return (gradient * (nudges.even[layer] - seen)).sum(dim=(0, 2, 3)).double().cpu().numpy()
    there = torch.zeros_like(seen) if instead is None else instead[layer].to(seen)[None]  # [1, token, head, d_head]
    return (gradient * (there - seen)).sum(dim=(0, 1, 3)).double().cpu().numpy()


def turned(experiment: Subject, text: str, rows: int | None = None) -> np.ndarray:
    """Return 1 − cosine between the vector of a text and the same with each head silenced, float64 [head of all].

    The vector is the mean over tokens of what the last layer gives, as sentence models take it; a silenced head gives
    its mean over the corpus instead. ``rows`` heads are silenced in one pass, or as many as a visitor may wait for.
    """
    changes = [(change,) for change in silencing(experiment, experiment.heads, "mean")]
    found = np.empty(len(changes))
    one = Pass(experiment.inputs(experiment.encoded(text)), _from_first)
    with one_thread():  # a short text gains nothing from more, and others need the cores
        for _, part, values in variants_in_parts(experiment, one, changes, rows):
            found[part] = values.numpy()
    return found


def _from_first(outputs: Any) -> Tensor:
    """Return 1 − cosine of each row's vector with that of row 0, [row]."""
    vectors = normalize(outputs.last_hidden_state.double().mean(dim=1), dim=-1)  # [row, d_model]
    return (1 - vectors @ vectors[0]).clamp(min=0)
