"""What a model predicts, and how that moves when heads are silenced.

A decoder predicts the word that comes next, a masked model what fills a typed ``[MASK]``, an encoder–decoder the next
word of a target. What is not sorted again when heads are silenced can be compared: the words stay those of the full
model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from mha.errors import AttentionUnavailable, InputError
from mha.intervention.ablation import HeadChanges, Heads, silencing
from mha.intervention.outcomes import Prediction
from mha.intervention.subject import Subject, subject
from mha.maps import HeadId
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.anatomy import anatomy
from mha.models.watch.generating import Generation, writer, writes
from mha.models.watch.inputs import masked, target_so_far, without_end
from mha.models.watch.languages import encode_source
from mha.models.watch.recording import listening, undisturbed
from mha.models.watch.tokens import Encoded, encode, names_of_ids
from mha.words import accept

ROWS = 16  # of one batch
MOST_WORDS = 100


def predict(
    text: str,
    model: str | LoadedModel = DEFAULT,
    count: int = 10,
    silenced: Heads = (),
    each: Heads = (),
    kind: str = "mean",
    mask: int = 0,
    target: str = "",
    tgt_lang: str = "",
) -> Prediction:
    """Return the likeliest words after a text, in the place of a typed ``[MASK]``, or next in a begun ``target``.

    ``silenced`` heads are silenced together, those of ``each`` one by one, by a ``kind`` of `mha.ablate`. ``mask`` is
    the number of the mask, where several are typed. ``tgt_lang`` is the target's language, as for `mha.attend`.

    Raises:
        InputError: no word in the text, no such head, kind or mask, or no mask is typed for a masked model.
        AttentionUnavailable: the model predicts no words, or its heads cannot be reached.
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    loaded = writer(model)
    return _predicted(loaded, *_asked(loaded, text, target, mask, tgt_lang), count, silenced, each, kind)


def predict_step(
    written: Generation,
    step: int,
    model: str | LoadedModel,
    count: int = 10,
    silenced: Heads = (),
    each: Heads = (),
) -> Prediction:
    """Return the likeliest words of one step of a generation by this model, after exactly the tokens that it had read.

    Raises:
        InputError: there is no such step or head, or the model is an encoder–decoder.
        AttentionUnavailable, UnknownModel, ModelUnavailable: as `predict`.
    """
    loaded = writer(model)
    if loaded.row.two_sided:
        raise InputError(f"{loaded.row.short} writes beside a text; `predict` has its next words.")
    if not 0 <= step < written.n_steps:
        raise InputError(f"{written.n_steps} tokens were written; you asked for step {step}.")
    read = written.n_read + step
    asked = Encoded({"input_ids": [list(written.ids[:read])]}, written.tokens[:read])
    return _predicted(loaded, asked, read - 1, count, silenced, each, "mean")


def _predicted(
    loaded: LoadedModel, asked: Encoded, place: int, count: int, silenced: Heads, each: Heads, kind: str
) -> Prediction:
    most = min(MOST_WORDS, loaded.model.config.get_text_config().vocab_size)
    if not isinstance(count, int | np.integer) or not 1 <= count <= most:
        raise InputError(f"1 to {most} words can be given; you asked for {count!r}.")
    experiment = subject(loaded) if silenced or each else None
    together = () if experiment is None else experiment.chosen(silenced)
    alone = () if experiment is None else experiment.chosen(each)
    sets: list[tuple[HeadId, ...]] = [(), *([together] if together else []), *((head,) for head in alone)]
    rows = _rows(loaded, experiment, asked.inputs, place, sets, kind)  # float64 [set, vocabulary]
    ids = np.argsort(-rows[0], kind="stable")[:count]
    first = (int(rows[1].argmax()),) if together else ()
    names, raws = names_of_ids(loaded.tokenizer, [*map(int, ids), *first])
    after = 1 + bool(together)
    return Prediction(
        words=names[:count],
        ids=tuple(int(number) for number in ids),
        probabilities=rows[0, ids],
        tokens=asked.tokens,
        place=place,
        vocabulary=rows.shape[1],
        heads=together,
        silenced=rows[1, ids] if together else None,
        first=names[count] if together else "",
        alone=alone,
        each=rows[after:, ids] if alone else None,
        kind=kind,
        notes=asked.notes,
        raws=raws[:count],
    )


def _asked(loaded: LoadedModel, text: str, target: str, mask: int, tgt_lang: str) -> tuple[Encoded, int]:
    """Return what the model reads, with the tokens of the axis that predicts, and the row there that does."""
    accepted = accept(text)
    two_sided = loaded.row.two_sided
    if (target or tgt_lang) and not two_sided:
        raise InputError(f"{loaded.row.short} has no decoder beside its encoder; a target is for models that have one.")
    if loaded.model.get_output_embeddings() is None:
        raise AttentionUnavailable(f"{loaded.row.short} predicts no words: it has no layer for that.")
    if two_sided:
        encoded, begun = (
            encode_source(loaded, accepted.text, language=tgt_lang),
            target_so_far(loaded, target, tgt_lang),
        )
        inputs = encoded.inputs | {"decoder_input_ids": begun.inputs["input_ids"]}
        encoded = Encoded(inputs, begun.tokens, encoded.notes + begun.notes)
        place = len(begun.tokens) - 1
    elif writes(loaded):
        encoded = without_end(encode(loaded.tokenizer, accepted.text, max_tokens=loaded.max_tokens))
        place = len(encoded.tokens) - 1
    else:
        encoded, places = masked(loaded.tokenizer, accepted.text, loaded.max_tokens)
        if not 0 <= mask < len(places):
            raise InputError(f"The text has {len(places)} masks, counted from 0; you asked for {mask}.")
        place = places[mask]
    return replace(encoded, notes=accepted.notes + encoded.notes), place


def _rows(
    loaded: LoadedModel,
    experiment: Subject | None,
    read: dict[str, list[list[int]]],
    place: int,
    sets: Sequence[tuple[HeadId, ...]],
    kind: str,
) -> np.ndarray:
    """Return the probabilities of all words in the place, float64 [set, vocabulary]."""
    model = loaded.model
    found = []
    for first in range(0, len(sets), ROWS):
        some = sets[first : first + ROWS]
        inputs: dict[str, Any] = {
            name: torch.tensor(values * len(some), device=model.device) for name, values in read.items()
        }
        if anatomy(model).takes_cache:
            inputs["use_cache"] = False
        with torch.inference_mode():
            if experiment is None:
                with undisturbed(model) as passes:
                    logits = passes(model, **inputs).logits
            else:
                changes = {row: silencing(experiment, heads, kind) for row, heads in enumerate(some) if heads}
                with listening(model, (), HeadChanges(experiment.stack, changes)):
                    logits = model(**inputs).logits
            found.append(torch.softmax(logits[:, place].double(), dim=-1).cpu().numpy())
    return np.concatenate(found)
