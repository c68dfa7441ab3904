"""The tables of docs/inputs.md: every call is run, and its maps are those of one pass over the text."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mha
from tests.models.test_generated import PROMPT, llama, made, names, parts, t5, whole, written

pytestmark = pytest.mark.filterwarnings("ignore")  # transformers warns about masks

DOCUMENT = (Path(__file__).parents[2] / "docs" / "inputs.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \| `(mha\..+?)` \| (.+?) \|$", DOCUMENT, re.MULTILINE)
FLIPPED = PROMPT.flip(1)


def passed(model: Any, ids: torch.Tensor, **inputs: Any) -> Any:
    with torch.no_grad():
        return model(ids, output_attentions=True, **inputs)


def of_pass() -> tuple[dict[str, Any], np.ndarray]:
    """Return names that calls of from_arrays use, and the weights of the text, [layer, head, query, key]."""
    model = llama()
    outputs, mask = passed(model, PROMPT), torch.tensor([[1, 1, 1, 1, 1, 1, 0, 0], [1] * 8])
    ids = torch.cat([PROMPT, torch.zeros_like(PROMPT[:, :2])], dim=1)
    cache = {f"blocks.{n}.attn.hook_pattern": layer for n, layer in enumerate(outputs.attentions)}
    hybrid = {f"blocks.{2 * n + 1}.attn.hook_pattern": layer for n, layer in enumerate(outputs.attentions)}
    named = {
        "outputs": outputs, "hybrid_cache": hybrid, "array": torch.cat(outputs.attentions), "cache": cache,
        "tokens": names(PROMPT[0]),
    }  # fmt: skip
    named |= {"padded_tokens": names(ids[0]), "mask": mask}
    named["padded"] = passed(model, torch.cat([ids, torch.arange(3, 11)[None]]), attention_mask=mask)
    named["batch"] = passed(model, torch.cat([FLIPPED, PROMPT]))
    return named, whole(model, PROMPT[0])


def of_steps(call: str) -> tuple[dict[str, Any], np.ndarray]:
    """Return names that a call of from_generate uses, and the weights of the text that it writes."""
    model = made("MistralForCausalLM", sliding_window=4) if "windowed" in call else llama()
    ids, mask, named = PROMPT, None, {}
    if "batch" in call:
        mask = torch.ones(2, 8, dtype=int)
        mask[0, :2] = 0
        ids = torch.cat([torch.cat([torch.zeros_like(PROMPT[:, :2]), PROMPT], dim=1), torch.arange(3, 11)[None]])
        named["mask"] = mask
    options = {
        "static": {"cache_implementation": "static"},
        "uncached": {"use_cache": False},
        "beams": {"num_beams": 3},
        "several": {"num_return_sequences": 2, "do_sample": True},
        "batch": {"attention_mask": mask},
    }
    name = re.split(r"[\W.]", call.removeprefix("mha.from_generate(").removeprefix("dict("))[0]
    outputs = written(model, ids, **options.get(name, {}))
    sequence = outputs.sequences[1 if name == "several" else 0]
    named |= {name: outputs, "tokens": names(sequence), "padded_tokens": names(sequence)}
    return named, whole(model, sequence[2 if name == "batch" else 0 : -1])


def of_two_sides(call: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return names that a call about an encoder–decoder uses, and its weights by stack."""
    model = t5()
    steps = written(model)
    read = steps.sequences[0, :-1]
    outputs = steps if "generate" in call else passed(model, PROMPT, decoder_input_ids=read[None])
    named = {"two_sided": outputs, "source": names(PROMPT[0]), "layers_of": layers_of}
    stacks = {"encoder_blocks.{}.attn": "encoder", "decoder_blocks.{}.self_attn": "decoder"}
    stacks["decoder_blocks.{}.cross_attn"] = "cross"
    named["two_sided_cache"] = {
        f"{name.format(layer)}.hook_pattern": weights
        for name, stack in stacks.items()
        for layer, weights in enumerate(getattr(outputs, f"{stack}_attentions"))
    }
    named["target"] = names(steps.sequences[0] if "generate" in call else read)
    return named, parts(model, PROMPT[0], read)


def layers_of(cache: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {name: cache[name] for name in cache if name.startswith(prefix)}


def test_document_has_both_tables():
    calls = [call.split("(")[0] for _, call, _ in ROWS]
    assert calls.count("mha.from_arrays") >= 16
    assert calls.count("mha.from_generate") >= 14
    tables = DOCUMENT.partition("## Files on the page")[0]
    rows = [line for line in tables.splitlines() if line.startswith("| ") and not line.startswith("| input")]
    assert len(rows) == len(ROWS), "a row that no test reads"


@pytest.mark.parametrize(("form", "call", "result"), ROWS, ids=[call for _, call, _ in ROWS])
def test_row_of_the_table_is_true(form, call, result):
    if "two_sided" in call:
        named, stacks = of_two_sides(call)
        expected = stacks[result]
    else:
        named, expected = of_pass() if "from_arrays" in call else of_steps(call)
        if "item=0" in call and "from_arrays" in call:
            named["batch"] = named["padded"]
        expected = {"all layers": expected, "one layer": expected[:1], "last rows": expected[:, :, 2:]}[result]
    maps = eval(call, {"mha": mha} | named)  # the document's own text
    np.testing.assert_allclose(maps.weights, expected, atol=2e-6, err_msg=form)
    assert maps.kind == ("cross" if result == "cross" else "self")
    assert maps.causal == (result not in ("cross", "encoder"))
    if "padded" in call or "mask" in call:
        assert [token.raw for token in maps.tokens][:6] == names(PROMPT[0])
