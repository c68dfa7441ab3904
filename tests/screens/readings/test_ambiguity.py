"""What can be chosen, what cannot, and the sentence for each."""

from dataclasses import replace
from functools import reduce

import pytest

from mha.engine.question import here
from mha.errors import InputError
from mha.link.link import Link
from mha.link.readings import ReadingsWords
from mha.link.sent import filled
from mha.screens.pages import blocks_of
from mha.screens.places import ComponentPicture, every
from mha.screens.readings.choices import carried_over, resolved, with_word, word_labels
from mha.screens.readings.page import guess_choices
from mha.screens.readings.sentence import sentence_spec
from mha.ui.bound import models

DOG = "A dog ate the food because it was hungry."
OWN = "The nurse helped the singer because she was kind"


def test_an_example_brings_its_readings_cue_contrast_kind_and_names():
    found = resolved(DOG, ReadingsWords())
    assert (found.pivot, found.a, found.b, found.cue) == (6, (1,), (4,), 8)
    assert found.contrast.text == "A dog ate the food because it was delicious."
    assert (found.contrast.changed, found.contrast.forces) == ((8,), "B")
    assert found.kind == "pronoun"
    assert found.names == ("the dog was hungry", "the food was hungry")
    assert found.missing is None
    assert [reading.links for reading in found.readings] == [((6, 1),), ((6, 4),)]


def test_the_contrast_ends_as_the_sentence_does():
    assert resolved(DOG.rstrip("."), ReadingsWords()).contrast.text == "A dog ate the food because it was delicious"


def test_equal_words_are_told_apart_by_their_numbers_and_their_places():
    found = resolved("The dog chased the other dog because it was fast", ReadingsWords("7 it", ("1 dog",), ("5 dog",)))
    assert (found.partner("a"), found.partner("b")) == ("dog₁", "dog₂")
    assert found.names == ("it goes with dog₁", "it goes with dog₂")
    looks, _ = guess_choices(found)
    assert looks == ["dog₁", "dog₂", "it depends on the head"]
    third = resolved("it hit it because it broke", ReadingsWords("4 it", ("0 it",), ("2 it",)))
    (key, *_) = sentence_spec(third)["key"]
    assert "".join(text for _, text in key[1]) == "it₃ goes with it₁"


def test_a_kind_without_pairs_is_other():
    assert resolved("The old man the boat", ReadingsWords()).kind == "other"
    assert resolved("The old man the boat", ReadingsWords(kind="attachment")).kind == "attachment"


def test_own_text_asks_for_pivot_then_a_then_b():
    assert resolved(OWN, ReadingsWords()).missing == "pivot"
    assert resolved(OWN, ReadingsWords(pivot="6 she")).missing == "a"
    assert resolved(OWN, ReadingsWords(pivot="6 she", a=("1 nurse",))).missing == "b"
    done = resolved(OWN, ReadingsWords(pivot="6 she", a=("1 nurse",), b=("4 singer",)))
    assert done.missing is None
    assert done.names == ("she goes with nurse", "she goes with singer")
    with pytest.raises(InputError, match="candidate B"):
        _ = resolved(OWN, ReadingsWords(pivot="6 she", a=("1 nurse",))).readings


def test_more_than_one_link_a_reading():
    found = resolved(OWN, ReadingsWords(pivot="6 she", a=("1 nurse", "2 helped"), b=("4 singer",)))
    assert found.readings[0].links == ((6, 1), (6, 2))


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (ReadingsWords(pivot="6 he"), "The ambiguous word “6 he” is no longer at that place. Please choose it again."),
        (ReadingsWords(a=("9 moon",)), "The candidate A “9 moon” is no longer at that place"),
        (ReadingsWords(cue="0 the"), "The deciding word “0 the” is no longer at that place"),
        (ReadingsWords(pivot="1 dog"), "In reading A the ambiguous word and its candidate are the same"),
        (ReadingsWords(a=("4 food",)), "Both readings use “food”. Choose another candidate for B."),
        (ReadingsWords(contrast=DOG), "Both versions are the same. Change one word."),
        (ReadingsWords(contrast="A dog ate."), "The changed version has 3 words and the original 9."),
        (ReadingsWords(contrast="Dogs."), "The changed version has 1 word and the original 9."),
        (
            ReadingsWords(contrast="A cat ate the food because it was tasty."),
            "2 words differ, so a change cannot be traced to one of them.",
        ),
        (ReadingsWords(contrast="..."), "The changed version cannot be used. This text has no words."),
    ],
)
def test_what_cannot_be_has_its_sentence(choices, sentence):
    assert any(sentence in note for note in resolved(DOG, choices).notes)


def test_what_cannot_be_is_not_used():
    assert resolved(DOG, ReadingsWords(pivot="6 he")).missing == "pivot"
    assert resolved(DOG, ReadingsWords(pivot="1 dog")).missing == "a"
    assert resolved(DOG, ReadingsWords(a=("4 food",))).missing == "b"
    assert resolved(DOG, ReadingsWords(contrast=DOG)).contrast is None


@pytest.mark.parametrize(
    ("text", "contrast", "in_place"),
    [
        (DOG, DOG.replace("hungry", "tasty"), True),
        (DOG, DOG.replace("ate", "cooked"), False),  # before the pronoun
        ("Because it was hungry, a dog ate the food.", "Because it was hungry, a cat ate the food.", False),
        (OWN, OWN.replace("she", "he"), True),
        (OWN, OWN.replace("kind", "ill"), True),  # of a pronoun, for he and she stays
        ("I saw the man with the telescope", "I saw the man with the beard", True),
        ("I saw the man with the telescope", "I heard the man with the telescope", False),
    ],
)
def test_a_change_is_in_place_where_control_swaps_of_its_kind_are(text, contrast, in_place):
    """The candidate of the sentence that begins with its reason stands behind the pronoun."""
    of = {
        OWN: ReadingsWords(pivot="6 she", a=("1 nurse",), b=("4 singer",)),
        "Because it was hungry, a dog ate the food.": ReadingsWords(pivot="1 it", a=("5 dog",), b=("8 food",)),
    }
    choices = replace(of.get(text, ReadingsWords()), contrast=contrast)
    assert resolved(text, choices).changed_in_place == in_place


def test_none_leaves_the_examples_cue_and_contrast_out():
    found = resolved(DOG, ReadingsWords(cue="none", contrast="none"))
    assert found.cue is None
    assert found.contrast is None


def test_a_typed_contrast_in_one_word_gives_the_cue():
    chosen = ReadingsWords(pivot="6 she", a=("1 nurse",), b=("4 singer",), contrast=OWN.replace("kind", "ill"))
    assert resolved(OWN, chosen).cue == 8


def test_an_edit_keeps_words_that_stay_in_their_place_and_says_what_is_gone():
    before = resolved(DOG, ReadingsWords())
    kept, lost = carried_over(before, ReadingsWords(), "A cat ate the food because it was hungry.")
    other = "A cat ate the food because it was delicious."
    assert kept == ReadingsWords("6 it", (), ("4 food",), "8 hungry", other, None, "B", "starving", "tasty")
    assert lost == ("The candidate A “1 dog” is no longer at that place. Please choose it again.",)


def test_another_example_brings_its_own():
    assert carried_over(
        resolved(DOG, ReadingsWords()), ReadingsWords(pivot="6 it"), "I saw the man with the telescope"
    ) == (
        ReadingsWords(),
        (),
    )


def test_with_word():
    assert with_word(DOG, 8, "tasty") == "A dog ate the food because it was tasty."
    with pytest.raises(InputError, match="no word 9"):
        with_word(DOG, 9, "x")
    with pytest.raises(InputError, match="Type a word to put in its place"):
        with_word(DOG, 1, " ")


def test_labels_number_words_from_zero_and_leave_punctuation_out():
    assert word_labels("No, no.") == ["0 No", "1 no"]


def test_an_edit_that_breaks_the_marks_has_one_message_not_four():
    kept, lost = carried_over(resolved(DOG, ReadingsWords()), ReadingsWords(), "Visiting relatives can be boring")
    assert kept == ReadingsWords()
    assert lost == (
        "The ambiguous word “6 it”, the candidate A “1 dog”, the candidate B “4 food” and the deciding word “8 hungry” "
        "are no longer at that place. Please choose them again.",
    )
    notes = resolved(
        "Visiting relatives can be boring", ReadingsWords("6 it", ("1 dog",), ("4 food",), "8 hungry")
    ).notes
    assert len(notes) == 1
    assert notes[0].endswith("are no longer at that place. Please choose them again.")


def test_the_kind_of_own_text_is_guessed_and_can_be_changed():
    chosen = ReadingsWords(pivot="6 she", a=("1 nurse",), b=("4 singer",))
    found = resolved(OWN, chosen)
    assert (found.kind, found.guessed) == ("pronoun", True)
    assert (resolved(OWN, replace(chosen, kind="other")).kind, resolved(DOG, ReadingsWords()).guessed) == (
        "other",
        False,
    )
    assert resolved(OWN, replace(chosen, contrast=OWN.replace("she", "he"))).kind == "he/she"


def test_what_a_typed_contrast_forces_is_said_by_the_reader_only():
    typed = replace(ReadingsWords(), contrast=DOG.replace("hungry", "late"))
    assert resolved(DOG, typed).contrast.forces is None
    assert resolved(DOG, replace(typed, forces="B")).contrast.forces == "B"
    assert resolved(DOG, replace(typed, contrast=DOG.replace("hungry", "expensive"))).contrast.forces == "B"
    assert resolved(DOG, replace(typed, contrast=DOG.replace("hungry", "delicious"), forces="A")).contrast.forces == "A"


def test_an_example_brings_second_words_and_the_reader_may_give_others():
    assert resolved(DOG, ReadingsWords()).seconds == ("starving", "tasty")
    assert resolved(DOG, ReadingsWords(word_a="none", word_b="sweet")).seconds == ("", "sweet")
    assert resolved(DOG, ReadingsWords(contrast=DOG.replace("hungry", "tasty"))).seconds == ("starving", "delicious")
    assert resolved(DOG, ReadingsWords(contrast=DOG.replace("hungry", "late"))).seconds == ("", "")
    assert resolved(DOG, ReadingsWords(contrast="none")).seconds == ("", "")


@pytest.mark.parametrize(
    ("second", "sentence"),
    [
        ("Hungry", "“Hungry” is already in use. Give another word."),
        ("delicious", "“delicious” is already in use. Give another word."),
        ("very sweet", "“very sweet” is not one word. Please type one word."),
        ("...", "“...” is not one word. Please type one word."),
        ("tasty, and", "“tasty, and” is not one word. Please type one word."),
    ],
)
def test_a_second_word_that_cannot_be_is_left_out_with_a_sentence(second, sentence):
    found = resolved(DOG, ReadingsWords(word_b=second))
    assert found.seconds == ("starving", "")
    assert sentence in found.notes
    assert resolved(DOG, ReadingsWords(word_a="tasty", word_b="Tasty")).seconds == ("tasty", "")


@pytest.mark.parametrize(
    ("text", "choices", "prompt"),
    [
        (OWN, ReadingsWords(), "Which word is ambiguous? Click it. Often it is she."),
        ("Kids make nutritious snacks", ReadingsWords(), "Which word is ambiguous? Click it."),
        (
            "Kids eat soup with it",
            ReadingsWords(),
            "Which word is ambiguous? Click it. Often it is it or the noun",
        ),
        (OWN, ReadingsWords(pivot="6 she"), "Which word could she refer to? Click candidate A."),
        (OWN, ReadingsWords(pivot="6 she", a=("1 nurse",)), "Which other word could it refer to? Click candidate B."),
        (
            "He saw the cat that ran",
            ReadingsWords(pivot="4 that"),
            "Which word could that describe? Click candidate A.",
        ),
        ("It rained", ReadingsWords(pivot="0 It"), "Two readings need at least three words: an ambiguous word and two"),
    ],
)
def test_prompts_fit_the_pivot(text, choices, prompt):
    assert "".join(span[1] for span in sentence_spec(resolved(text, choices))["prompt"]).startswith(prompt)


def test_a_click_on_a_word_gives_it_the_role_that_the_browser_names():
    link, _ = Link.read("readings", models())
    link = link.with_(text=DOG)
    pictures = (one for one in every(blocks_of(link, here)) if isinstance(one, ComponentPicture))
    offered = next(one for one in pictures if one.name == "ambiguity").on["role"]
    for role, word, chosen in (("pivot", 6, "6 it"), ("a", 4, ("4 food",)), ("b", 1, ("1 dog",)), ("cue", 2, "2 ate")):
        after = reduce(lambda link, act: act.after(link), filled(offered, {"role": role, "word": word}), link)
        assert getattr(after.own, role) == chosen
    assert filled(offered, {"role": "ambiguous word", "word": 6}) == ()
