"""The lists that the small models learn from, and their words."""

from __future__ import annotations

from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from torch import Generator, Tensor
from transformers import PreTrainedTokenizerFast

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
    replaced, and the two stand side by side in the first copy.
    """
    nouns = chance.sample(range(FIRST, len(WORDS)), chance.randint(6, 15))
    words, known = list(nouns), [False] * len(nouns)
    before = False  # whether the word before is its piece's own
    while len(words) < LENGTH:
        begin = chance.randrange(len(nouns))
        for place in range(chance.randint(-(-len(nouns) // 2), len(nouns))):
            replaced = chance.random() < BY_CHANCE
            number = (begin + place) % len(nouns)
            words.append(chance.randrange(FIRST, len(WORDS)) if replaced else nouns[number])
            known.append(place > 0 and number > 0 and before and not replaced)
            before = not replaced
    return [WORDS.index(START), *words[:LENGTH]], [False, *known[:LENGTH]]


def backwards(n_lists: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Return lists of one length for the reverser, int64 [list, word + 1], and the same backwards; both end in END."""
    length = _between(SHORTEST, LONGEST, generator)
    nouns = torch.rand(n_lists, len(NOUNS), generator=generator).argsort(dim=1)[:, :length] + FIRST
    end = torch.full((n_lists, 1), WORDS.index(END))
    return torch.cat([nouns, end], dim=1), torch.cat([nouns.flip(1), end], dim=1)


def _between(least: int, most: int, generator: Generator) -> int:
    return int(torch.randint(least, most + 1, (1,), generator=generator))


def own_texts(name: str, count: int = 60, seed: int = 2) -> tuple[str, ...]:
    """Return lists such as a small model learned from, as texts: what is usual for it."""
    chance = Random(seed)
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
