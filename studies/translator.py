"""Which heads of the translator decide a gender? ``python -m studies.translator`` writes `assets/translator.json`.

"The lawyer left early because she was ill": Portuguese must write *a advogada* or *o advogado*. Two heads are chosen on
one half of the nouns and scored on the other. Their outputs are exchanged between the *she* and the *he* version, or
replaced by their means; the controls are all other pairs of the same two layers, moved as far. Predicates of *it* and
of relative clauses and word senses are counted, too.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from mha.assets import ASSETS
from mha.intervention.ablation import Change
from mha.intervention.bank import head_means
from mha.intervention.subject import subject, tokens_of
from mha.maps import EncoderHead
from mha.models.files import translator
from mha.models.watch.attending import load_model
from mha.words import words
from studies.greedy import Engine, Translation, Variant
from studies.portuguese import article_gender, noun_gender, noun_place, other_article, predicate_gender, sense
from studies.separation import Row, mean, rounded, write_results

FILE = ASSETS / "translator.json"
LISTS = Path(__file__).with_suffix(".json")
PRONOUNS = {"f": "she", "m": "he"}
OTHER_GENDER = {"f": "m", "m": "f"}
DIRECTIONS = {"f": "she to he", "m": "he to she"}
N_HIGHEST = 4  # heads that a ranking names
AGREEMENT = ("it", "relative clause")

Heads = Sequence[EncoderHead]
Agreement = tuple[str, str]  # of a predicate: its right and its written gender


@dataclass(frozen=True)
class Item:
    """A version of a sentence: its pronoun decides the gender of its noun."""

    frame: str
    noun: str
    gender: str
    text: str
    stems: tuple[str, ...]

    def written_gender(self, translation: str) -> str | None:
        """Return the gender of the noun in a translation."""
        return noun_gender(translation, self.stems)


@dataclass(frozen=True, eq=False)
class Case:
    """One version of a sentence of which the model has both versions right; ``partner`` is the other version."""

    item: Item
    translation: Translation
    partner: Translation
    outputs: Tensor  # of the heads, [layer, head, token, d_head]
    partner_outputs: Tensor
    noun: tuple[int, ...]  # positions

    @property
    def moves(self) -> Tensor:
        """The way from the heads' outputs to those of the other version, [layer, head, token, d_head]."""
        return self.partner_outputs - self.outputs

    @property
    def other_positions(self) -> list[int]:
        """All positions but those of the noun."""
        return [position for position in range(self.outputs.shape[2]) if position not in self.noun]


def lists() -> dict[str, Any]:
    """Return the frames, nouns and sentences of the study."""
    return dict(json.loads(LISTS.read_text(encoding="utf-8")))


def halves(nouns: Sequence[str], seed: int = 0) -> tuple[list[str], list[str]]:
    """Return the nouns that choose heads and the nouns that score them, drawn once.

    >>> sorted(map(len, halves("abcde")))
    [2, 3]
    """
    order = np.random.default_rng(seed).permutation(len(nouns))
    selection, test = ([nouns[number] for number in sorted(order[start::2])] for start in (0, 1))
    return selection, test


def items_of(nouns: Sequence[str]) -> list[Item]:
    """Return the items of some nouns in every frame, both versions of a sentence one after the other."""
    content = lists()
    return [
        Item(frame, noun, gender, text.format(noun, pronoun), tuple(content["nouns"][noun]))
        for frame, text in content["frames"].items()
        for noun in nouns
        for gender, pronoun in PRONOUNS.items()
    ]


def factors(items: Sequence[Item]) -> tuple[list[str], list[str]]:
    """Return the noun and the frame of each item, which intervals redraw."""
    return [item.noun for item in items], [item.frame for item in items]


def case_factors(cases: Sequence[Case]) -> tuple[list[str], list[str]]:
    """Return the noun and the frame of each case."""
    return factors([case.item for case in cases])


def count_row(hits: Sequence[bool] | np.ndarray, *levels: Sequence[str]) -> Row:
    """Return how many observations are hits, of how many, and the share with its interval.

    No hits, or hits alone, have no interval: redrawn observations are all alike.

    >>> count_row([True, False], "ab", "aa")["low"], count_row([True, True], "ab", "aa")
    (0.0, {'hits': 2, 'n': 2})
    """
    n_hits = int(np.sum(hits))
    if n_hits in (0, len(hits)):
        return {"hits": n_hits, "n": len(hits)}
    return {"hits": n_hits} | mean(np.asarray(hits, dtype=np.float64), *levels)


def cases_of(engine: Engine, items: Sequence[Item], translations: dict[str, Translation]) -> list[Case]:
    """Return both versions of each sentence of which the model has both versions right."""
    cases = []
    for versions in zip(items[::2], items[1::2], strict=True):
        texts = [translations[item.text] for item in versions]
        if any(item.written_gender(text.text) != item.gender for item, text in zip(versions, texts, strict=True)):
            continue
        outputs = [engine.arrays(text.encoded)[1] for text in texts]
        for number, item in enumerate(versions):
            noun = tokens_of(texts[number].encoded.tokens, words(item.text).index(item.noun))
            cases.append(
                Case(item, texts[number], texts[1 - number], outputs[number], outputs[1 - number], tuple(noun))
            )
    return cases


def moved(outputs: Tensor, moves: Tensor, head: EncoderHead, times: float, positions: Sequence[int] | None) -> Variant:
    """Return the changes that move a head's output ``times`` its way, at some positions or at all."""
    new = outputs[head] + times * moves[head]  # [token, d_head]
    if positions is None:
        return (Change(head, 0.0, new),)
    return tuple(Change(head, 0.0, new[position : position + 1], position) for position in positions)


def exchanged(
    case: Case, heads: Heads, positions: Sequence[int] | None = None, lengths: tuple[np.ndarray, Heads] | None = None
) -> Variant:
    """Return the changes that exchange the outputs of heads with the other version's.

    With ``lengths`` [layer, head] and the chosen heads, each head moves as far as the chosen head of its layer.
    """
    times = [1.0] * len(heads) if lengths is None else times_of(*lengths, heads)
    return tuple(
        change
        for head, scale in zip(heads, times, strict=True)
        for change in moved(case.outputs, case.moves, head, scale, positions)
    )


def times_of(lengths: np.ndarray, chosen: Heads, pair: Heads) -> list[float]:
    """Return how many times each head of a pair must go its way to move as far as the chosen head of its layer.

    >>> times_of(np.array([[6.0, 0.5]]), [EncoderHead(0, 0)], [EncoderHead(0, 1)])
    [12.0]
    """
    return [float(lengths[head] / lengths[other]) for head, other in zip(chosen, pair, strict=True)]


def other_pairs(chosen: Heads, n_heads: int) -> list[tuple[EncoderHead, EncoderHead]]:
    """Return all other pairs of a head of the first layer and a head of the second.

    >>> len(other_pairs([EncoderHead(0, 7), EncoderHead(2, 1)], 8))
    63
    """
    first, second = ([EncoderHead(head.layer, number) for number in range(n_heads)] for head in chosen)
    return [pair for pair in product(first, second) if pair != tuple(chosen)]


def article_shares(engine: Engine, cases: Sequence[Case]) -> tuple[np.ndarray, np.ndarray]:
    """Return how far each head's exchanged output moves the article's log-odds, [case, head], and the whole way.

    The whole way is that to the hidden states of the other version, [case]. Log-odds are those of the written article
    against that of the other gender, after the untouched words before it. Cases without an article are left out.
    """
    changes, ways = [], []
    for case in cases:
        portuguese = words(case.translation.text)
        place = noun_place(portuguese, case.item.stems) or 0
        if not place or article_gender(portuguese[place - 1]) is None:
            continue
        n_before = [0, *engine.word_ends(case.translation.ids)][place - 1]
        ids = engine.token_ids([portuguese[place - 1], other_article(portuguese[place - 1])])
        if ids is None or ids[0] != case.translation.ids[n_before]:
            continue
        variants = [(), *(exchanged(case, [head]) for head in engine.heads)]
        states = [engine.states(case.translation.encoded, variants), engine.states(case.partner.encoded, [()])]
        logits = engine.logits(torch.cat(states), case.translation.ids[:n_before], 1)[:, 0].double()
        log_odds = np.asarray(logits[:, ids[0]] - logits[:, ids[1]])
        changes.append(log_odds[0] - log_odds[1:-1])
        ways.append(log_odds[0] - log_odds[-1])
    return np.array(changes), np.array(ways)


def choose_heads(engine: Engine, cases: Sequence[Case]) -> tuple[list[EncoderHead], Row]:
    """Return the two heads with the largest shares of the articles' log-odds, by layer, and the largest shares."""
    changes, ways = article_shares(engine, cases)
    shares = changes.sum(axis=0) / ways.sum()
    order = [int(number) for number in np.argsort(-shares)[:N_HIGHEST]]
    highest = {str(engine.heads[number]): rounded(shares[number]) for number in order}
    return sorted(engine.heads[number] for number in order[:2]), {"texts": len(ways), "shares": highest}


def looks(engine: Engine, cases: Sequence[Case], chosen: Heads) -> Row:
    """Return the weight from the noun to the pronoun: that of the chosen heads, and the highest of all heads."""
    weights = np.array([noun_weights(engine, case) for case in cases])  # [case, layer, head]
    average = weights.mean(axis=0)
    order = sorted(engine.heads, key=lambda head: -average[head])[:N_HIGHEST]
    levels = case_factors(cases)
    return {
        "chosen": {str(head): mean(weights[:, head.layer, head.head], *levels) for head in chosen},
        "highest": {str(head): rounded(average[head]) for head in order},
    }


def noun_weights(engine: Engine, case: Case) -> np.ndarray:
    """Return the weight of each head from the noun (mean of its tokens) to the pronoun, [layer, head]."""
    encoded = case.translation.encoded
    english = [word.casefold() for word in words(case.item.text)]
    pronoun = tokens_of(encoded.tokens, english.index(PRONOUNS[case.item.gender]))
    weights, _ = engine.arrays(encoded)
    return np.asarray(weights[:, :, list(case.noun)][..., pronoun].sum(dim=3).mean(dim=2))


def flips_of(engine: Engine, case: Case, variants: Sequence[Variant]) -> np.ndarray:
    """Return whether each variant writes the noun in the other gender, bool [variant]."""
    place = noun_place(words(case.translation.text), case.item.stems)
    assert place is not None, "a case has the right gender"
    n_same = engine.word_ends(case.translation.ids)[place]
    texts = engine.variants(case.translation, variants, n_same)
    return np.array([case.item.written_gender(text) == OTHER_GENDER[case.item.gender] for text in texts])


def flip_rows(flips: np.ndarray, cases: Sequence[Case]) -> Row:
    """Return the counts of flips [case] in both directions, and in each."""
    rows = {"both directions": count_row(flips, *case_factors(cases))}
    for gender, direction in DIRECTIONS.items():
        here = [number for number, case in enumerate(cases) if case.item.gender == gender]
        rows[direction] = count_row(flips[here], *case_factors([cases[number] for number in here]))
    return rows


def control_rows(flips: np.ndarray, cases: Sequence[Case], pairs: Sequence[Heads], chosen: Heads) -> Row:
    """Return the flips [case, pair] by other pairs: by all, by those with neither and with one of the chosen heads.

    The share is a mean over cases, of each the share of pairs. ``highest`` is the pair that flips most cases.
    """
    groups = {"all": list(range(len(pairs)))}
    groups["neither"] = [number for number, pair in enumerate(pairs) if not set(pair) & set(chosen)]
    for head in chosen:
        groups[f"with {head}"] = [number for number, pair in enumerate(pairs) if head in pair]
    rows: Row = {}
    for name, members in groups.items():
        by_pair = flips[:, members].sum(axis=0)
        rows[name] = {
            "pairs": len(members),
            "hits": int(by_pair.sum()),
            "n": len(members) * len(cases),
            "share": mean(flips[:, members].mean(axis=1), *case_factors(cases)),
            "highest": {
                "pair": " and ".join(map(str, pairs[members[int(by_pair.argmax())]])),
                "hits": int(by_pair.max()),
                "n": len(cases),
            },
        }
    return rows


def exchange(engine: Engine, cases: Sequence[Case], chosen: Heads) -> Row:
    """Return how often exchanged outputs of the chosen heads, at some positions, and of other pairs flip the noun."""
    pairs = other_pairs(chosen, engine.experiment.n_heads)
    names = ("all positions", "noun", "other positions", *(f"{head} alone" for head in chosen))
    kinds = ("not matched", "moved as far", "moved as far, noun")
    rows = []
    for case in tqdm(cases, "exchange"):
        everywhere, at_noun = (engine.lengths(case.moves, positions) for positions in (None, case.noun))
        variants = [
            exchanged(case, chosen),
            exchanged(case, chosen, case.noun),
            exchanged(case, chosen, case.other_positions),
            *(exchanged(case, [head]) for head in chosen),
            *(exchanged(case, pair) for pair in pairs),
            *(exchanged(case, pair, None, (everywhere, chosen)) for pair in pairs),
            *(exchanged(case, pair, case.noun, (at_noun, chosen)) for pair in pairs),
        ]
        rows.append(flips_of(engine, case, variants))
    flips = np.array(rows)  # [case, variant]
    controls = flips[:, len(names) :].reshape(len(cases), len(kinds), len(pairs))
    return {
        "chosen": {name: flip_rows(flips[:, number], cases) for number, name in enumerate(names)},
        "other pairs": {
            kind: control_rows(controls[:, number], cases, pairs, chosen) for number, kind in enumerate(kinds)
        },
    }


def ablated(heads: Heads, means: Tensor) -> Variant:
    """Return the changes that replace the outputs of heads by their means [layer, head, d_head]."""
    return tuple(Change(head, 0.0, means[head][None]) for head in heads)


def gender_changes(
    engine: Engine, items: Sequence[Item], translations: dict[str, Translation], chosen: Heads, means: Tensor
) -> Row:
    """Return how many written genders become the other one without both heads, in right and wrong translations."""
    kinds = {"mean": ablated(chosen, means), "zero": tuple(Change(head, 0.0) for head in chosen)}
    rows: Row = {}
    for gender, name in (("f", "feminine to masculine"), ("m", "masculine to feminine")):
        group = [item for item in items if item.written_gender(translations[item.text].text) == gender]
        texts = [engine.variants(translations[item.text], list(kinds.values())) for item in group]
        for number, kind in enumerate(kinds):
            pairs = zip(group, texts, strict=True)
            hits = [item.written_gender(row[number]) == OTHER_GENDER[gender] for item, row in pairs]
            rows[f"{name}, {kind}"] = count_row(hits, *factors(group))
    return rows


def ablation(engine: Engine, cases: Sequence[Case], chosen: Heads, means: Tensor) -> Row:
    """Return how many feminine nouns become masculine without both heads, one head, and other pairs moved as far."""
    heads, pairs = engine.heads, other_pairs(chosen, engine.experiment.n_heads)
    feminine = [case for case in cases if case.item.gender == "f"]
    rows = []
    for case in feminine:
        moves = means[:, :, None] - case.outputs
        lengths = engine.lengths(moves)
        variants = [ablated(chosen, means), *(ablated([head], means) for head in heads)]
        for pair in pairs:
            scales = zip(pair, times_of(lengths, chosen, pair), strict=True)
            variants.append(
                tuple(change for head, times in scales for change in moved(case.outputs, moves, head, times, None))
            )
        rows.append(flips_of(engine, case, variants))
    flips = np.array(rows)  # [case, variant]
    return {
        "both heads": count_row(flips[:, 0], *case_factors(feminine)),
        "one head": highest(flips[:, 1 : 1 + len(heads)], heads),
        "other pairs moved as far": control_rows(flips[:, 1 + len(heads) :], feminine, pairs, chosen),
    }


def highest(hits: np.ndarray, heads: Heads) -> dict[str, int]:
    """Return how many observations each of the heads with most hits has; ``hits`` is bool [observation, head].

    >>> highest(np.array([[True, False], [True, True]]), [EncoderHead(0, 0), EncoderHead(0, 1)])
    {'E0H0': 2, 'E0H1': 1}
    """
    counts = hits.sum(axis=0)
    order = np.argsort(-counts, kind="stable")[:N_HIGHEST]
    return {str(heads[number]): int(counts[number]) for number in order}


def agreements(items: Sequence[Sequence[Any]], translations: Sequence[str]) -> list[Agreement | None]:
    """Return the right and the written gender of each predicate, two versions an item, or None if it is not counted.

    A version counts if both nouns have an article, of different gender, and the last word ends in -o or -a.
    """
    rows: list[Agreement | None] = []
    for number, text in enumerate(translations):
        genders = [noun_gender(text, stems, endings=False) for stems in items[number // 2][3:]]
        right, written = genders[number % 2], predicate_gender(text)
        counts = None not in genders and genders[0] != genders[1]
        rows.append((right, written) if counts and right and written else None)
    return rows


def agreement_counts(rows: Sequence[Agreement | None]) -> Row:
    """Return how many versions agree with the right noun, and how many items do in both versions or in neither.

    >>> agreement_counts([("f", "f"), ("m", "f"), None, ("m", "m")])["versions right"]["hits"]
    2
    """
    right = {number: row[0] == row[1] for number, row in enumerate(rows) if row is not None}
    n_right = [right[number] + right[number + 1] for number in right if number % 2 == 0 and number + 1 in right]
    levels = [str(number) for number in range(len(n_right))]
    return {
        "versions right": count_row(list(right.values()), [str(number // 2) for number in right]),
        "items right in both versions": count_row([number == 2 for number in n_right], levels),
        "items wrong in both versions": count_row([number == 0 for number in n_right], levels),
    }


def agreement(engine: Engine, kind: str, chosen: Heads, means: Tensor) -> Row:
    """Return how often predicates agree with the right noun, and how many change gender without heads."""
    items = lists()[kind]
    texts = [item[0].format(word) for item in items for word in item[1:3]]
    translations = engine.translations(texts)
    rows = agreements(items, [translations[text].text for text in texts])
    counted = [translations[text] for text, row in zip(texts, rows, strict=True) if row is not None]
    changes = changes_without(engine, counted, chosen, means, lambda _, translation: predicate_gender(translation))
    return {"items": len(items)} | agreement_counts(rows) | {"change": changes}


def word_senses(engine: Engine, chosen: Heads, means: Tensor) -> Row:
    """Return how often translations have the right sense of a word, and how many change sense without heads."""
    content = lists()["word sense"]
    expected = {text: (word, number) for word, row in content.items() for number in (0, 1) for text in row[2 * number]}
    translations = engine.translations(list(expected))

    def sense_of(source: str, translation: str) -> int | None:
        return sense(translation, content[expected[source][0]][1::2])

    senses = {text: sense_of(text, translations[text].text) for text in expected}
    right = {text: senses[text] == number for text, (_, number) in expected.items()}
    rows: Row = {"words": len(content)}
    for name, numbers in (("sentences right", (0, 1)), ("first sense right", (0,)), ("second sense right", (1,))):
        group = [text for text in expected if expected[text][1] in numbers]
        rows[name] = count_row([right[text] for text in group], [expected[text][0] for text in group])
    whole = [all(right[text] for text in expected if expected[text][0] == word) for word in content]
    rows["words right in all sentences"] = count_row(whole, list(content))
    counted = [translations[text] for text in expected if senses[text] is not None]
    return rows | {"change": changes_without(engine, counted, chosen, means, sense_of)}


def changes_without(
    engine: Engine,
    translations: Sequence[Translation],
    chosen: Heads,
    means: Tensor,
    outcome: Callable[[str, str], Any],
) -> Row:
    """Return how many outcomes become other ones without both heads, and without the heads that change most.

    ``outcome`` is a function of a text and its translation; one that is None after the ablation is not counted.
    """
    variants = [ablated(chosen, means), *(ablated([head], means) for head in engine.heads)]
    rows = []
    for translation in translations:
        untouched = outcome(translation.source, translation.text)
        outcomes = [outcome(translation.source, text) for text in engine.variants(translation, variants)]
        rows.append([changed is not None and changed != untouched for changed in outcomes])
    hits = np.array(rows)  # [translation, variant]
    return {
        "n": len(translations),
        "both heads": int(hits[:, 0].sum()),
        "one head": highest(hits[:, 1:], engine.heads),
        "median of one head": float(np.median(hits[:, 1:].sum(axis=0))),
    }


def main() -> None:
    """Choose two heads by one half of the nouns, score them on the other half; print and write the counts."""
    argparse.ArgumentParser(prog="python -m studies.translator", description=main.__doc__).parse_args()
    experiment = subject(load_model(translator.NAME))
    engine, means = Engine(experiment), torch.as_tensor(head_means(experiment))
    parts = dict(zip(("selection", "test"), halves(list(lists()["nouns"])), strict=True))
    items = {part: items_of(nouns) for part, nouns in parts.items()}
    translations = engine.translations([item.text for group in items.values() for item in group])
    cases = {part: cases_of(engine, group, translations) for part, group in items.items()}
    results: Row = {"frames": len(lists()["frames"]), "nouns": {part: len(nouns) for part, nouns in parts.items()}}
    for gender, pronoun in PRONOUNS.items():
        group = [item for item in items["test"] if item.gender == gender]
        right = [item.written_gender(translations[item.text].text) == gender for item in group]
        results[f"{pronoun}: right"] = count_row(right, *factors(group))
    results["right in both versions"] = {part: len(group) // 2 for part, group in cases.items()}
    chosen, results["selection"] = choose_heads(engine, cases["selection"])
    _, results["selection in the test half"] = choose_heads(engine, cases["test"])
    results["chosen"] = [str(head) for head in chosen]
    results["looks"] = looks(engine, cases["test"], chosen)
    results["exchange"] = exchange(engine, cases["test"], chosen)
    results["ablation"] = ablation(engine, cases["test"], chosen, means)
    results["ablation"] |= gender_changes(engine, items["test"], translations, chosen, means)
    for kind in AGREEMENT:
        results[kind] = agreement(engine, kind, chosen, means)
    results["word sense"] = word_senses(engine, chosen, means)
    write_results(FILE, experiment.loaded, results)


if __name__ == "__main__":
    main()
