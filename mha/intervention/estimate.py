"""The order in which heads are ablated: those first whose effect on a word is large by an estimate.

Attribution patching (Nanda 2023; Syed et al. 2023): the effect of a head is about the gradient of the word's
log-probability at the head's output, times the change of the output. One gradient at the recorded outputs misses heads
whose effect only shows when they are gone, so that a second one is taken with all heads a quarter of the way to their
ablation; the larger of the two sizes ranks a head. Sizes of the estimate are not results and leave this module as an
order only.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import torch
from torch import Tensor

from mha.intervention.ablation import Change, silencing
from mha.intervention.growing import Pass
from mha.intervention.subject import Subject
from mha.intervention.trunk import Trunk
from mha.maps import HeadId
from mha.models.watch.attention import Site
from mha.models.watch.recording import listening

PATH = (0.0, 0.25)  # shares of the way to the ablation at which gradients are taken
TOGETHER = 48  # tokens up to which both gradients are taken in one pass: 1 MB a token
FIRST, LEADING, LOW_LAYERS = 8, 30, 2


class HeadGradients:
    """The intervention that moves heads a share of the way to their ablation, one row each, and keeps gradients."""

    def __init__(self, stack: str, changes: Sequence[Change], shares: Sequence[float]) -> None:
        self.stack = stack
        self.changes: dict[int, list[Change]] = {}  # by layer, one for each head
        for change in changes:
            self.changes.setdefault(change.head.layer, []).append(change)
        self.shares = shares
        self.zeros: list[Tensor] = []  # of each layer, to which gradients come back
        self.steps: list[Tensor] = []  # of each layer, from the recorded numbers to the ablated ones

    def weights(self, site: Site, weights: Tensor) -> Tensor | None:
        """Change no weights."""
        return None

    def output(self, site: Site, output: Tensor) -> Tensor | None:
        """Return head outputs [row, query, head, d_head] on the way to what replaces them."""
        if site.stack != self.stack:
            return None
        replacements = [torch.zeros(1) if change.add is None else change.add for change in self.changes[site.layer]]
        ablated = torch.stack(
            [replacement.to(output).expand(output.shape[1], output.shape[3]) for replacement in replacements]
        )
        return self._add_step(site, output.transpose(1, 2), ablated[None]).transpose(1, 2)

    def _add_step(self, site: Site, tensor: Tensor, ablated: Tensor) -> Tensor:
        step = torch.zeros_like(tensor)  # [row, head, query, …]
        queries = self.changes[site.layer][0].queries
        step[:, :, queries] = (ablated - tensor)[:, :, queries]
        zeros = torch.zeros_like(tensor, requires_grad=True)
        self.zeros.append(zeros)
        self.steps.append(step.detach())
        return tensor + torch.tensor(self.shares).to(tensor)[:, None, None, None] * step + zeros


def estimated_effects(
    experiment: Subject,
    single_pass: Pass,
    word: int,
    kind: str,
    position: int | None = None,
    trunk: Trunk | None = None,
) -> Tensor:
    """Return the estimated effects of all heads on a word by position, float32 [gradient, layer, head, query].

    ``single_pass`` reads log-probabilities [row, vocabulary]. Other passes through the model are not disturbed:
    gradients are those of added zeros, and no parameter gets one. A ``trunk`` of the text keeps the result.
    """
    cache = {} if trunk is None else trunk.effects
    if (word, kind, position) not in cache:
        changes = silencing(experiment, experiment.heads, kind, position=position)
        cache[word, kind, position] = _effects(experiment, single_pass, word, changes)
    return cache[word, kind, position]


def order_by_estimate(effects: Tensor) -> list[HeadId]:
    """Return all heads, the one with the largest estimated effect first."""
    sizes = effects.sum(dim=3).abs().amax(dim=0)  # [layer, head]
    ranked = sizes.flatten().argsort(descending=True, stable=True).tolist()
    return [HeadId(*divmod(number, sizes.shape[1])) for number in ranked]


def leading_positions(effects: Tensor, head: HeadId, count: int) -> list[int]:
    """Return the positions of a text at which ablating a head has the largest estimated effects, largest first."""
    sizes = effects[:, head.layer, head.head].abs().amax(dim=0)  # [query]
    ranked: list[int] = sizes.argsort(descending=True, stable=True).tolist()
    return ranked[:count]


def _effects(experiment: Subject, single_pass: Pass, word: int, changes: Sequence[Change]) -> Tensor:
    """Return the effects at both shares of the way, in one pass for a short text, [gradient, layer, head, query]."""
    n_tokens, rows = single_pass.inputs["input_ids"].shape[1], []
    for shares in [PATH] if n_tokens <= TOGETHER else [(share,) for share in PATH]:
        gradients_of_heads = HeadGradients(experiment.stack, changes, shares)
        with torch.inference_mode(False), torch.enable_grad():
            inputs = {  # copied: inputs that were made in inference mode cannot take part
                name: value.repeat(len(shares), 1) if isinstance(value, Tensor) else value
                for name, value in single_pass.inputs.items()
            }
            with listening(experiment.model, (), gradients_of_heads):
                values = single_pass.read(single_pass.runs(**inputs))
            gradients = torch.autograd.grad(values[:, word].sum(), gradients_of_heads.zeros)
        by_layer = [
            (grad * step).sum(dim=3).float().cpu()
            for grad, step in zip(gradients, gradients_of_heads.steps, strict=True)
        ]
        rows.append(torch.stack(by_layer, dim=1))
    return torch.cat(rows)


def stages(ranked: Sequence[HeadId], heads: Sequence[HeadId]) -> list[list[HeadId]]:
    """Return the heads in the order of measuring: 8 leading, then layers 0 and 1 and 30 leading others, then the rest.

    Each stage begins with its lowest layer.
    """
    requested = [head for head in ranked if head in set(heads)]
    high = [head for head in requested if head.layer >= LOW_LAYERS]
    first = requested[:FIRST]
    second = [head for head in heads if head.layer < LOW_LAYERS or head in high[:LEADING]]
    parts, staged = [], set()
    for part in (first, second, heads):
        parts.append(sorted((head for head in part if head not in staged), key=attrgetter("run_order")))
        staged |= set(part)
    return [part for part in parts if part]
