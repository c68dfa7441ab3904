"""From a typed text to its recording, by any model on offer. This module is light: heavy libraries load with the
model."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mha.errors import AttentionUnavailable, InputError, ModelUnavailable, UnknownModel
from mha.maps import AttentionMaps, Recording
from mha.models.files.catalog import DEFAULT, model_row, offered
from mha.models.files.environment import every_thread, one_thread
from mha.models.files.inspection import is_hub_id
from mha.models.files.loading import LoadedModel, load, load_snapshot, remembered, transformer_of
from mha.models.files.rows import ModelRow
from mha.models.toy import record_toy
from mha.words import Accepted, accept, white_space, white_space_note

ALONE_UP_TO = 32  # tokens of a text that one thread records


def attend(
    text: str,
    model: str | Path | LoadedModel = DEFAULT,
    pair: str | None = None,
    target: str | None = None,
    stack: str = "",
) -> AttentionMaps:
    """Return the attention of every head of a model in a text, or with ``pair`` in two texts read together.

    ``model`` is one on offer, a loaded one, the folder of a snapshot (a `Path` or "./folder"), or the id of one on the
    hub, ``org/name``, which is fetched if need be.
    The ``target`` of an encoder–decoder is the text that its decoder writes (by default the text itself), and ``stack``
    is
    "encoder", "decoder" or "cross", where rows are named by the token to be written and columns are the text's.
    The first word of ``target`` may be the model's own code of its language, such as "fra_Latn" (NLLB), "fr_XX" (mBART)
    or "__fr__" (M2M100). Without it the target is read behind the forced first token of the generation config, or else
    behind the code that the tokenizer sets. Characters that cannot be shown are left out first, and only the first
    2,000 are used, as on the page. White space stays as it is; a model such as BERT, which reads a line break or a run
    of spaces as one space, gives the same maps.

    Raises:
        InputError: the text has no word, the model has no such stack, or a target is given but the model has no
        decoder. UnknownModel: no such model is on offer. ModelUnavailable: it cannot be loaded here and now.
    """
    recording = record_text(text, open_model(model), pair, target=target)
    return recording.attention(stack) if stack else recording.maps


SHOWN_NAME = 200  # characters of a folder's name in a message


def open_model(model: str | Path | LoadedModel) -> str | LoadedModel:
    """Return a model by its name or from a folder: a `Path`, or text such as "./folder".

    For calls from a notebook only: a link names models on offer. A bare word is never a folder, so that a folder in the
    notebook's directory cannot replace a model.

    Raises:
        ModelUnavailable: the folder is not there, or cannot be loaded.
        UnknownModel: no such model is on offer, but there is a folder of that name.
    """
    if not isinstance(model, str | Path):
        return model  # `load` refuses other objects
    folder = Path(model)
    try:
        folder = folder.expanduser()
        exists = folder.is_dir()
    except (OSError, ValueError, RuntimeError):  # not a file name: too long, with a zero byte, or an unknown home
        exists = False
    if isinstance(model, str) and not model.startswith(("/", ".", "~")):
        if exists and model and not is_hub_id(model) and model not in {row.name for row in offered()}:
            raise UnknownModel(f'No model {model!r} is on offer. For the folder of that name, say model="./{model}".')
        return model
    if not exists:
        raise ModelUnavailable(f"There is no folder {str(model)[:SHOWN_NAME]!r}.")
    return remembered(str(folder.resolve()), lambda: load_snapshot(folder.resolve()))


def load_model(model: str | Path | LoadedModel = DEFAULT) -> LoadedModel:
    """Return a model in memory, named as for `attend`; every ``model`` argument accepts it, also in experiments.

    Its parameters take no gradients, which saves memory; ``.model.requires_grad_(True)`` turns them on.

    Raises:
        UnknownModel: no such model is on offer, or it is a toy, which nothing loads.
        ModelUnavailable: it cannot be loaded here and now.
    """
    return load(open_model(model))


def record_text(
    text: str | Accepted,
    model: str | LoadedModel = DEFAULT,
    pair: str | Accepted | None = None,
    keep: Sequence[str] = (),
    target: str | Accepted | None = None,
) -> Recording:
    """Return the recording of a text, with one sentence in ``notes`` for each change or cut.

    ``keep`` may name "query", "key", "value" and "hidden". A text that was accepted is not checked again. Raises as
    `attend`.
    """
    accepted = text if isinstance(text, Accepted) else accept(text)
    second, aim = (accept(item) if isinstance(item, str) else item for item in (pair, target))
    earlier_notes = tuple(note for item in (accepted, second, aim) if item is not None for note in item.notes)
    pair_text, target_text = (None if item is None else item.text for item in (second, aim))
    loaded = transformer_of(model)
    if loaded is None:
        recording = _of_toy(model_row(str(model)), accepted.text, pair_text, target_text)
        return dataclasses.replace(recording, notes=earlier_notes + recording.notes)
    from mha.models.watch.inputs import inputs_of
    from mha.models.watch.recording import record_with_outputs

    row = loaded.row
    encoded, inputs, fields = inputs_of(loaded, accepted.text, pair_text, target_text)
    with one_thread() if len(encoded.tokens) <= ALONE_UP_TO else every_thread():
        recording, _ = record_with_outputs(
            loaded.model, text=accepted.text, pair=pair_text, tokens=encoded.tokens, name=row.short,
            revision=row.revision, origin=row.origin, keep=keep, **inputs,
        )  # fmt: skip
    maps = recording.maps
    if maps.n_queries == 1:  # one token shows no mask
        maps = dataclasses.replace(maps, causal=row.causal)
    has_shape = row.n_layers and row.n_heads
    if has_shape and (row.n_layers, row.n_heads) != (maps.n_layers, maps.n_heads):  # links and pages go by the row
        raise AttentionUnavailable(
            f"The config of {row.short} speaks of {row.n_layers} layers × {row.n_heads} heads; its attention has "
            f"{maps.n_layers} × {maps.n_heads}. It is not shown."
        )
    return dataclasses.replace(recording, maps=maps, notes=earlier_notes + row.notes + encoded.notes, **fields)


def record_masked(text: str | Accepted, model: str | LoadedModel) -> Recording:
    """Return the recording of a text in which each typed ``[MASK]`` is the model's own mask.

    Raises:
        InputError: no mask is typed, the model has none, or it cannot be read with one.
        UnknownModel, ModelUnavailable: as `attend`.
    """
    accepted = accept(text) if isinstance(text, str) else text
    loaded = load(model)
    from mha.models.watch.inputs import masked
    from mha.models.watch.recording import record

    encoded, _ = masked(loaded.tokenizer, accepted.text, loaded.max_tokens)
    row = loaded.row
    fields: dict[str, Any] = {"name": row.short, "revision": row.revision, "origin": row.origin}
    recording = record(loaded.model, text=accepted.text, tokens=encoded.tokens, **(fields | encoded.inputs))
    return dataclasses.replace(recording, notes=accepted.notes + row.notes + encoded.notes)


def _of_toy(row: ModelRow, text: str, pair: str | None, target: str | None) -> Recording:
    if target is not None:
        raise InputError(f"{row.short} writes nothing: a target is for models with an encoder and a decoder.")
    recording = record_toy(text, pair)
    kinds = list(white_space(text) | white_space(pair or ""))
    return dataclasses.replace(recording, notes=(*recording.notes, white_space_note(kinds))) if kinds else recording


def check_known(loaded: LoadedModel, *texts: str | None) -> None:
    """Raise InputError where a model trained on a few words has never seen one of the text; others read anything."""
    from mha.models.watch.tokens import tokenizing

    tokenizer = loaded.tokenizer
    if not loaded.row.example or tokenizer.unk_token_id is None:
        return
    for text in filter(None, texts):
        with tokenizing:
            encoded = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        for number, (start, end) in zip(encoded["input_ids"], encoded["offset_mapping"], strict=True):
            if number == tokenizer.unk_token_id:
                n_words = len(tokenizer) - len(set(tokenizer.all_special_ids))
                raise InputError(f"{loaded.row.short} knows {n_words} words; “{text[start:end]}” is not one of them.")
