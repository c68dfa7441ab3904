"""Fetching a model from the hub ahead, and finding fetched models. Ids are matched in full; never a path.

huggingface_hub is imported late, and no token is sent. A snapshot is of one commit, safetensors only; all sizes are
checked before anything is downloaded, and the config before the weights are.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from mha.errors import ModelError, ModelUnavailable, UnknownModel
from mha.models.files.environment import prepare_environment
from mha.models.files.inspection import ADAPTER, FILES, WHOLE, check_adapter, check_sizes, read_config, weight_files

NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?"
HUB_ID = re.compile(rf"(?!.*(?:--|\.\.))(?P<id>{NAME}/{NAME})(?:@(?P<commit>[0-9a-f]{{40}}))?")
PATTERNS = [*FILES, WHOLE, "model-*-of-*.safetensors"]  # the files of a snapshot
REFUSED = (
    "There is no such model: a model of the hub is asked for as org/name, or org/name@commit with the 40 "
    "digits of a commit, and it has to be public."
)
NO_ANSWER = (
    "The model cannot be fetched: the hub of models did not answer as it should, or the folder for models "
    "(~/.cache/huggingface, or what HF_HOME names) is full or may not be written to. Try again later."
)


def is_hub_id(name: str) -> bool:
    """Return whether this may be the id of a model on the hub, perhaps with a commit.

    >>> is_hub_id("org/name"), is_hub_id("../name"), is_hub_id("minilm")
    (True, False, False)
    """
    return HUB_ID.fullmatch(name) is not None


def divided(name: str) -> tuple[str, str | None]:
    """Return the id and the commit, if any, of ``org/name@commit``.

    Raises:
        UnknownModel: it is not of this form; the message is the same for every id that is refused.
    """
    match = HUB_ID.fullmatch(name)
    if match is None:
        raise UnknownModel(REFUSED)
    return match["id"], match["commit"]


def fetch(name: str, *, endpoint: str | None = None, cache: Path | None = None) -> Path:
    """Return the folder of a model's snapshot, downloaded if it is not in the cache.

    ``name`` is ``org/name``, for the newest commit, or ``org/name@commit``. The folder is named by the commit. Messages
    have no paths, addresses or words of the library. The content of the files is inspected when they are loaded.

    Raises:
        UnknownModel: the id has another form, or the hub has no public model of this id and commit.
        ModelUnavailable: the hub does not answer, or the model is refused: too large, no safetensors, code of its own.
    """
    model_id, revision = divided(name)
    prepare_environment()
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError

    options: dict[str, Any] = {"cache_dir": cache, "endpoint": endpoint, "token": False}
    try:
        patterns = [*PATTERNS, ADAPTER]
        listing = snapshot_download(model_id, revision=revision, allow_patterns=patterns, dry_run=True, **options)
        sizes = {file.filename: file.file_size for file in listing}
        options["revision"] = listing[0].commit_hash
        if sizes.pop(ADAPTER, math.inf) <= FILES["config.json"] and "config.json" not in sizes:
            check_adapter(Path(snapshot_download(model_id, allow_patterns=[ADAPTER], **options)) / ADAPTER)
        weights = check_sizes(sizes)
        for names in (["config.json"], [*FILES, *weights]):
            folder = Path(snapshot_download(model_id, allow_patterns=names, **options))
            read_config(folder / "config.json")  # before the weights are downloaded
    except ModelError:
        raise
    except Exception as error:  # the library has a class for each failure of a connection
        absent = RepositoryNotFoundError, RevisionNotFoundError
        if isinstance(error, absent) or isinstance(error.__cause__, absent):
            raise UnknownModel(REFUSED) from error
        raise ModelUnavailable(NO_ANSWER) from error
    return folder


def cached_folder(name: str, *, cache: Path | None = None) -> Path | None:
    """Return the folder of a model that was fetched whole before, or None; without a network.

    ``name`` is ``org/name``, for the newest commit when the hub was asked last, or ``org/name@commit``.

    Raises:
        UnknownModel: the id has another form.
    """
    model_id, revision = divided(name)
    prepare_environment()
    from huggingface_hub import snapshot_download

    try:
        folder = snapshot_download(
            model_id, revision=revision, cache_dir=cache, allow_patterns=PATTERNS, local_files_only=True, token=False
        )
        return weight_files(Path(folder))[0].parent
    except (OSError, ValueError, ModelUnavailable):  # not there, incomplete, or not readable
        return None
