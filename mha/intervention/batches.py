"""Many texts through one model: those of equal length in tokens together, so that nothing is padded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress

import torch
from torch import Tensor

from mha.intervention.subject import Subject
from mha.maps import AttentionMaps
from mha.models.watch.attention import LastLayerSeen
from mha.models.watch.capturing import capturing
from mha.models.watch.recording import listening
from mha.models.watch.tokens import Encoded

TWIN_SEEDS = (0, 1, 2, 3, 4)  # of the scrambled twins
MOST_TEXTS = 32
CUT_TOKENS = 4096  # that are cut in one step: a quarter of a second
MOST_TOKENS = 512  # of one batch through MiniLM: half a second with the reading of its maps


def of_equal_length(
    texts: Sequence[Encoded], most_texts: int = MOST_TEXTS, most_tokens: int = MOST_TOKENS
) -> Iterator[list[int]]:
    """Yield groups of numbers of texts that have the same number of tokens, none too large."""
    by_length: dict[int, list[int]] = {}
    for number, text in enumerate(texts):
        by_length.setdefault(len(text.tokens), []).append(number)
    for length, numbers in by_length.items():
        size = max(1, min(most_texts, most_tokens // max(length, 1)))
        for start in range(0, len(numbers), size):
            yield numbers[start : start + size]


# Recording of one text of a batch: its index, its maps, and on request hidden states [block, token, d_model].
Looked = tuple[int, AttentionMaps, Tensor | None]


def iter_text_maps(experiment: Subject, texts: Sequence[str]) -> Iterator[tuple[int, AttentionMaps]]:
    """Yield the number and the maps of each text, in the order in which batches finish."""
    for batch in looked_together(experiment, texts):
        yield from ((number, maps) for number, maps, _ in batch)


def looked_together(
    experiment: Subject, texts: Sequence[str], encoded: Sequence[Encoded] | None = None, hidden: bool = False
) -> Iterator[list[Looked]]:
    """Yield the recordings of each batch; empty steps come first while many texts are tokenised."""
    if encoded is None:
        encoded, n_tokens = [], 0
        for text in texts:
            encoded.append(experiment.encoded(text))
            n_tokens += len(encoded[-1].tokens)
            if n_tokens >= CUT_TOKENS:
                yield []
                n_tokens = 0
    for group in of_equal_length(encoded, most_tokens=int(MOST_TOKENS / max(1.0, experiment.size))):
        yield _batch(experiment, texts, encoded, group, hidden)  # a suspended generator holds no maps


def _batch(
    experiment: Subject, texts: Sequence[str], encoded: Sequence[Encoded], group: Sequence[int], hidden: bool
) -> list[Looked]:
    """Return the maps of the texts of one batch, and on request their hidden states."""
    model, row = experiment.model, experiment.loaded.row
    options = {"output_hidden_states": True} if hidden else {}
    with torch.inference_mode(), capturing(model) if hidden else nullcontext():
        last = None if hidden else experiment.n_layers  # whose MLP is an eighth of the work for MiniLM
        with suppress(LastLayerSeen), listening(model, ("weights",), batched=True, last=last) as call:
            outputs = experiment.body(**experiment.inputs([encoded[number] for number in group]), **options)
        states = torch.stack([state.float().cpu() for state in outputs.hidden_states]) if hidden else None
        weights = call.stacked(experiment.stack).numpy()  # [layer, text, head, query, key]
    results = []
    for place, number in enumerate(group):
        maps = AttentionMaps(
            weights=weights[:, place],
            tokens=encoded[number].tokens,
            text=texts[number],
            model=row.short,
            revision=row.revision,
            origin=row.origin,
            causal=experiment.causal,
        )
        results.append((number, maps, None if states is None else states[:, place]))
    return results
