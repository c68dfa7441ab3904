"""Fetching a model from the hub ahead, and finding what was fetched. Ids are matched in full; never a path.

huggingface_hub is imported late, and no token is sent. What comes is a snapshot of one commit, safetensors only; the
listing's sizes are looked at before anything is downloaded, and the config before the weights are.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from mha.errors import ModelError, ModelUnavailable, UnknownModel
from mha.models.files.environment import prepare_environment
from mha.models.files.inspection import (
    INDEX,
    MAX_CONFIG_BYTES,
    MAX_INDEX_BYTES,
    MAX_TOKENIZER_BYTES,
    SHARD,
    SHARDS,
    WHOLE,
    check_all_weights,
    check_folder,
    check_total,
    most_bytes,
    read_config,
    weight_files,
)

NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?"
HUB_ID = re.compile(rf"(?!.*(?:--|\.\.))(?P<id>{NAME}/{NAME})(?:@(?P<commit>[0-9a-f]{{40}}))?")

FILES = {  # what is fetched, and how large each may be; nothing else of a model is
    "config.json": MAX_CONFIG_BYTES,
    "tokenizer_config.json": MAX_CONFIG_BYTES,
    "special_tokens_map.json": MAX_CONFIG_BYTES,
    "generation_config.json": MAX_CONFIG_BYTES,
    "tokenizer.json": MAX_TOKENIZER_BYTES,
    INDEX: MAX_INDEX_BYTES,
}
NEEDED = ("config.json", "tokenizer.json")
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
    """Return the folder of a model's snapshot, downloaded where it is not kept already.

    ``revision`` is a commit, or None for the newest. The folder is named by the commit.

    Raises:
        UnknownModel: the id has another form, or the hub has no public model of this id and commit.
        ModelUnavailable: the hub does not answer, or the model is refused: too large, no safetensors, code of its own.
    """
    model_id, revision = divided(model_id if revision is None else f"{model_id}@{revision}")
    prepare_environment()
    from huggingface_hub import HfApi, snapshot_download

    with _translated():
        api = HfApi(endpoint=endpoint, token=False)
        commit = api.resolve_revision(model_id, revision=revision, cache_dir=cache).resolved
        about = api.model_info(model_id, revision=commit, files_metadata=True, timeout=SECONDS)
        weights = check_listing({file.rfilename: file.size for file in about.siblings or ()})
        for names in (["config.json", "tokenizer_config.json"], [*FILES, *weights]):
            folder = Path(
                snapshot_download(
                    model_id, revision=commit, allow_patterns=names, cache_dir=cache, endpoint=endpoint, token=False
                )
            )
            read_config(folder / "config.json")  # before the weights come
    check_folder(folder)
    check_all_weights(folder)
    return folder


def check_listing(sizes: Mapping[str, int | None]) -> list[str]:
    """Return which files of a listing, by name and size in bytes, hold the weights: one, or several parts.

    Raises:
        ModelUnavailable: something is missing or too large.
    """
    for name in NEEDED:
        if name not in sizes:
            raise ModelUnavailable(f"The model has no {name} on the hub; without it, it cannot be read here.")
    shards = sorted(name for name in sizes if SHARD.fullmatch(name))
    weights = [WHOLE] if WHOLE in sizes else shards if INDEX in sizes else []
    for name, most in (FILES | dict.fromkeys(weights, most_bytes())).items():
        size = sizes.get(name, 0)
        if size is None or not 0 <= size <= most:
            raise ModelUnavailable(f"The model's {name} is larger than this program reads ({most // 2**20:,} MB).")
    if not weights:
        raise ModelUnavailable(f"The model has no {WHOLE} on the hub; without it, it cannot be read here.")
    check_total([sizes[name] or 0 for name in weights])
    return weights


@contextmanager
def _translated() -> Iterator[None]:
    """Turn what the library raises into sentences without paths, addresses or the library's own words."""
    from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError

    try:
        yield
    except ModelError:
        raise
    except (RepositoryNotFoundError, RevisionNotFoundError) as error:
        raise UnknownModel(REFUSED) from error
    except OSError as error:
        raise ModelUnavailable(NO_ROOM if error.errno in UNWRITABLE else NO_ANSWER) from error
    except Exception as error:  # a refused connection, a lost one: the library has a class for each
        raise ModelUnavailable(NO_ANSWER) from error


def kept(model_id: str, revision: str | None = None, *, cache: Path | None = None) -> Path | None:
    """Return the folder of a model of which everything needed was fetched before, or None; no network is asked.

    Without a ``revision`` (a commit) it is the commit that was the newest when the hub was asked last.

    Raises:
        UnknownModel: the id is not of the form ``org/name``.
    """
    model_id, revision = divided(model_id if revision is None else f"{model_id}@{revision}")
    prepare_environment()
    from huggingface_hub import snapshot_download

    try:
        found = snapshot_download(
            model_id,
            revision=revision,
            cache_dir=cache,
            allow_patterns=[*FILES, WHOLE, SHARDS],
            local_files_only=True,
            token=False,
        )
    except (OSError, ValueError):  # not there, not whole, or not readable
        return None
    folder = Path(found)
    if not all((folder / name).is_file() for name in NEEDED):  # others may have fetched a part
        return None
    try:
        return folder if weight_files(folder) else None
    except ModelUnavailable:
        return None
