"""The lists that the two small models learn from, training them, writing them as snapshots that load as any other."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from torch import Generator, Tensor
from torch.nn import functional
from torch.optim.lr_scheduler import OneCycleLR
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

NOUNS: list[str] = """
    apple bell boat bread bridge bucket butter candle castle chair cloud coin cup door drum feather
    fish flag flower garden glass hammer hat horse house key kite lamp leaf letter map mirror
    moon mountain needle paper pear pencil river rope salt ship shoe spoon star stone table tree
""".split()  # noqa: SIM905
START, END, UNKNOWN = "[START]", "[END]", "[UNK]"
WORDS = [START, END, UNKNOWN, *NOUNS]
FIRST = len(WORDS) - len(NOUNS)  # the first noun's number

LENGTH = 39  # words of a list to be gone on with
BY_CHANCE = 0.12  # of them are replaced
SHORTEST, LONGEST = 4, 12  # words of a list to be written backwards


def repeating(chance: Random) -> tuple[list[int], list[bool]]:
    """Return one list for the copier with the start in front, 40 numbers, and which of them could be known.

    6 to 15 different nouns, then pieces of half to whole length of them from a random place, wrapping round; behind the
    first copy each word is replaced by chance with 12 %. A word could be known if neither it nor the word before it was
    replaced, and the two are neighbours in the first copy.
    """
    nouns = chance.sample(range(FIRST, len(WORDS)), chance.randint(6, 15))
    words, is_known = list(nouns), [False] * len(nouns)
    was_own = False  # whether the word before is its piece's own
    while len(words) < LENGTH:
        begin = chance.randrange(len(nouns))
        for place in range(chance.randint(-(-len(nouns) // 2), len(nouns))):
            replaced = chance.random() < BY_CHANCE
            number = (begin + place) % len(nouns)
            words.append(chance.randrange(FIRST, len(WORDS)) if replaced else nouns[number])
            is_known.append(place > 0 and number > 0 and was_own and not replaced)
            was_own = not replaced
    return [WORDS.index(START), *words[:LENGTH]], [False, *is_known[:LENGTH]]


def backwards(n_lists: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Return lists of one length for the reverser, int64 [list, word + 1], and the same backwards; both end in END."""
    length = int(torch.randint(SHORTEST, LONGEST + 1, (1,), generator=generator))
    nouns = torch.rand(n_lists, len(NOUNS), generator=generator).argsort(dim=1)[:, :length] + FIRST
    end = torch.full((n_lists, 1), WORDS.index(END))
    return torch.cat([nouns, end], dim=1), torch.cat([nouns.flip(1), end], dim=1)


def usual_lists(name: str) -> tuple[str, ...]:
    """Return sixty lists such as a small model learned from, as texts: the sample texts of the model."""
    chance, count = Random(2), 60
    if name == "reverser":
        return tuple(" ".join(chance.sample(NOUNS, chance.randint(SHORTEST, LONGEST))) for _ in range(count))
    return tuple(" ".join(WORDS[number] for number in repeating(chance)[0][1:]) for _ in range(count))


def tokenizer(template: str, folder: Path) -> None:
    """Write a tokenizer of whole words in lower case that puts the template's signs around a text."""
    words = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token=UNKNOWN))
    words.normalizer = normalizers.Lowercase()
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    signs = [(sign, WORDS.index(sign)) for sign in (START, END) if sign in template]
    words.post_processor = processors.TemplateProcessing(single=template, pair=f"{template} $B:1", special_tokens=signs)
    PreTrainedTokenizerFast(
        tokenizer_object=words,
        bos_token=START,
        eos_token=END,
        unk_token=UNKNOWN,
        pad_token=END,
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)


BATCH = 64
SIGNS: dict[str, Any] = {
    "bos_token_id": WORDS.index(START),
    "eos_token_id": WORDS.index(END),
    "pad_token_id": WORDS.index(END),
}
OUTPUT_PRICE = 0.015  # for the length of each head's rows of W_O: heads that do nothing fade, roles become plain


def copier(seed: int = 0, steps: int = 1200) -> LlamaForCausalLM:
    """Return a decoder of 2 layers × 4 heads (2 groups) that goes on with lists that repeat themselves.

    AdamW with a one-cycle rate, the cross-entropy of every word, and a price for the length of each head's W_O. Without
    words by chance in the lists it would count instead of looking.
    """
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(WORDS),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=128,
        max_position_embeddings=128,
        rope_parameters={"rope_type": "default", "rope_theta": 100.0},
        initializer_range=0.05,
        use_cache=False,
        **SIGNS,
    )
    model = LlamaForCausalLM(config)
    chance = Random(seed)

    def loss() -> Tensor:
        lists = torch.tensor([repeating(chance)[0] for _ in range(BATCH)])  # [list, word]
        logits = model(input_ids=lists[:, :-1]).logits
        outputs = [layer.self_attn.o_proj.weight.unflatten(1, (4, -1)) for layer in model.model.layers]
        price = sum(output.square().sum(dim=(0, 2)).add(1e-12).sqrt().sum() for output in outputs)
        return functional.cross_entropy(logits.flatten(0, 1), lists[:, 1:].flatten()) + OUTPUT_PRICE * price

    return _train(model, loss, steps, 5e-3, (0.9, 0.98))


def reverser(seed: int = 0, steps: int = 1500) -> BartForConditionalGeneration:
    """Return an encoder–decoder of 2 + 2 layers × 4 heads that writes a list of different nouns backwards."""
    torch.manual_seed(seed)
    config = BartConfig(
        vocab_size=len(WORDS),
        d_model=64,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=32,
        dropout=0.0,
        init_std=0.1,
        use_cache=False,
        decoder_start_token_id=WORDS.index(START),
        forced_eos_token_id=None,
        **SIGNS,
    )
    model = BartForConditionalGeneration(config)
    generator = Generator().manual_seed(seed)

    def loss() -> Tensor:
        source, target = backwards(BATCH, generator)
        decoder_input = torch.cat([torch.full_like(target[:, :1], WORDS.index(START)), target[:, :-1]], dim=1)
        logits = model(input_ids=source, decoder_input_ids=decoder_input).logits
        return functional.cross_entropy(logits.flatten(0, 1), target.flatten())

    return _train(model, loss, steps, 2e-3, (0.9, 0.999))


def _train(model: Any, loss: Callable[[], Tensor], steps: int, rate: float, betas: tuple[float, float]) -> Any:
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, betas=betas, weight_decay=0.01)
    schedule = OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.1)
    model.train()
    for _ in range(steps):
        optimizer.zero_grad()
        loss().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return model.eval()


def write(model: PreTrainedModel, template: str, folder: Path) -> None:
    """Write a snapshot; its numbers are float16 in the file (half its size) and float32 once they are loaded."""
    folder.mkdir(parents=True, exist_ok=True)
    tied = getattr(model, "all_tied_weights_keys", None) or {}
    numbers = {
        name: tensor.detach().to(torch.float16).contiguous()
        for name, tensor in model.state_dict().items()
        if name not in tied
    }
    save_file(numbers, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)
    config = model.config.to_dict() | {"architectures": [type(model).__name__], "dtype": "float32"}
    (folder / "config.json").write_text(json.dumps(config, indent=1, sort_keys=True, default=str) + "\n")
    tokenizer(template, folder)


def copied(model: LlamaForCausalLM, n_lists: int = 512, seed: int = 1) -> float:
    """Return the share of right words in unseen lists, of the predictable words."""
    chance = Random(seed)
    lists, is_known = (torch.tensor(parts) for parts in zip(*(repeating(chance) for _ in range(n_lists)), strict=True))
    with torch.inference_mode():
        output = model(input_ids=lists[:, :-1]).logits.argmax(dim=-1)
    right = (output == lists[:, 1:])[is_known[:, 1:]]
    return float(right.float().mean())


def reversed_right(model: BartForConditionalGeneration, rounds: int = 9, seed: int = 1) -> float:
    """Return how many unseen lists are written backwards without a mistake, each word given those before it."""
    generator = Generator().manual_seed(seed)
    return sum(_round(model, generator) for _ in range(rounds)) / rounds


def _round(model: BartForConditionalGeneration, generator: Generator) -> float:
    source, target = backwards(BATCH, generator)
    decoder_input = torch.cat([torch.full_like(target[:, :1], WORDS.index(START)), target[:, :-1]], dim=1)
    with torch.inference_mode():
        output = model(input_ids=source, decoder_input_ids=decoder_input).logits.argmax(dim=-1)
    return float((output == target).all(dim=1).float().mean())


class Small(NamedTuple):
    """One of the models: the signs around its texts, how it is trained, and how often it is right."""

    template: str
    train: Callable[[], Any]
    right: Callable[[Any], float]


MODELS = {
    "copier": Small(f"{START} $A", copier, copied),
    "reverser": Small(f"$A {END}", reverser, reversed_right),
}
