"""Many texts through one model: batches of equal length, and mean outputs of heads over a model's usual texts."""

import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress

import numpy as np
import torch
from torch import Tensor

from mha import assets
from mha.assets import ASSETS
from mha.intervention.subject import Subject
from mha.maps import AttentionMaps
from mha.models.files import translator
from mha.models.files.catalog import SMALL
from mha.models.files.loading import LoadedModel
from mha.models.files.rows import ModelRow
from mha.models.watch.attention import PassComplete, removing_capture_hooks
from mha.models.watch.generating import MOST, generate
from mha.models.watch.recording import listening
from mha.models.watch.tokens import Encoded
from mha.pairs import corpus

COPY_SEEDS = (0, 1, 2, 3, 4)  # of the scrambled copies
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
    with torch.inference_mode(), removing_capture_hooks(model) if hidden else nullcontext():
        last = None if hidden else experiment.n_layers  # whose MLP is an eighth of the work for MiniLM
        with suppress(PassComplete), listening(model, ("weights",), batched=True, n_layers_to_run=last) as call:
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


N_WRITTEN = 40  # usual texts for which a model writes a target
_means: weakref.WeakKeyDictionary[LoadedModel, np.ndarray] = weakref.WeakKeyDictionary()
_cross_means: weakref.WeakKeyDictionary[LoadedModel, np.ndarray] = weakref.WeakKeyDictionary()
_computing = threading.Lock()


def head_means(experiment: Subject, cross: bool = False) -> np.ndarray:
    """Return each head's mean output before W_O, as float32 [layer, head, d_head]; bundled, or computed once.

    The heads are those of the model's ``stack``, or of its cross-attention.
    """
    bank = _cross_means if cross else _means
    with _computing:
        if experiment.loaded not in bank:
            ready_made = bundled_means(experiment.loaded, "cross" if cross else "means")
            bank[experiment.loaded] = computed_means(experiment, cross) if ready_made is None else ready_made
        return bank[experiment.loaded]


def bundled_means(loaded: LoadedModel, name: str = "means") -> np.ndarray | None:
    """Return the means that come with the program, if they are of exactly these weights."""
    stored = assets.optional(assets.model_file("head_means", loaded.row.name), assets.arrays)
    is_current = stored is not None and loaded.row.revision and str(stored["revision"]) == loaded.row.revision
    return stored.get(name) if stored is not None and is_current else None


def computed_means(experiment: Subject, cross: bool = False) -> np.ndarray:
    """Return the means over the usual texts, run now; with ``cross`` those of the cross-attention."""
    *_, means = (averaging_cross if cross else averaging)(experiment)
    assert isinstance(means, np.ndarray)
    return means


def averaging(experiment: Subject) -> Iterator[tuple[int, int] | np.ndarray]:
    """Yield how many sentences are done, of how many, time and again, and then the means."""
    texts = [experiment.encoded(text) for text in usual_texts(experiment.loaded.row)]
    total: torch.Tensor | None = None
    n_tokens = n_done = 0
    for group in of_equal_length(texts):
        with torch.inference_mode(), listening(experiment.model, ("output",), batched=True) as call:
            experiment.body(**experiment.inputs([texts[number] for number in group]))
        output = call.stacked(experiment.stack, "output").double()  # [layer, text, head, token, d_head]
        total = output.sum(dim=(1, 3)) if total is None else total + output.sum(dim=(1, 3))
        n_tokens += output.shape[1] * output.shape[3]
        n_done += len(group)
        yield n_done, len(texts)
    assert total is not None, "the corpus is not empty"
    yield (total / n_tokens).float().numpy()


def averaging_cross(experiment: Subject) -> Iterator[tuple[int, int] | np.ndarray]:
    """Yield how many texts have got a target, of how many, time and again, and then the means of the cross-attention.

    A target is greedy and has at most twice as many tokens as its text.
    """
    texts = spread(usual_texts(experiment.loaded.row))
    total, n_tokens = torch.zeros(()), 0
    for n_done, text in enumerate(texts, start=1):
        encoded = experiment.encoded(text)
        generation = generate(text, experiment.loaded, min(MOST, 2 * len(encoded.tokens)))
        target = torch.tensor([generation.ids[:-1]], device=experiment.model.device)
        with torch.inference_mode(), listening(experiment.model, ("output",)) as call:
            experiment.model(**experiment.inputs(encoded), decoder_input_ids=target, use_cache=False)
        output = call.stacked("cross", "output").double()  # [layer, head, token, d_head]
        total, n_tokens = total + output.sum(dim=2), n_tokens + output.shape[2]
        yield n_done, len(texts)
    yield (total / n_tokens).float().numpy()


def spread(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return 40 texts at equal distances, or all if there are fewer."""
    return texts[:: max(1, len(texts) // N_WRITTEN)][:N_WRITTEN]


def usual_texts(row: ModelRow) -> tuple[str, ...]:
    """Return the texts for a model's means: the corpus, or lists for a model with a small vocabulary.

    For the translator they are 40 sentences of the corpus.
    """
    if row.name == translator.NAME:
        return spread(corpus())
    if row not in SMALL:
        return corpus()
    return assets.read(ASSETS / row.name / "texts.txt", lambda content: tuple(content.decode().splitlines()))


def mean_steps(experiment: Subject, cross: bool = False) -> Iterator[tuple[int, int]]:
    """Make the means known if they are not, in steps; yield how many texts are done, of how many.

    With ``cross`` the means of the cross-attention follow.
    """
    banks = [(_means, "means", averaging), (_cross_means, "cross", averaging_cross)]
    for cached, name, average in banks[: 1 + cross]:
        if experiment.loaded in cached or bundled_means(experiment.loaded, name) is not None:
            continue
        for means in average(experiment):
            if isinstance(means, np.ndarray):
                with _computing:
                    cached[experiment.loaded] = means
            else:
                yield means
