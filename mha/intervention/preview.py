"""The sweep foretold by one backward pass: what each head's effect would be if the readout were linear in its output.

effect ≈ Σ ∂readout / ∂output · (what would stand there − output), over positions; for even weights the same in the
weights. Michel et al. 2019 take the gate ∂L/∂ξ at ξ = 1, which is this with nothing put in place. A preview, and to be
marked as one: the verdict is the exact sweep.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from mha.intervention.ablation import kind_row
from mha.intervention.bank import head_means
from mha.intervention.growing import through
from mha.intervention.outcomes import Sweep
from mha.intervention.places import Readings
from mha.intervention.readout import Readout
from mha.intervention.sweep import AskedReadout
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.attention import Site


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


def preview(
    text: str,
    readings: Readings,
    kind: str = "mean",
    readout: str | Readout = "link",
    at: int | None = None,
    model: str | LoadedModel = DEFAULT,
) -> Sweep:
    """Return the sweep as one backward pass foretells it; raises as `mha.intervention.sweep.preference`."""
    with torch.inference_mode(False), torch.enable_grad():
        question = AskedReadout.asked(text, readings, readout, at, model)
        instead = _instead(question, kind)
        untouched, effects = 0.0, np.zeros((question.reach, question.experiment.n_heads))
        for one in question.readout.passes(question.experiment, question.place, question.at):
            nudges = Nudges(question.experiment.stack, on_weights=kind == "uniform")
            value, _ = through(
                question.experiment, one.inputs, one.read, stop=one.stop, runs=one.runs, intervention=nudges
            )
            untouched += float(value[0].detach())
            for layer, gradient in enumerate(torch.autograd.grad(value[0], nudges.zeros)):
                effects[layer] += _foretold(nudges, layer, gradient, instead)
        return question.swept(kind, untouched, effects.ravel())


def _instead(question: AskedReadout, kind: str) -> Tensor | None:
    """Return what would stand in the place of each output, [layer, token or 1, head, d_head]; None for zeros."""
    if kind_row(kind).needs == "means":
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
