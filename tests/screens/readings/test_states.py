"""Which state each tab is in, and what it says there: from a sentence to its blocks, without a page."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mha import engine
from mha.engine import experiments
from mha.errors import AttentionUnavailable, InputError
from mha.link.readings import Choices
from mha.link.view import View
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.screens.blocks import as_data
from mha.screens.readings.ambiguity import resolved
from mha.screens.readings.carried import carry_blocks
from mha.screens.readings.case import Case, foot_said, ranked
from mha.screens.readings.doorway import door_blocks, doorway
from mha.screens.readings.look import looking, top_blocks, two_heads_blocks
from mha.screens.readings.sweep import head_sets, kept, silenced_block, steer_blocks, turned
from mha.screens.readings.two_versions import measured
from tests.said import texts

DOG = "A dog ate the food because it was hungry."
TELESCOPE = "I saw the man with the telescope"


def case(text=DOG, choices=Choices(), model="minilm", **view) -> Case:  # noqa: B008
    maps = engine.record(engine.Request(text, model)).maps
    return Case(View(text=text, model=model, **view), resolved(text, choices), maps, model_row(model))


def kinds(blocks) -> list[str]:
    return [block.kind for block in blocks]


def test_a_story_where_its_rule_finds_heads():
    this = measured(case())
    blocks = carry_blocks(this)
    json.dumps(as_data(blocks), allow_nan=False)
    assert "Three heads of layer 2 look from it to the word that was changed." in texts(blocks)
    assert kinds(blocks).index("story") < kinds(blocks).index("carried_map")
    assert this.carrying == (HeadId(2, 1), HeadId(2, 8), HeadId(2, 3))


def test_heads_that_carry_without_a_story():
    this = replace(measured(case()), story=None)
    said = texts(carry_blocks(this))
    assert "carry the difference." in said
    assert "No two-step story can be told here" in said


def test_no_head_carries_where_the_pivot_itself_changes():
    this = measured(case(TELESCOPE))
    assert "No head carries the difference." in texts(carry_blocks(this))
    assert this.carrying == ()


def test_a_difference_that_no_head_could_carry():
    this = measured(case(TELESCOPE))
    this = replace(this, patch=replace(this.patch, carried=np.full_like(this.patch.carried, np.nan)))
    assert "there is no difference to be carried" in texts(carry_blocks(this))


def test_versions_that_cannot_be_patched_offer_the_word_of_the_example():
    this = measured(case(choices=Choices(contrast=DOG.replace("hungry", "tasty"))))
    blocks = carry_blocks(this)
    assert "Patching needs versions of equal length in tokens." in texts(blocks)
    (buttons,) = (block for block in blocks if block.kind == "buttons")
    assert buttons.buttons[0].text == "Use “delicious” instead"
    assert kinds(blocks).index("heading") < kinds(blocks).index("carried_map")
    assert this.carrying == ()


def test_a_toy_is_not_patched():
    with pytest.raises(AttentionUnavailable, match="cannot be taken from another version"):
        measured(case(model="toy"))


@pytest.mark.parametrize(("model", "tasty"), [("minilm", "Use “tasty”, two tokens"), ("toy", "Use “tasty”")])
def test_without_a_contrast_there_is_a_doorway(model, tasty):
    door = doorway(case(choices=Choices(contrast="none"), model=model))
    (buttons,) = (block for block in door_blocks(door) if block.kind == "buttons")
    assert buttons.buttons[-1].text == tasty
    assert door.acts[buttons.buttons[-1].act] == "tasty"


def leaning_of(this: Case):
    return experiments.leaning(this.ambiguity.text, this.ambiguity.readings, this.row.name)


def test_a_sentence_that_no_head_separates_has_ways_on_only_without_a_contrast():
    for contrast, verdict in (("none", "No head separates these readings here."), ("", "No head leans further here")):
        this = case(TELESCOPE, Choices(contrast=contrast))
        looks = looking(this.ambiguity, this.maps, leaning_of(this), (None, None))
        blocks = top_blocks(looks, experiments.calibration_of_kind("attachment"))
        assert texts(blocks).startswith(verdict)
        assert ("ways" in kinds(blocks)) == (contrast == "none")


def test_the_chosen_head_is_drawn_in_its_place():
    this = case()
    looks = looking(this.ambiguity, this.maps, leaning_of(this), (HeadId(2, 8), None))
    (columns,) = two_heads_blocks(looks)
    assert [column[0].name for column in columns.columns] == ["L2H8", "L5H6"]
    assert "".join(piece["text"] for piece in columns.columns[0][1].pieces) == DOG.replace(" ", "")


def test_sets_of_heads_that_can_be_silenced():
    this = case(pins=(HeadId(0, 1),))
    lean = leaning_of(this).here
    sets = head_sets(this, lean, 5)
    assert list(sets)[:3] == ["the five that lean furthest to A", "the pinned heads", "all of layer 0"]
    assert sets["the pinned heads"] == (HeadId(0, 1),)
    assert len(sets) == 2 + 5 + 60
    assert "No head is pinned." in texts([silenced_block(this, (), "its mean", experiments.LINK_MARGIN)])


def test_what_is_kept_only_where_heads_are_known_to_carry():
    assert "Those that carry it: L2H1, L2H8 and L2H3 silenced" in texts(
        kept(case(), "its mean", experiments.LINK_MARGIN)
    )
    for unknown in (case(TELESCOPE), case(choices=Choices(contrast="none"))):
        assert kept(unknown, "its mean", experiments.LINK_MARGIN) == []


def test_one_head_turned_beside_the_others_of_its_layer():
    this = turned(case(), HeadId(2, 8), experiments.LINK_MARGIN)
    line, said = steer_blocks(this, 2.0)
    assert [version.word for version in line.versions] == ["hungry", "delicious"]
    assert line.versions[0].others.shape == (11, 7)
    assert "At 0 the two versions are 0.12 apart" in texts(said)


def test_a_word_that_was_cut_away_has_its_sentence():
    with pytest.raises(InputError, match="was cut away: this model reads only the first"):
        case("😀 " * 600 + "it ate", Choices("600 it", ("601 ate",), ("0 😀",)))


def test_heads_are_ranked_with_those_unmeasured_last():
    values = np.array([[0.1, np.nan, 0.3], [0.3, -0.2, 0.0]])
    assert ranked(values, 2) == (HeadId(0, 2), HeadId(1, 0))
    assert ranked(values)[-1] == HeadId(0, 1)


def test_the_foot_says_the_even_share_of_this_sentence():
    said = "".join(span[1] for span in foot_said(case()))
    assert "6 layers × 12 heads. Lean: attention exchanged by pivot and partner" in said
    assert "would give (11 %)" in said
