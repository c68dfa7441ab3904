"""The heads that a page opens with without a choice, and the word that they have in common."""

from typing import NamedTuple

import numpy as np

from mha.analysis.proposals import propose
from mha.analysis.readings import Readings, link_positions
from mha.analysis.usual import DISTANT, Habit, bundled, column, distant_pairs, word_looks
from mha.examples import example_for
from mha.maps import AttentionMaps, HeadId, Reading, Recording, maps_of, parts, readings_of
from mha.memo import memoise
from mha.words import words

SMALLEST_RISE = 0.1  # how far above its reference a connection must lie; without readings, times the rarity of its key
FAMILIAR = (
    0.75  # of a head's usual largest share: at 1 sentences pass the control less often, at 0 few heads are chosen
)
COMMON = 1 / 50  # a word in more sentences than this counts less, in proportion
GRAMMAR = 1 / 20  # a word of grammar counts as at least so common: three hundred sentences lack "does" and "you"
N_SENTENCES = 300  # of `mha.pairs.corpus`
IN_SENTENCES = {  # how many of them contain a word, where it is more common than that
    "the": 281, "and": 64, "was": 56, "with": 51, "it": 41, "a": 39, "in": 37, "because": 33, "of": 30, "on": 26,
    "he": 24, "she": 20, "to": 18, "met": 9, "boy": 8, "old": 7,
}  # fmt: skip
POSITIONAL = 0.4  # share of a head's attention to words from which on a position names the head (`mha.analysis.roles`)

GRAMMAR_WORDS = frozenset(
    words(
        """
        a an the this that these those some any no all both each every either neither another other such many much more
        most few less least i you he she it we they me him her us them my your his its our their mine yours ours theirs
        myself yourself himself herself itself ourselves themselves who whom whose which what where when why how there
        here one am is are was were be been being have has had having do does did done doing will would shall should can
        could may might must ought and or but nor so yet if then than because as while although though unless until
        since whether of in on at by for with from to into onto over under about after before between through during
        against within without around upon up down out off not never too very just also only even still again once
        rather quite i'm i've i'll i'd you're you've you'll he's she's it's we're we've we'll they're they've they'll
        that's there's what's who's let's don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't can't
        cannot couldn't won't wouldn't shouldn't mustn't
        """
    )
)

PRONOUNS = frozenset(
    words(
        """
        i you he she it we they me him her us them himself herself itself themselves myself yourself who whom which
        my your his its our their whose
        """
    )
)
PREPOSITIONS = frozenset(
    words(
        """
        of in on at by for with from to into onto over under about after before between through during against within
        without around upon
        """
    )
)


class Opening(NamedTuple):
    """The opening of a page: two heads that treat one word differently, or a single head.

    ``word`` is the position of that word on the axis of the merged maps: the one from which both heads look, or the
    ambiguous one of two readings. ``looks`` has for each head the positions (query, key) of the connection it was
    picked for, which may run from ``word`` or to it, ``weights`` its share before any rescaling, and ``usual`` the
    head's usual share at that distance (NaN if that is unknown). ``sides`` has for each head the reading that it was
    picked for, "a" or "b"; it is empty if no readings picked the heads. If no connection stands out, ``word`` is None
    and all fields but the heads are empty.
    """

    heads: tuple[HeadId, ...]
    word: int | None = None
    looks: tuple[tuple[int, int], ...] = ()
    weights: tuple[float, ...] = ()
    usual: tuple[float, ...] = ()
    sides: tuple[str, ...] = ()


def opening(maps: AttentionMaps | Recording, readings: Readings | None = None, habit: Habit | None = None) -> Opening:
    """Return the heads to show first, and the word they are about, with words as axes.

    ``readings`` are two, none at all (``()``: nothing in the text is ambiguous), or by default those of the text's
    example, else the suggestions of `propose`: a notebook opens as the page does.

    With two readings: for each, the head in which a connection between the ambiguous word and its candidate, in either
    direction, lies furthest above the head's usual share at that distance, at least `SMALLEST_RISE` above it. Two heads
    that attend in opposite directions cannot be compared: both are then taken from one direction, if it has both, the
    one whose smaller rise is larger. Where one head is first for both, the candidate whose share rises less takes its
    next head. A candidate without such a connection has no head, so that one head may be all there is; so has a
    candidate at the first position of a causal model, which is an attention sink.

    Else two heads that send one word to two different words: the word is one of content, a pronoun or a preposition,
    the two are content words or pronouns. Of each head and word, the strongest connection counts its share minus a
    reference, times the rarity of the word looked at. The reference is `FAMILIAR` times the head's usual largest share
    in a sentence (`Habit.largest`), or the usual share at that distance if that is larger; without a habit it is an
    even spread. Both connections lie `SMALLEST_RISE` above their references, and the word with the largest sum is
    taken. Words next to each other count only if nothing further away is found, and heads that mostly look at
    neighbours are left out. In a causal model the last word comes first, also if it is a mark or near: from there the
    model predicts.

    Where nothing is found, the two heads whose strongest connection stands out most over every other word's to the
    same word and over the habit, the two looking at different words. The heads differ wherever there are two.

    Raises:
        InputError: a reading names a word that is not in the text, or the argument has no maps.
    """
    maps = maps_of(maps)
    maps.check_every_row()
    word_maps = maps.merged()
    if word_maps.kind != "self":
        return Opening(_standing_out(word_maps, None))
    habit = habit or bundled(maps)
    readings = default_readings(word_maps) if readings is None else readings
    result = _of_readings(word_maps, readings, habit) if readings else None
    return result or _disagreement(word_maps, habit) or Opening(_standing_out(word_maps, habit))


def opening_heads(
    maps: AttentionMaps | Recording, readings: Readings | None = None, habit: Habit | None = None
) -> tuple[HeadId, ...]:
    """Return the heads of `opening`, two or one."""
    return opening(maps, readings, habit).heads


def _word_value(word: str) -> tuple[float, bool]:
    """Return how much a look at a word counts, and whether it may be named: a word of content or a pronoun.

    The value is in (0, 1]: 1 for a word in at most one of fifty corpus sentences.
    """
    normal_form = word.casefold().replace("’", "'")
    is_grammar = normal_form in GRAMMAR_WORDS or not any(character.isalnum() for character in normal_form)
    frequency = max(IN_SENTENCES.get(normal_form, 0) / N_SENTENCES, GRAMMAR if is_grammar else COMMON)
    return min(1.0, COMMON / frequency), normal_form in PRONOUNS or not is_grammar


@memoise
def default_readings(maps: AttentionMaps) -> tuple[Reading, ...]:
    """Return the two readings of a text: those of the example, or those that its shape suggests; none without both."""
    if maps.kind != "self" or maps.pair is not None:
        return ()
    example = example_for(maps.text)
    if example is not None and example.readings:
        readings = example.readings
    else:
        readings = next((proposal.readings for proposal in propose(maps.text)), ())
    read_words = {token.word for token in maps.tokens if token.word is not None}  # a model may read less
    is_read = all(read_words.issuperset(link) for reading in readings for link in reading.links)
    return readings if is_read else ()


def _of_readings(maps: AttentionMaps, readings: Readings, habit: Habit | None) -> Opening | None:
    """Return for each reading the head whose share between its words lies furthest above its usual one, or None.

    A head belongs to one reading only.
    """
    number = np.cumsum([token.word is not None for token in maps.tokens])
    pivots, candidates = [], []
    for reading in readings_of(readings):
        pairs = link_positions(maps, reading)
        pivots.append(pairs[0][0])
        ways = [way for pivot, partner in pairs for way in ((pivot, partner), (partner, pivot))]
        weights = np.array([maps.weights[:, :, query, key].ravel() for query, key in ways], dtype=np.float64)
        if habit is None:
            usual, even = np.full(weights.shape, np.nan), [1 / maps.visible[query].sum() for query, _ in ways]
            above = weights - np.array(even)[:, None]  # [way, head]
        else:
            usual = np.array([habit.at(int(number[key] - number[query])).ravel() for query, key in ways])
            above = weights - usual
        above[[maps.causal and key == 0 for _, key in ways]] = -np.inf  # the first position is an attention sink
        candidates.append((ways, weights, usual, above))
    best, rises = _separate_readings([above.max(axis=0) for *_, above in candidates])
    ways_of = [int(above[:, head].argmax()) % 2 for (*_, above), head in zip(candidates, best, strict=True)]
    if ways_of[0] != ways_of[1]:
        one_way = [  # from the ambiguous word alone, and at it alone
            [np.where(np.arange(len(above))[:, None] % 2 == way, above, -np.inf) for *_, above in candidates]
            for way in (0, 1)
        ]
        choices = [_separate_readings([above.max(axis=0) for above in both]) for both in one_way]
        smallest_rises = [min(float(rise[head]) for head, rise in zip(*choice, strict=True)) for choice in choices]
        way = int(np.argmax(smallest_rises))
        if smallest_rises[way] >= SMALLEST_RISE:
            best, rises = choices[way]
            candidates = [(*candidate[:3], above) for candidate, above in zip(candidates, one_way[way], strict=True)]
    shown_heads = []
    for side, head, rise, (ways, weights, usual, above) in zip("ab", best, rises, candidates, strict=True):
        if rise[head] >= SMALLEST_RISE:
            way = int(above[:, head].argmax())
            shown_heads.append((maps.heads[head], ways[way], float(weights[way, head]), float(usual[way, head]), side))
    if not shown_heads:
        return None
    heads, looks, shares, habits, sides = zip(*shown_heads, strict=True)
    return Opening(heads, pivots[0], looks, shares, habits, sides)


def _separate_readings(rises: list[np.ndarray]) -> tuple[list[int], list[np.ndarray]]:
    """Return the first head of each of two readings, and their rises; the reading with the smaller rise takes its next
    head."""
    best = [int(rise.argmax()) for rise in rises]
    if best[0] == best[1]:
        less = int(rises[1][best[1]] <= rises[0][best[0]])
        rises[less][best[less]] = -np.inf
        best[less] = int(rises[less].argmax())
    return best, rises


def _disagreement(maps: AttentionMaps, habit: Habit | None) -> Opening | None:
    """Return two heads that send one word to two words, or None; the rule is in `opening`."""
    looks = word_looks(maps)
    n_words = len(looks.places)
    if n_words < 3:
        return None
    word_texts = [maps.tokens[place].text.casefold() for place in looks.places]
    names = {word: number for number, word in enumerate(dict.fromkeys(word_texts))}
    word = np.array([names[text] for text in word_texts])  # the same number for the same word elsewhere
    values = [_word_value(text) for text in word_texts]
    rare = np.array([value for value, _ in values])
    answers = np.array([is_named for _, is_named in values])
    asks = answers | np.array([text in PREPOSITIONS for text in word_texts])
    weights = looks.weights.reshape(-1, n_words, n_words)  # [head, query, key], all heads on one axis
    near = _positional(maps, habit)
    usual = None if habit is None else habit.weights.reshape(len(weights), -1)  # [head, distance]
    largest = None if habit is None or habit.largest is None else FAMILIAR * habit.largest.reshape(-1, 1)  # [head, 1]
    even = 1 / maps.visible.sum(axis=-1)[looks.places]  # [query]
    query = np.arange(n_words)
    last = ((query == n_words - 1, 1),) if maps.causal else ()
    for rows, nearest in (*last, (asks, DISTANT), (asks, 1)):
        allowed = distant_pairs(looks, nearest) & rows[:, None] & answers
        strongest = [np.where(allowed, looks.weights[part], -1).argmax(axis=-1) for part in parts(looks.weights)]
        key = np.concatenate([query_keys.reshape(-1, n_words) for query_keys in strongest])  # [head, query]
        weight = np.take_along_axis(weights, key[..., None], axis=-1)[..., 0].astype(np.float64)
        far = column(looks.distance[query, key])
        at_distance = np.nan if usual is None else np.take_along_axis(usual, far, axis=-1)  # [head, query]
        reference = even if usual is None else at_distance if largest is None else np.maximum(at_distance, largest)
        value = np.where(allowed[query, key] & ~near[:, None], (weight - reference) * rare[key], -np.inf)
        reached = np.full((n_words, len(names)), -np.inf)  # [query, word looked at]
        np.maximum.at(reached, (np.broadcast_to(query, key.shape), word[key]), value)
        first, second = np.sort(np.pad(reached, ((0, 0), (1, 0)), constant_values=-np.inf), axis=-1)[:, :-3:-1].T
        ranked = np.where(second >= SMALLEST_RISE, first + second, -np.inf)  # [query]
        best = int(ranked.argmax())
        if ranked[best] > 0:
            targets = np.argsort(-reached[best], kind="stable")[:2]
            heads = sorted(
                (int(np.where(word[key[:, best]] == target, value[:, best], -np.inf).argmax()) for target in targets),
                key=lambda head: key[head, best],  # in reading order of the keys
            )
            return Opening(
                (maps.heads[heads[0]], maps.heads[heads[1]]),
                int(looks.places[best]),
                tuple((int(looks.places[best]), int(looks.places[key[head, best]])) for head in heads),
                tuple(float(weight[head, best]) for head in heads),
                tuple(float("nan") if usual is None else float(usual[head, far[head, best]]) for head in heads),
            )
    return None


def _positional(maps: AttentionMaps, habit: Habit | None) -> np.ndarray:
    """Return which heads mostly look at the word before, the next one or the word itself, bool [head].

    That is their usual share; if it is not known, or all heads do, none is returned.
    """
    if habit is None or not habit.shares:
        return np.zeros(maps.n_layers * maps.n_heads, dtype=bool)
    shares = [habit.shares[name].ravel() for name in ("previous_word", "next_word", "same_word")]
    is_positional = (
        np.fmax.reduce(shares) >= POSITIONAL
    )  # NaN, as in a head that only looks at sinks, is not positional
    return is_positional if not is_positional.all() else np.zeros_like(is_positional)


def _standing_out(maps: AttentionMaps, habit: Habit | None) -> tuple[HeadId, HeadId]:
    """Return the heads whose strongest look from word to word stands out most, the two at different words."""
    strongest, margins = [], []
    for part in parts(maps.weights):
        margin = _stands_out(maps, maps.weights[part]).reshape(-1, maps.n_queries * maps.n_keys)  # [head, look]
        best = np.where(np.isfinite(margin), maps.weights[part].reshape(margin.shape), -1).argmax(axis=-1)
        strongest.append(best)
        margins.append(np.take_along_axis(margin, best[:, None], axis=-1)[:, 0])
    query, key = np.unravel_index(np.concatenate(strongest), maps.weights.shape[2:])
    heads, number = np.arange(len(key)), np.cumsum([token.word is not None for token in maps.tokens])
    usual = 0 if habit is None else habit.weights.reshape(len(key), -1)[heads, column(number[key] - number[query])]
    order = np.argsort(usual - np.concatenate(margins), kind="stable").tolist()
    near = _positional(maps, habit)
    order = [head for head in order if not near[head]] + [head for head in order if near[head]]
    first, following = order[0], order[1:] or order[:1]
    second = next((head for head in following if key[head] != key[first]), following[0])
    return maps.heads[first], maps.heads[second]


def _stands_out(maps: AttentionMaps, weights: np.ndarray) -> np.ndarray:
    """Return the excess of each connection over the strongest connection of any other word to the same word.

    ``weights`` are those of some heads, [layer, head, query, key]. The result is float64 of the same shape; −inf for
    masked pairs, pairs without two words, and a word with itself.
    """
    rows = np.array([token.word is not None for token in maps.tokens], dtype=bool)
    columns = np.array([token.word is not None for token in maps.key_tokens], dtype=bool)
    looks = np.outer(rows, columns) & maps.visible
    if maps.kind == "self":
        np.fill_diagonal(looks, False)
    seen = np.where(looks, weights.astype(np.float64), 0)
    two = np.partition(np.pad(seen, ((0, 0), (0, 0), (1, 0), (0, 0))), -2, axis=2)[:, :, -2:]  # largest, or word and 0
    strongest_of_others = np.where(seen == two[:, :, 1:], two[:, :, :1], two[:, :, 1:])  # [layer, head, query, key]
    return np.where(looks, seen - strongest_of_others, -np.inf)
