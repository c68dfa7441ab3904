"""A reader of Marian's 8-bit files, and the translation model with a recurrent decoder that they hold.

The architecture is that of transformers' MarianMTModel with one difference: a recurrence without heads, the simpler
simple recurrent unit, replaces the decoder's self-attention (SSRU; Kim et al. 2019, "From Research to Production and
Back: Ludicrously Fast Neural Machine Translation"). Encoder and cross-attention are transformers' own.
"""

import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from tokenizers.processors import TemplateProcessing
from torch import Tensor, nn

from mha.models.files.rows import MAX_TOKENS
from mha.models.imported import MarianConfig, MarianMTModel, PreTrainedTokenizerFast

VERSION = 1  # of the file format
FLOAT, INT8 = 0x404, 0x4101  # the numbers of the types of arrays
END, UNKNOWN, START = "</s>", "<unk>", "<s>"
NEVER = -1e9  # the bias of the start token: with −∞ a mean over the vocabulary would be NaN
LAYER = re.compile(r"(encoder|decoder)_l(\d+)_(\w+)")
PARTS = {  # the end of an array's name in Marian: its name in a layer of transformers
    "rnn_W": "self_attn.cell.weight",
    "rnn_Wf": "self_attn.forget.weight",
    "rnn_bf": "self_attn.forget.bias",
}
for _short, _long in (("W", "weight"), ("b", "bias")):
    PARTS |= {f"ffn_{_short}{number}": f"fc{number}.{_long}" for number in (1, 2)}
    for _block, _attention in (("self", "self_attn"), ("context", "encoder_attn")):
        PARTS |= {f"{_block}_{_short}{part}": f"{_attention}.{part}_proj.{_long}" for part in "qkv"}
        PARTS |= {f"{_block}_{_short}o": f"{_attention}.out_proj.{_long}"}
for _short, _long in (("scale", "weight"), ("bias", "bias")):
    PARTS |= {
        f"self_Wo_ln_{_short}": f"self_attn_layer_norm.{_long}",
        f"rnn_ffn_ln_{_short}": f"self_attn_layer_norm.{_long}",
        f"context_Wo_ln_{_short}": f"encoder_attn_layer_norm.{_long}",
        f"ffn_ffn_ln_{_short}": f"final_layer_norm.{_long}",
    }


def read_arrays(content: bytes) -> dict[str, np.ndarray]:
    """Return the arrays of a Marian file by name, float32; matrices are [d_out, d_in].

    8-bit numbers are divided by the multiplier that follows them. Arrays of other types are left out.

    Raises:
        ValueError: the file is of another version, or ends too early.
    """
    try:
        version, count = struct.unpack_from("<QQ", content)
        if version != VERSION:
            raise ValueError(f"the version of the file is {version}, not {VERSION}")
        headers = [struct.unpack_from("<QQQQ", content, 16 + 32 * number) for number in range(count)]
        offset, names, shapes = 16 + 32 * count, [], []
        for length, *_ in headers:
            names.append(content[offset : offset + length - 1].decode())
            offset += length
        for _, _, n_axes, _ in headers:
            shapes.append(struct.unpack_from(f"<{n_axes}i", content, offset))
            offset += 4 * n_axes
        offset += 8 + struct.unpack_from("<Q", content, offset)[0]  # arrays are aligned
        arrays = {}
        for (_, kind, _, n_bytes), name, shape in zip(headers, names, shapes, strict=True):
            size = int(np.prod(shape))
            if kind == FLOAT:
                arrays[name] = np.frombuffer(content, np.float32, size, offset).copy()  # of its own memory
            elif kind == INT8:
                (multiplier,) = struct.unpack_from("<f", content, offset + size)
                numbers = np.frombuffer(content, np.int8, size, offset) / np.float32(multiplier)
                arrays[name] = numbers.reshape(shape if name == "Wemb" else shape[::-1])  # stored as [d_out, d_in]
            offset += n_bytes
    except struct.error as error:
        raise ValueError("the file ends too early") from error
    return arrays


class Recurrence(nn.Module):
    """The recurrence of one decoder layer: c_t = f_t · c_(t−1) + (1 − f_t) · W x_t; its output is relu(c_t).

    The forget gate is f_t = sigmoid(W_f x_t + b_f). Arguments and results are those of an attention layer; cells are
    cached as keys [batch, 1, token, d_model].
    """

    def __init__(self, d_model: int, layer: int) -> None:
        super().__init__()
        self.layer = layer
        self.cell = nn.Linear(d_model, d_model, bias=False)
        self.forget = nn.Linear(d_model, d_model)

    def forward(self, hidden_states: Tensor, past_key_values: Any = None, **_: Any) -> tuple[Tensor, None]:
        """Return the output for hidden states [batch, token, d_model], and no weights."""
        forget = torch.sigmoid(self.forget(hidden_states))
        added = (1 - forget) * self.cell(hidden_states)
        cache: Any = getattr(past_key_values, "self_attention_cache", None)
        has_past = cache is not None and cache.get_seq_length(self.layer) > 0
        cell = cache.layers[self.layer].keys[:, 0, -1] if has_past else torch.zeros_like(added[:, 0])
        cells = []
        for token in range(added.shape[1]):
            cell = forget[:, token] * cell + added[:, token]
            cells.append(cell)
        states = torch.stack(cells, dim=1)
        if cache is not None:
            cache.update(states[:, None], states[:, None], self.layer)
        return torch.relu(states), None


class RecurrentMarianModel(MarianMTModel):
    """MarianMTModel with a `Recurrence` instead of the self-attention in each decoder layer."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        for number, layer in enumerate(self.model.decoder.layers):
            layer.self_attn = Recurrence(config.d_model, number)


def positions(n_positions: int, d_model: int) -> np.ndarray:
    """Return Marian's position embeddings, float32 [position, d_model]: sines, then cosines.

    The wavelengths grow from 2π to 10,000 · 2π in d_model / 2 equal steps of their logarithm, both ends included.
    """
    half = d_model // 2
    angles = np.arange(n_positions)[:, None] * 10_000.0 ** (-np.arange(half) / (half - 1))  # [position, half]
    return np.hstack([np.sin(angles), np.cos(angles)]).astype(np.float32)


def model_of(arrays: dict[str, np.ndarray], n_heads: int = 8) -> RecurrentMarianModel:
    """Return the model of the arrays of a file, in evaluation mode; every layer has ``n_heads``.

    The start token, which is not in Marian's vocabulary, follows it: its embedding is zero, its bias −1e9.

    Raises:
        KeyError, RuntimeError: arrays are missing, or do not fit each other.
    """
    n_words, d_model = arrays["Wemb"].shape
    embeddings = np.vstack([arrays["Wemb"], np.zeros((1, d_model), np.float32)])  # [vocabulary, d_model]
    bias = np.append(arrays["decoder_ff_logit_out_b"], np.float32(NEVER))[None]
    state = {"model.shared.weight": embeddings, "lm_head.weight": embeddings, "final_logits_bias": bias}
    n_layers = {"encoder": 0, "decoder": 0}
    for name, array in arrays.items():
        match = LAYER.fullmatch(name)
        if match and match[3] in PARTS:
            stack, layer = match[1], int(match[2]) - 1
            n_layers[stack] = max(n_layers[stack], layer + 1)
            state[f"model.{stack}.layers.{layer}.{PARTS[match[3]]}"] = array
    for stack in n_layers:
        state[f"model.{stack}.embed_tokens.weight"] = embeddings
        state[f"model.{stack}.embed_positions.weight"] = positions(MAX_TOKENS, d_model)
    config = MarianConfig(
        vocab_size=n_words + 1,
        d_model=d_model,
        encoder_layers=n_layers["encoder"],
        decoder_layers=n_layers["decoder"],
        encoder_attention_heads=n_heads,
        decoder_attention_heads=n_heads,
        encoder_ffn_dim=len(arrays["encoder_l1_ffn_b1"]),
        decoder_ffn_dim=len(arrays["decoder_l1_ffn_b1"]),
        activation_function="relu",
        scale_embedding=True,
        max_position_embeddings=MAX_TOKENS,
        pad_token_id=n_words,
        decoder_start_token_id=n_words,
        eos_token_id=0,
        forced_eos_token_id=None,
        dropout=0.0,
    )
    with torch.device("meta"):  # its numbers are those of the file
        model = RecurrentMarianModel(config)
    shared = {id(array): torch.from_numpy(array) for array in state.values()}  # one tensor for each array
    model.load_state_dict({name: shared[id(array)] for name, array in state.items()}, assign=True)
    model.tie_weights()
    return model.eval()


def tokenizer_of(file: Path) -> PreTrainedTokenizerFast:
    """Return the tokenizer of a file tokenizer.json, which ends a text with </s> and knows the start token."""
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.post_processor = TemplateProcessing(
        f"$A {END}", f"$A {END} $B {END}", [(END, tokenizer.token_to_id(END))]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        unk_token=UNKNOWN,
        bos_token=START,
        pad_token=START,
        model_max_length=MAX_TOKENS,
        truncation_side="right",
    )
