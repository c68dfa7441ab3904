"""Names of transformers, imported by one thread for all callers.

During its import transformers replaces its own module object. A thread that waits for the import gets the first object,
which lacks all names, so its requests would fail. This module is not replaced, so a waiting thread gets all names.
"""

# ruff: noqa: E402
from mha.models.files.environment import check_writable

check_writable()  # before the import, because a failed import leaves a broken module

import transformers
from transformers import (
    MODEL_MAPPING,
    AttentionInterface,
    AttentionMaskInterface,
    AutoTokenizer,
    MarianConfig,
    MarianMTModel,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers.masking_utils import eager_mask
from transformers.models.auto import modeling_auto as auto_names
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.pytorch_utils import Conv1D
from transformers.utils import logging

__all__ = [
    "CONFIG_MAPPING",
    "MODEL_MAPPING",
    "AttentionInterface",
    "AttentionMaskInterface",
    "AutoTokenizer",
    "Conv1D",
    "MarianConfig",
    "MarianMTModel",
    "PreTrainedConfig",
    "PreTrainedModel",
    "PreTrainedTokenizerFast",
    "auto_names",
    "eager_mask",
    "logging",
    "transformers",
]
