"""What is taken of transformers, imported by one thread for all that need it.

As it is imported, transformers puts another module in its own place. A thread that has waited for it meanwhile is left
with the first one, which has no names: whatever was asked for while the default model was being loaded would fail. This
module stays in its place, and whoever waits for it finds everything.
"""

# ruff: noqa: E402
from mha.models.files.environment import check_writable

check_writable()  # before the import: one that fails half-way stays broken

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
