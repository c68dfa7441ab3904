"""The models that people ask for first: what each is good for, and whether it is here.

A row offers nothing and fetches nothing. No commit could be looked up where this list was written: it is resolved when
a model is fetched, and the folder is named by it. Licences and sizes are as they were remembered, which is said beside
them; the model's own page on the hub has the last word.
"""

from __future__ import annotations

from typing import NamedTuple

from mha.models.files.hub import kept


class WantedModel(NamedTuple):
    """One model of the hub: its id, licence, kind, size in MB, and what it is good for.

    ``hindrance`` says in one sentence why fetching it alone does not do.
    """

    name: str
    licence: str
    kind: str
    megabytes: int
    good_for: str
    hindrance: str = ""

    @property
    def command(self) -> str:
        """The one command that brings it."""
        return f"python -m mha.models {self.name}"

    @property
    def resolved(self) -> str:
        """The commit that everything needed was fetched of, "" where it is not here; no network is asked."""
        folder = kept(self.name)
        return "" if folder is None else folder.name


NOT_LOOKED_UP = "Licence and size are from memory, not looked up; the commit is resolved when it is fetched."
GATED = (
    "Its licence has to be accepted on the hub first; no token is sent from here, so name a folder that you fetched."
)
SLOW = "Its tokenizer may come without the tokenizer.json that is needed here; then name a folder that has one."

WANTED: tuple[WantedModel, ...] = (
    WantedModel("google-bert/bert-base-uncased", "Apache-2.0", "masked", 440, "what most papers on heads looked at"),
    WantedModel("google-bert/bert-base-multilingual-cased", "Apache-2.0", "masked", 714, "104 languages, many scripts"),
    WantedModel("distilbert/distilbert-base-uncased", "Apache-2.0", "masked", 268, "BERT in six layers"),
    WantedModel("FacebookAI/roberta-base", "MIT", "masked", 499, "byte-level pieces, no sentence pairs"),
    WantedModel(
        "answerdotai/ModernBERT-base", "Apache-2.0", "masked", 599, "8,192 tokens, sliding windows, rotary positions"
    ),
    WantedModel("openai-community/gpt2", "MIT", "decoder", 548, "induction heads, and a first token that rests much"),
    WantedModel("distilbert/distilgpt2", "Apache-2.0", "decoder", 353, "GPT-2 in six layers"),
    WantedModel("EleutherAI/pythia-70m", "Apache-2.0", "decoder", 166, "a decoder in six layers, trained in the open"),
    WantedModel("EleutherAI/pythia-160m", "Apache-2.0", "decoder", 375, "twelve layers, the same data"),
    WantedModel("Qwen/Qwen3-0.6B", "Apache-2.0", "decoder", 1503, "grouped queries, many languages"),
    WantedModel("HuggingFaceTB/SmolLM2-135M", "Apache-2.0", "decoder", 269, "a small Llama with grouped queries"),
    WantedModel(
        "google/gemma-3-270m", "Gemma", "decoder", 536, "sliding windows and norms on q and k", hindrance=GATED
    ),
    WantedModel("google-t5/t5-small", "Apache-2.0", "encoder–decoder", 242, "cross-attention, position biases"),
    WantedModel("facebook/bart-base", "Apache-2.0", "encoder–decoder", 558, "cross-attention of six layers"),
    WantedModel(
        "Helsinki-NLP/opus-mt-en-de", "CC-BY-4.0", "encoder–decoder", 298, "translation alignment", hindrance=SLOW
    ),
)


def listing() -> str:
    """Return the table of `WANTED` as lines of text: what is here, and the command that brings the rest."""
    lines = []
    for row in WANTED:
        resolved = row.resolved
        state = f"here, commit {resolved}" if resolved else f"not here: {row.command}"
        lines.append(
            f"{row.name}  {row.kind}, {row.licence}, about {row.megabytes:,} MB. For: {row.good_for}.\n    {state}"
        )
        lines += [f"    {line}" for line in (NOT_LOOKED_UP, row.hindrance) if line]
    return "\n".join(lines)
