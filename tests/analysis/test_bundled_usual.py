"""The bundled habit is that of the live model, and what it makes of sentences that were not used to find the rule."""

import dataclasses

import pytest

import mha
from mha.analysis.opening import opening
from mha.analysis.usual import bundled, habit

SUITCASE = "The trophy would not fit in the suitcase because it was too big"


def suggestion(text: str) -> tuple[mha.Reading, ...]:
    """Return the readings that the shape of a text suggests, also of an example; () without a suggestion."""
    return next((proposal.readings for proposal in mha.propose(text)), ())


def opened(text: str) -> tuple[str, ...] | None:
    """Return the word that the opening heads are about and the words it is joined with; None if there is none."""
    maps = mha.attend(text).merged()
    found = opening(maps, suggestion(text))
    if found.word is None:
        return None
    ends = [next(place for place in look if place != found.word) for look in found.looks]
    return tuple(maps.tokens[place].text for place in (found.word, *ends))


def test_the_habit_belongs_to_these_weights_alone():
    maps = mha.attend("Red apples")
    assert bundled(maps) is habit("minilm")
    assert bundled(dataclasses.replace(maps, origin="scrambled twin")) is None
    assert bundled(mha.attend("Red apples", "toy")) is None


@pytest.mark.parametrize(
    ("text", "word", "looks"),
    [
        ("Visiting relatives can be boring", "Visiting", {(5, 2): ("relatives", 0.55), (0, 1): ("boring", 0.49)}),
        ("They are hunting dogs", "They", {(5, 11): ("dogs", 0.74), (5, 4): ("hunting", 0.66)}),
        (SUITCASE, "it", {(3, 1): ("trophy", 0.53), (0, 6): ("suitcase", 0.45)}),
        ("The clerk thanked the guest because he waited", "he", {(2, 5): ("clerk", 0.41), (5, 4): ("guest", 0.38)}),
        ("The chicken is ready to eat", "eat", {(5, 11): ("chicken", 0.92), (5, 9): ("ready", 0.69)}),
    ],
)
def test_the_sentences_by_which_the_rule_was_found(text, word, looks):
    maps = mha.attend(text).merged()
    found = opening(maps, suggestion(text))
    assert maps.tokens[found.word].text == word
    keys = [key for _, key in found.looks]
    seen = zip(found.heads, keys, found.weights, strict=True)
    assert {tuple(head): (maps.tokens[key].text, round(weight, 2)) for head, key, weight in seen} == looks
    with_stop = opened(f"{text}.")
    assert (with_stop[0], set(with_stop[1:])) == (word, {key for key, _ in looks.values()})


LONG = (
    "When the committee finally met on Thursday afternoon to discuss the proposal that the engineers had sent "
    "three weeks earlier, the chairman, who had not read a single page of it, asked whether anybody could "
    "summarise the main argument, and after a long and rather embarrassing silence the youngest member stood up, "
    "opened her notebook, and explained in a few clear sentences why the old bridge would have to be closed "
    "before the winter storms arrived and how much money the town would save if it built a new one instead of "
    "repairing it again."
)
# Forty sentences written before the rule was tried on any of them, and what it found: two words looked at from one,
# in the order of the text.
HELD_OUT = {
    "Who wrote the letter that arrived yesterday?": "wrote letter arrived",
    "Do penguins have knees?": None,
    "Where can I buy cheap tickets for the concert tonight?": "concert buy tickets",
    "Is this the bag you were looking for?": "for bag looking",
    "My grandmother bakes apple pies every Sunday.": "Sunday grandmother apple",
    "The bus was late, so we walked home in the snow.": "in bus snow",
    "Nobody in the office knew how to fix the printer.": "in office printer",
    "We adopted a puppy from the shelter last winter.": "shelter adopted puppy",
    "Her phone fell into the lake while she was fishing.": "lake phone fishing",
    "Anna told Maria that she needed a haircut.": "she Anna Maria",
    "The truck passed the bicycle because it was faster.": "it truck bicycle",
    "The soldiers shot at the women and they fell.": "they soldiers women",
    "We saw her duck.": "her saw duck",
    "The horse raced past the barn fell.": "horse barn fell",
    "Squad helps dog bite victim.": "victim Squad dog",
    "Tomorrow": None,
    "Bananas!": None,
    "Good morning": None,
    "Red apples.": None,
    "Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo.": None,
    "no no no no no": None,
    "A rose is a rose is a rose.": None,
    "That that is is that that is not is not.": None,
    "In 1969 Neil Armstrong walked on the moon.": "on 1969 moon",
    "The total was 45 dollars and 30 cents.": "30 45 dollars",
    "Angela Merkel met Barack Obama in Hannover.": "Hannover met Obama",
    "7 + 5 = 12": "7 5 12",
    "Apples, oranges, pears, grapes and a melon.": "pears Apples melon",
    "passport, toothbrush, charger, socks": "socks toothbrush charger",
    "Quarterly report: sales up, profits down": "profits Quarterly sales",
    '"Where is the captain?" asked the sailor.': None,
    "She whispered, 'don't open the red door'.": "open whispered door",
    "Der Hund jagt die Katze durch den Garten.": "die Der Garten",
    "Le chat dort sur la table de la cuisine.": "table chat cuisine",
    "El niño come una manzana roja.": "una El niño",
    "我昨天在图书馆看书。": "图 我 天",
    "for i in range(10): print(i)": "i range(10 print(i",
    "SELECT name FROM users WHERE age > 30;": "age name 30",
    "lol idk what ur talking about tbh": "ur lol tbh",
    LONG: "of sentences closed",
}
NO_CONTENT = {"have", "her", "is", "not", "Der", "El"}  # judged by hand, in what was found


def test_sentences_that_were_held_out_open_with_two_words_looked_at_from_one():
    found = {text: opened(text) for text in HELD_OUT}
    assert {text: words and " ".join(words) for text, words in found.items()} == HELD_OUT
    opening_ones = [words for words in found.values() if words]
    assert (len(found), len(opening_ones)) == (40, 30)
    assert sum(not NO_CONTENT & set(words[1:]) for words in opening_ones) == 28
