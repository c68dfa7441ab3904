"""Links of the last token, cut one at a time: ``python -m studies.links`` writes `assets/links.json`.

A cut sets one weight of one head to 0 and rescales the row; the effect is the change of the log-probability of the word
that was likeliest. Texts are the control texts of three sources and a second list; each is also measured
with its words shuffled. Links to the first token, the sink, are apart.
"""

import argparse
import itertools
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from mha.analysis.ablation_control import BANDS
from mha.assets import ASSETS
from mha.intervention.subject import Subject, subject
from mha.models.watch.attending import load_model
from studies.control_texts import control_texts, shuffled_copy
from studies.last_token import LastToken
from studies.separation import Row, mean, rank_correlation, ratio, rounded, write_results

FILE = ASSETS / "links.json"
MORE_TEXTS = Path(__file__).with_name("link_texts.txt")  # written for this study, after the control texts
MODEL = "smollm2"
ABOVE, WITHIN = 0.8, 0.11  # weight; nats
LARGEST, DRAWN = 60, 90  # links of a text: the largest by each measure, and some at random
FOUND = 10  # largest effects of a text that a measure should put first
BAND_ENDS = (0.05, 0.2, 0.5, 0.8)  # of weight
MEASURES = ("weight", "weight × ‖value‖", "weight × ‖value · W_O‖", "length of the change")


@dataclass(frozen=True, eq=False)
class CutLinks:
    """The cut links of one text, and their effects; arrays are over links unless they have other axes."""

    source: str
    links: np.ndarray  # [link, 3]: layer, head, key
    measures: np.ndarray  # [measure, link]
    change: np.ndarray  # nats
    moved: np.ndarray  # nats: the head's output moved as far in a random direction
    by_weight: np.ndarray  # bool: among the largest by weight
    drawn: np.ndarray  # bool: drawn at random
    n_tokens: int

    @property
    def weight(self) -> np.ndarray:
        """The attention weight of each link."""
        return self.measures[0]

    @property
    def to_first(self) -> np.ndarray:
        """Whether each link goes to the first token."""
        return self.links[:, 2] == 0

    @property
    def unchanged(self) -> np.ndarray:
        """Whether the word stays within `WITHIN` without each link."""
        return np.abs(self.change) <= WITHIN

    @property
    def strong(self) -> np.ndarray:
        """Which links have more than `ABOVE` of the weight and do not go to the first token."""
        return (self.weight > ABOVE) & ~self.to_first


def study_texts(experiment: Subject) -> list[tuple[str, str]]:
    """Return every text with its source."""
    controls = [control for band in BANDS for control in control_texts(experiment, band)]
    more = MORE_TEXTS.read_text(encoding="utf-8").splitlines()
    return [*((control.source, control.text) for control in controls), *(("second list", text) for text in more)]


def link_measures(last: LastToken) -> np.ndarray:
    """Return the `MEASURES` of every link of the last token, float32 [measure, layer, head, key].

    The last one is the length, after W_O, by which the cut moves the head's output: w / (1 − w) · ‖(output − value) ·
    W_O‖.
    """
    rows = []
    for number, layer in enumerate(last.model.model.layers):
        with torch.inference_mode():
            (values,) = last.attention(number, last.untouched.state[number][None])[1]  # [head, key, d_head]
            weights, output = last.untouched.weights[number], last.untouched.output[number][:, None]
            scale = weights / (1 - weights).clamp(min=1e-6)
            lengths = [values.norm(dim=-1), added_length(layer, values)]
            deviation = scale * added_length(layer, output - values)
            rows.append(torch.stack([weights, *(weights * length for length in lengths), deviation]))
    return torch.stack(rows, dim=1).numpy()


def added_length(layer: torch.nn.Module, vectors: Tensor) -> Tensor:
    """Return the length after W_O of vectors [head, key, d_head] of each head, as [head, key]."""
    matrix = layer.self_attn.o_proj.weight.unflatten(1, (len(vectors), -1))  # type: ignore[operator, union-attr]
    return torch.einsum("hkd,mhd->hkm", vectors, matrix).norm(dim=-1)


def changes_of_cuts(last: LastToken, links: Sequence[Sequence[int]], lengths: np.ndarray | None = None) -> np.ndarray:
    """Return the change of the likeliest word's log-probability without each link (layer, head, key), float64 [link].

    Layers ascend. With ``lengths``, the head's output is moved that far in a random direction of its own instead.
    """
    generator = torch.Generator().manual_seed(0)

    def cut(rows: slice, weights: Tensor) -> Tensor:
        weights = weights.clone()
        for row, (_, head, key) in zip(weights, links[rows], strict=True):
            row[head, key] = 0
            row[head] /= row[head].sum().clamp(min=1e-6)
        return weights

    def move(rows: slice, outputs: Tensor) -> Tensor:
        assert lengths is not None
        outputs = outputs.clone()
        for output, (layer, head, _), length in zip(outputs, links[rows], lengths[rows], strict=True):
            direction = torch.zeros_like(output)
            direction[head] = torch.randn(output.shape[-1], generator=generator)
            length_of_direction = added_length(last.model.model.layers[layer], direction[:, None])[head, 0]
            output += direction * float(length) / length_of_direction
        return outputs

    edit = {"weights": cut} if lengths is None else {"output": move}
    logits = torch.cat([last.untouched_logits[None], last.logits(last.run([link[0] for link in links], **edit))])
    logs = torch.log_softmax(logits.double(), dim=-1)[:, int(logits[0].argmax())]
    return (logs[1:] - logs[0]).numpy()


def cut_links(source: str, text: str, experiment: Subject) -> CutLinks:
    """Return the cuts of one text: the largest links by each measure, all above `ABOVE`, and some at random."""
    last = LastToken.from_text(experiment, text)
    measures = link_measures(last)
    numbers = np.arange(measures[0].size).reshape(measures[0].shape)
    candidates = numbers[..., 1:].ravel()
    flat = measures.reshape(len(MEASURES), -1)
    generator = random.Random(text)
    largest = [candidates[np.argsort(-row[candidates], kind="stable")[:LARGEST]] for row in flat]
    random_links = generator.sample(candidates.tolist(), min(DRAWN, len(candidates)))
    strong = candidates[flat[0, candidates] > ABOVE]
    to_first = numbers[..., 0][measures[0][..., 0] > ABOVE].tolist()
    sinks = generator.sample(to_first, min(DRAWN // 3, len(to_first)))
    selection = np.unique(np.concatenate([*largest, strong, random_links, sinks]).astype(int))
    links = np.stack(np.unravel_index(selection, numbers.shape), axis=1)
    change = changes_of_cuts(last, links.tolist())
    is_strong = (flat[0, selection] > ABOVE) & (links[:, 2] > 0)
    random_change = np.full(len(selection), np.nan)
    if is_strong.any():
        random_change[is_strong] = changes_of_cuts(last, links[is_strong].tolist(), flat[-1, selection[is_strong]])
    return CutLinks(
        source, links, flat[:, selection], change, random_change,
        by_weight=np.isin(selection, largest[0]), drawn=np.isin(selection, random_links), n_tokens=len(last.tokens),
    )  # fmt: skip


def share_within(cuts: Sequence[CutLinks], which: Iterable[np.ndarray]) -> Row:
    """Return the share of some links of each text that leave the word within `WITHIN`; intervals redraw texts."""
    masks = list(which)
    counts = np.array([links.sum() for links in masks])
    n_within = np.array([(cut.unchanged & links).sum() for cut, links in zip(cuts, masks, strict=True)])
    beyond = counts - n_within
    rises = np.array(
        [(~cut.unchanged & links & (cut.change > 0)).sum() for cut, links in zip(cuts, masks, strict=True)]
    )
    estimate = ratio(n_within, counts, range(len(cuts)))
    return {
        "links": int(counts.sum()), "texts": int((counts > 0).sum()), "share": estimate["mean"],
        "interval": [estimate["low"], estimate["high"]],
        "rises, of those beyond": ratio(rises, beyond, range(len(cuts))) | {"n": int(beyond.sum())},
    }  # fmt: skip


def ranks(cuts: Sequence[CutLinks]) -> Row:
    """Return how well each measure ranks the size of the effect within a text; intervals redraw texts."""
    rows: Row = {}
    for name, samples in (("random links", "drawn"), ("largest by weight", "by_weight")):
        correlations = np.array(
            [
                [rank_correlation(row[sample], np.abs(cut.change[sample])) for row in cut.measures]
                for cut in cuts
                for sample in [getattr(cut, samples) & ~cut.to_first]
            ]
        )  # [text, measure]
        rows[f"rank correlation, {name}"] = compared(correlations)
    overlaps = []
    for cut in cuts:
        candidates = ~cut.to_first
        first = set(np.argsort(-np.abs(cut.change[candidates]), kind="stable")[:FOUND])
        tops = [np.argsort(-row[candidates], kind="stable")[:FOUND] for row in cut.measures]
        overlaps.append([len(first & set(top)) / FOUND for top in tops])
    rows[f"share of the {FOUND} largest effects among the first {FOUND}"] = compared(np.array(overlaps))
    return rows


def compared(values: np.ndarray) -> Row:
    """Return the mean of each measure over texts, and its lead over weight; ``values`` is [text, measure]."""
    columns = dict(zip(MEASURES, values.T, strict=True))
    leads = {f"{name}, lead over weight": column - columns["weight"] for name, column in columns.items()}
    leads.pop("weight, lead over weight")
    return {name: mean(column, range(len(values))) for name, column in (columns | leads).items()}


def summary(cuts: Sequence[CutLinks]) -> Row:
    """Return every number of some texts."""
    ends = (*BAND_ENDS, 1.0)
    sampled = [(cut.by_weight | cut.drawn) & ~cut.to_first for cut in cuts]
    bands = {
        f"{low:.0%} to {high:.0%}": share_within(
            cuts,
            [sample & (cut.weight > low) & (cut.weight <= high) for cut, sample in zip(cuts, sampled, strict=True)],
        )
        for low, high in itertools.pairwise(ends)
    }
    random_moves = [np.abs(cut.moved[cut.strong]) <= WITHIN for cut in cuts]
    n_strong = [cut.strong.sum() for cut in cuts]
    sources = dict.fromkeys(cut.source for cut in cuts)
    sizes = np.concatenate([np.abs(cut.change[cut.strong]) for cut in cuts])
    return share_within(cuts, [cut.strong for cut in cuts]) | {
        "texts measured": len(cuts),
        "links cut": int(sum(len(cut.change) for cut in cuts)),
        "size of the change, median and 90th percentile": [rounded(np.quantile(sizes, part)) for part in (0.5, 0.9)],
        "moved as far in a random direction, share within": ratio(
            [sample.sum() for sample in random_moves], n_strong, range(len(cuts))
        ),
        "by source": {
            source: share_within(cuts, [cut.strong & (cut.source == source) for cut in cuts]) for source in sources
        },
        "to itself": share_within(cuts, [cut.strong & (cut.links[:, 2] == cut.n_tokens - 1) for cut in cuts]),
        "to the first token": share_within(cuts, [cut.to_first & (cut.weight > ABOVE) for cut in cuts]),
        "by weight": bands,
        **ranks(cuts),
    }


def main() -> None:
    """Cut links of the last token in texts and in their shuffled copies; print and write what this changes."""
    argparse.ArgumentParser(prog="python -m studies.links", description=main.__doc__).parse_args()
    experiment = subject(load_model(MODEL))
    texts = study_texts(experiment)
    copies = [(source, shuffled_copy(experiment, text)) for source, text in texts]
    originals, shuffled = (
        summary([cut_links(source, text, experiment) for source, text in tqdm(group)]) for group in (texts, copies)
    )
    results = {"above": ABOVE, "within_nats": WITHIN, **originals, "shuffled": shuffled}
    write_results(FILE, experiment.loaded, results)


if __name__ == "__main__":
    main()
