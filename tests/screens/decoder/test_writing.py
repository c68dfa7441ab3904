"""A model that writes on, as it is shown: the copier, and tiny random decoders of several kinds."""

import dataclasses

import numpy as np
import pytest

from mha.intervention.predicting import predict, predict_step
from mha.link.heads import CHANCE, WRITE, HeadsWords
from mha.link.view import View
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.models.files.loading import load_snapshot
from mha.models.watch.generating import generate
from mha.readers.envelope import seal
from mha.screens.blocks import as_text
from mha.screens.decoder import looking_back, next_word
from mha.screens.decoder.writing import MOST_COLUMNS, shown_text, writing_of
from mha.screens.decoder.written import askable_entries
from mha.screens.heads.layouts import with_layout
from mha.screens.heads.overview import overview_of
from mha.screens.shown import shown_for
from tests.models.tiny import THROUGH_THE_INTERFACE, Tiny
from tests.said import texts
from tests.unsealed import unseal

LIST = "river stone lamp bread glass horse paper lamp bread"
ARCHITECTURES = ("GPT2LMHeadModel", "LlamaForCausalLM", "MistralForCausalLM")
GPT2 = Tiny("GPT2LMHeadModel", {"n_embd": 70, "n_layer": 3, "n_head": 10, "n_inner": 23}, "bytes", causal=True)
ROWS = {row.architecture: row for row in (*THROUGH_THE_INTERFACE, GPT2)}


@pytest.fixture(scope="module")
def random(tmp_path_factory):
    made = {}

    def load(architecture):
        if architecture not in made:
            made[architecture] = load_snapshot(ROWS[architecture].save(tmp_path_factory.mktemp(architecture)))
        return made[architecture]

    return load


@pytest.fixture(scope="module")
def copied():
    return generate(LIST, "copier", n_tokens=6)


def written_of(found, row="copier", view=None, **choices):
    row = model_row(row) if isinstance(row, str) else row
    return writing_of(view or View(model="copier"), HeadsWords(prompt=WRITE, **choices), found, row)


def finding(sent, step, head):
    """The sentence as the browser fills it in from what was sent."""
    header, arrays = sent
    place, share, told = arrays["looks"][step, head.layer * header["heads"] + head.head]
    values = {
        "step": step + 1, "steps": header["steps"], "query": header["names"][header["rows"][step]],
        "plain": header["plain"][header["rows"][step]], "key": header["names"][place], "head": str(head),
        "percent": f"{share} %", "mass": "?", "new": header["plain"][header["n_read"] + step],
        "chance": header["chances"][step],
    }  # fmt: skip
    ends = header["ended"] and step == header["steps"] - 1
    template = [*header["say"]["looks"][told], *header["say"]["writes"][1 if ends else 0]]
    return "".join(text for _, text in template).format(**values)


def test_the_copier_opens_with_an_induction_head_and_says_where_it_looks(copied):
    written = written_of(copied)
    assert written.chosen
    assert written.head.layer == 1
    assert written.roles[written.head][0] == "the word after the same word"
    sent = unseal(seal(looking_back.drawing(written)))
    told = finding(sent, 3, written.head)
    assert told.startswith("Step 4 of 6. After paper₂, L1H")
    assert "gives lamp₂ " in told
    assert "of its attention to words. That word came after paper earlier in the text." in told
    assert told.endswith(f"The model writes lamp (probability {round(100 * copied.probabilities[3])}\u00a0%).")
    before = finding(sent, 3, HeadId(0, 1))
    assert "That is the previous word." in before


def test_pins_and_steps_are_taken_where_they_exist(copied):
    written = written_of(copied, view=View(model="copier", pins=(HeadId(0, 2),)), step=2)
    assert (written.head, written.step, written.chosen) == (HeadId(0, 2), 1, False)
    lost = written_of(copied, view=View(model="copier", pins=(HeadId(7, 2),)), step=40)
    assert lost.chosen
    assert 0 <= lost.step < copied.n_steps


def test_columns_carry_shares_of_what_words_get_and_bars_the_rest(copied):
    header, arrays = unseal(seal(looking_back.drawing(written_of(copied))))
    assert header["texts"][0] == "river"
    assert header["say"]["aside"] == "to [START]"
    weights = copied.recording.stacks["self"][:, :, header["rows"][3]].astype(np.float64)
    expected = weights[..., 1:] / weights[..., 1:].sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(arrays["shares"][3] / 100, expected.reshape(8, -1), atol=0.0051)
    np.testing.assert_allclose(arrays["mass"][3] / 100, weights[..., 0].reshape(8), atol=0.0051)
    kept, _ = unseal(seal(looking_back.drawing(written_of(copied, view=View(model="copier", sinks=False)))))
    assert kept["texts"][0] == "[START]"
    assert kept["say"]["aside"] == ""
    assert "of its attention" in as_text(kept["say"]["looks"][0])


def test_the_grid_says_roles_and_who_shares_keys(copied):
    written = written_of(copied)
    shown = shown_for(View(model="copier", units="tokens", pins=()), copied.recording.maps)
    drawing = with_layout(looking_back.with_roles(overview_of(shown, "all", asks=False), written), copied.recording)
    assert drawing.header["groups"] == 2
    assert drawing.header["alone"]
    assert sum("the word after the same word" in text for text in drawing.header["texts"]) >= 2
    assert "no clear pattern" in drawing.header["texts"]
    assert "two neighbouring heads share a key and a value" in as_text(drawing.header["about"])


def test_what_only_reads_says_how_its_heads_are_laid_out(copied, random):
    shown = shown_for(View(model="copier"), copied.recording.maps)
    header = with_layout(overview_of(shown, "all"), copied.recording).header
    assert header["groups"] == 2
    assert "share a key and a value" in as_text(header["about"])
    loaded = random("MistralForCausalLM")
    recording = generate("I saw the man", loaded, n_tokens=2).recording
    near = with_layout(overview_of(shown_for(View(), recording.maps), "all"), recording).header
    assert "sliding window" in as_text(near["about"])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_any_decoder_is_drawn_and_nothing_is_said_that_is_not_so(architecture, random):
    loaded = random(architecture)
    for text, n_tokens, seed in (("I saw the man with the telescope", 9, 3), ("a", 3, None)):
        found = generate(text, loaded, n_tokens=n_tokens, seed=seed)
        written = written_of(found, loaded.row, View(), how=CHANCE, most=n_tokens)
        header, arrays = unseal(seal(looking_back.drawing(written)))
        assert header["texts"]
        assert all(header["texts"])
        for head in found.recording.maps.heads:
            for step in range(found.n_steps):
                told = finding((header, arrays), step, head)
                place, _, case = arrays["looks"][step, head.layer * header["heads"] + head.head]
                row = header["rows"][step]
                assert place <= row or case == looking_back.EMPTY, "nobody looks ahead"
                assert ("itself" in told) == (case == looking_back.ITSELF)
                if case == looking_back.COPY:
                    assert found.tokens[place - 1].text == found.tokens[row].text
                if case == looking_back.BEFORE:
                    assert place == row - 1
        assert f"of {n_tokens} {written.unit}s written" in looking_back.above(written)
        assert as_text(looking_back.stairs_caption(written)).startswith("One row per new")
        windows = "sliding window" in as_text(looking_back.roles_about(written))
        assert windows == (architecture == "MistralForCausalLM")
        assert ("share a key and a value" in as_text(looking_back.roles_about(written))) == (
            architecture != ARCHITECTURES[0]
        )


def test_of_a_long_text_the_last_tokens_have_columns_and_the_rest_is_told(random):
    loaded = random("GPT2LMHeadModel")
    found = generate("the man saw " * 40, loaded, n_tokens=5)
    written = written_of(found, loaded.row, View())
    header, arrays = unseal(seal(looking_back.drawing(written)))
    assert len(header["columns"]) == MOST_COLUMNS == arrays["shares"].shape[-1]
    assert header["columns"][-1] == len(found.tokens) - 1
    assert "are not shown" in as_text(header["say"]["hidden"])
    assert written.unit == "token"


def test_a_chance_below_a_per_cent_is_told_in_words():
    assert looking_back.chance(0.686) == "69\u00a0%"
    assert looking_back.chance(0.003) == "less than 1\u00a0%"


def test_blanks_can_be_seen(copied):
    token = dataclasses.replace(copied.tokens[1], text="\n")
    assert shown_text(token) == "↵"
    assert shown_text(dataclasses.replace(token, text="  ")) == "␣␣"


def test_the_next_word_falls_without_the_head_that_sees_the_word_before(copied):
    all_of_one = tuple(HeadId(1, head) for head in range(4))
    by_head = predict_step(copied, 3, "copier", silenced=all_of_one, each=copied.recording.maps.heads)
    assert next_word.furthest(by_head) == HeadId(0, 1)
    told = texts(next_word.head_by_head_blocks(by_head, 1))
    assert "Probability with one head ablated, and with all 4 of layer 1." in told
    assert "Ablating L0H1 has the largest effect: the probability falls to" in told
    found = predict_step(copied, 3, "copier", silenced=(HeadId(0, 1),))
    told = texts(next_word.likely_blocks(found))
    assert told.startswith("Next word, with and without L0H1")
    assert "(51 words and signs possible). Rings: L0H1 ablated (replaced by the average). lamp falls from" in told
    plain = predict_step(copied, 3, "copier")
    assert "Rings" not in texts(next_word.likely_blocks(plain))
    assert plain.words[0] == "lamp" == found.words[0], "the order is the full model's"
    assert plain.probabilities[0] == pytest.approx(copied.probabilities[3], abs=1e-5)


def test_a_step_is_asked_after_exactly_the_tokens_that_were_written(random):
    loaded = random("GPT2LMHeadModel")
    found = generate("I saw the man", loaded, n_tokens=6, seed=5)
    for step in (0, 5):
        told = predict_step(found, step, loaded, count=100)
        place = told.ids.index(found.ids[found.n_read + step]) if found.ids[found.n_read + step] in told.ids else None
        if place is not None:
            assert told.probabilities[place] == pytest.approx(found.probabilities[step], abs=1e-5)
    assert predict_step(found, 0, loaded).words == predict("I saw the man", loaded).words


@pytest.mark.parametrize("name", ["minilm", "copier", "reverser"])
def test_every_transformer_is_told_what_it_can_be_asked(name):
    entries = {entry["name"]: entry["text"] for entry in askable_entries(model_row(name))}
    assert ("The next word" in entries) == (name == "minilm")
    assert all(entries.values())


def test_columns_run_as_the_text_does(random):
    for text, way in (("הכלב אכל", True), ("the dog", False)):
        found = generate(text, random("GPT2LMHeadModel"), n_tokens=2)
        assert unseal(seal(looking_back.drawing(written_of(found))))[0]["rtl"] is way
