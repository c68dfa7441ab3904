"""Fetching a model from the hub ahead, and finding what was fetched. Ids are matched in full; never a path.

huggingface_hub is imported late, and no token is sent. What comes is a snapshot of one commit, safetensors only; the
listing's sizes are looked at before anything is downloaded, and the config before the weights are.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mha.errors import ModelError, ModelUnavailable, UnknownModel
from mha.models.files.environment import prepare_environment
from mha.models.files.inspection import (
    FILES,
    INDEX,
    NEEDED,
    SHARD,
    WHOLE,
    check_total,
    inspect_snapshot,
    most_bytes,
    read_config,
    weight_files,
)

NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?"
HUB_ID = re.compile(rf"(?!.*(?:--|\.\.))(?P<id>{NAME}/{NAME})(?:@(?P<commit>[0-9a-f]{{40}}))?")
SHARDS = "model-*-of-*.safetensors"  # `SHARD` as a pattern of the hub
SECONDS = 10.0  # for the hub's answer about a model
REFUSED = (
    "There is no such model: a model of the hub is asked for as org/name, or org/name@commit with the 40 "
    "digits of a commit, and it has to be public."
)
UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC)
NO_ROOM = (
    "What is fetched of a model cannot be kept: the folder for it (~/.cache/huggingface, or what HF_HOME names) may "
    "not be written to, or its disk is full."
)
NO_ANSWER = "The hub of models cannot be reached, or did not answer as it should; nothing is fetched. Try again later."

# The models that people ask for first: facts, and the use of each. They were written from memory, without the hub.
NOT_LOOKED_UP = "Licence and size are from memory, not looked up; the commit is resolved when it is fetched."
GATED = (
    "Its licence has to be accepted on the hub first; no token is sent from here, so name a folder that you fetched."
)
SLOW = "Its tokenizer may come without the tokenizer.json that is needed here; then name a folder that has one."
WANTED = {
    "google-bert/bert-base-uncased": ("masked, Apache-2.0, 440 MB", "Most papers on heads looked at it."),
    "google-bert/bert-base-multilingual-cased": ("masked, Apache-2.0, 714 MB", "104 languages, many scripts."),
    "distilbert/distilbert-base-uncased": ("masked, Apache-2.0, 268 MB", "BERT in six layers."),
    "FacebookAI/roberta-base": ("masked, MIT, 499 MB", "Byte-level pieces, no sentence pairs."),
    "answerdotai/ModernBERT-base": (
        "masked, Apache-2.0, 599 MB",
        "8,192 tokens, sliding windows, rotary positions.",
    ),
    "openai-community/gpt2": ("decoder, MIT, 548 MB", "Induction heads, and a first token that rests much."),
    "distilbert/distilgpt2": ("decoder, Apache-2.0, 353 MB", "GPT-2 in six layers."),
    "EleutherAI/pythia-70m": ("decoder, Apache-2.0, 166 MB", "A decoder in six layers, trained in the open."),
    "EleutherAI/pythia-160m": ("decoder, Apache-2.0, 375 MB", "Twelve layers, the same data."),
    "Qwen/Qwen3-0.6B": ("decoder, Apache-2.0, 1,503 MB", "Grouped queries, many languages."),
    "HuggingFaceTB/SmolLM2-135M": ("decoder, Apache-2.0, 269 MB", "A small Llama with grouped queries."),
    "google/gemma-3-270m": ("decoder, Gemma, 536 MB", f"Sliding windows and norms on q and k. {GATED}"),
    "google-t5/t5-small": ("encoder–decoder, Apache-2.0, 242 MB", "Cross-attention, position biases."),
    "facebook/bart-base": ("encoder–decoder, Apache-2.0, 558 MB", "Cross-attention of six layers."),
    "Helsinki-NLP/opus-mt-en-de": ("encoder–decoder, CC-BY-4.0, 298 MB", f"Translation alignment. {SLOW}"),
}


def is_hub_id(name: str) -> bool:
    """Return whether this may be the id of a model on the hub, perhaps with a commit.

    >>> is_hub_id("org/name"), is_hub_id("../name"), is_hub_id("minilm")
    (True, False, False)
    """
    return HUB_ID.fullmatch(name) is not None


def divided(name: str) -> tuple[str, str | None]:
    """Return the id and the commit, if any, of ``org/name@commit``.

    Raises:
        UnknownModel: it is not of this form; the message is the one for every id that is refused.
    """
    match = HUB_ID.fullmatch(name)
    if match is None:
        raise UnknownModel(REFUSED)
    return match["id"], match["commit"]


def fetch(
    model_id: str, revision: str | None = None, *, endpoint: str | None = None, cache: Path | None = None
) -> Path:
    """Return the folder of a model's snapshot, downloaded if it is not in the cache.

    ``revision`` is a commit, or None for the newest. The folder is named by the commit. Messages have no paths,
    addresses or words of the library.

    Raises:
        UnknownModel: the id has another form, or the hub has no public model of this id and commit.
        ModelUnavailable: the hub does not answer, or the model is refused: too large, no safetensors, code of its own.
    """
    model_id, revision = divided(model_id if revision is None else f"{model_id}@{revision}")
    prepare_environment()
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError

    try:
        api = HfApi(endpoint=endpoint, token=False)
        commit = api.resolve_revision(model_id, revision=revision, cache_dir=cache).resolved
        about = api.model_info(model_id, revision=commit, files_metadata=True, timeout=SECONDS)
        weights = check_listing({file.rfilename: file.size for file in about.siblings or ()})
        for names in (["config.json", "tokenizer_config.json"], [*FILES, *weights]):
            where: dict[str, Any] = {"revision": commit, "cache_dir": cache, "endpoint": endpoint}
            folder = Path(snapshot_download(model_id, allow_patterns=names, token=False, **where))
            read_config(folder / "config.json")  # before the weights come
    except ModelError:
        raise
    except (RepositoryNotFoundError, RevisionNotFoundError) as error:
        raise UnknownModel(REFUSED) from error
    except Exception as error:  # the library has a class for each failure of a connection
        is_unwritable = isinstance(error, OSError) and error.errno in UNWRITABLE
        raise ModelUnavailable(NO_ROOM if is_unwritable else NO_ANSWER) from error
    inspect_snapshot(folder)
    return folder


def check_listing(sizes: Mapping[str, int | None]) -> list[str]:
    """Return which files of a listing, by name and size in bytes, hold the weights: one, or several parts.

    Raises:
        ModelUnavailable: a file is missing or too large.
    """
    shards = sorted(name for name in sizes if SHARD.fullmatch(name))
    weights = shards if shards and INDEX in sizes and WHOLE not in sizes else [WHOLE]
    for name in (*NEEDED, *weights):
        if name not in sizes:
            raise ModelUnavailable(f"The model has no {name} on the hub; without it, it cannot be read here.")
    for name, most in (FILES | dict.fromkeys(weights, most_bytes())).items():
        size = sizes.get(name, 0)
        if size is None or not 0 <= size <= most:
            raise ModelUnavailable(f"The model's {name} is larger than this program reads ({most // 2**20:,} MB).")
    check_total([sizes[name] or 0 for name in weights])
    return weights


def kept(model_id: str, revision: str | None = None, *, cache: Path | None = None) -> Path | None:
    """Return the folder of a model that was fetched whole before, or None; no network is asked.

    Without a ``revision`` (a commit) it is the commit that was the newest when the hub was asked last.

    Raises:
        UnknownModel: the id is not of the form ``org/name``.
    """
    model_id, revision = divided(model_id if revision is None else f"{model_id}@{revision}")
    prepare_environment()
    from huggingface_hub import snapshot_download

    where: dict[str, Any] = {"revision": revision, "cache_dir": cache, "local_files_only": True}
    try:
        folder = Path(snapshot_download(model_id, allow_patterns=[*FILES, WHOLE, SHARDS], token=False, **where))
        weight_files(folder)
    except (OSError, ValueError, ModelUnavailable):  # not there, not whole, or not readable
        return None
    return folder if all((folder / name).is_file() for name in NEEDED) else None  # others may have fetched a part


def listing() -> str:
    """Return `WANTED` as lines of text: which models are here, and the commands that fetch the others."""
    lines = []
    for name, (facts, use) in WANTED.items():
        folder = kept(name)
        state = f"here, commit {folder.name}" if folder else f"not here: python -m mha.models {name}"
        lines += [f"{name}  {facts}. {use}", f"    {state}", f"    {NOT_LOOKED_UP}"]
    return "\n".join(lines)
