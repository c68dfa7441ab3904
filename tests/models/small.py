"""A small random BERT made in memory, and its weights as its own eager attention gives them."""

from typing import Any

import numpy as np
import torch
from transformers import BertConfig, BertModel

IDS = [[2, 3, 5, 7, 11, 13, 17]]


def small_bert(**settings: Any) -> BertModel:
    torch.manual_seed(5)
    sizes = {"hidden_size": 22, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 7}
    return BertModel(BertConfig(vocab_size=31, **sizes | settings)).eval()


def bare_eager(model: BertModel, **inputs: Any) -> np.ndarray:
    model.set_attn_implementation("eager")
    with torch.no_grad():
        weights = torch.cat(model(**inputs, output_attentions=True).attentions).numpy()
    model.set_attn_implementation("sdpa")
    return weights
