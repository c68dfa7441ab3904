"""Translation: an English sentence, its Portuguese, and what two heads of the translator have to do with a word.

Sentences are Markdown; all words of texts in them are escaped. Without a
visitor's choice, findings name only `E0H7` and `E2H1`, which were chosen in the study; another head is named
only beside the number of control sentences with as large a change.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mha import assets
from mha.analysis.ablation_control import ablation_control
from mha.analysis.proposals import only_english
from mha.assets import ASSETS
from mha.cuts import MOST_CUTS, Cut, link_name
from mha.errors import InputError
from mha.examples import TRANSLATION_EXAMPLES
from mha.export.tables import Table
from mha.formats import capitalise_first, in_words, join_list, markdown, moves, nats, number, share
from mha.intervention.outcomes import NextWords
from mha.maps import AttentionMaps, CrossHead, EncoderHead, HeadId, piece_groups, stack_head
from mha.memo import array_dataclass
from mha.models.files.catalog import hindrance
from mha.models.files.rows import ModelRow
from mha.models.files.translator import COMMAND, NAME
from mha.views import cuts, next_word
from mha.views.component_data import head_grid, signed_states
from mha.views.models import sourced_table

if TYPE_CHECKING:  # it loads with the first model
    from mha.intervention.next_words import Translation

__all__ = ["COMMAND", "NAME", "hindrance"]

EXAMPLES = {label: {"text": text} for label, text in TRANSLATION_EXAMPLES.items()}
STUDY = ASSETS / "translator.json"
HEADS = (EncoderHead(0, 7), EncoderHead(2, 1))
CROSS_HEAD = CrossHead(1, 2)
LAYERS = ("E0", "E1", "E2", "E3", "E4", "E5", "C0", "C1")
ALL_HEADS = [stack_head(f"{layer}H{head}") for layer in LAYERS for head in range(8)]
NOUNS = ("teacher", "singer", "secretary", "doctor")  # they say nothing of a gender
ARTICLES = {"A": "O", "O": "A", "a": "o", "o": "a"}  # each article with that of the other gender
PRONOUN = re.compile(r"\b(she|he)\b", re.IGNORECASE)
OTHER_PRONOUN = {"she": "he", "he": "she", "She": "He", "He": "She", "SHE": "HE", "HE": "SHE"}
SMALLEST_LOOK = 0.5  # smallest share of a word's attention at which a sentence says that a head looks
SMALLEST_NATS = 0.05  # a smaller change has no number
MODEL_ERRORS = {  # by example: what is wrong
    "the doctor · model is wrong": "*she* is the doctor, and the translator writes *O médico*, a man",
    "the cat · model is wrong": "*it* is the cat, and *cansada* agrees with *a água*, the water",
}
TOKEN = "the token "  # before a name that may not be a word
ENGLISH_ONLY = "The translator reads English, and this text looks like another language."
MASCULINE_DEFAULT = "The masculine default is the model’s, not the language’s."
NO_REVIEW = "No Portuguese speaker checked the words."


@array_dataclass
class TranslationCase:
    """What the page shows.

    ``full`` is the translation with all heads, ``without_heads`` that without `HEADS`, ``shown_translation`` that with
    the visitor's ablations and cuts, ``other_translation`` that of the other version (*he* for *she*), or None.
    ``prediction`` has the next words at ``step``: the written word and its alternative.
    """

    model: ModelRow
    full: Translation
    without_heads: Translation
    shown_translation: Translation
    other_translation: Translation | None
    step: int
    prediction: NextWords

    @property
    def change(self) -> np.ndarray:
        """The change of ln(P(word) / P(alternative)) without each head, encoder first, float64 [layer, head]."""
        sweep = self.prediction.sweep
        return np.concatenate([sweep.change_of(0, 1), sweep.change_of(0, 1, cross=True)])

    @property
    def kinds(self) -> tuple[str, str]:
        """What goes before the names of the written token and its alternative: "" if it is known to be a word."""
        translations = (self.full, self.without_heads, self.shown_translation, self.other_translation)
        others = {each.tokens[self.step].text for each in translations if each and is_word(each, self.step)}
        is_other_word = self.prediction.words[1].strip("␣") in others | {*ARTICLES}
        return "" if is_word(self.full, self.step) else TOKEN, "" if is_other_word else TOKEN

    @property
    def names(self) -> tuple[str, str]:
        """The written word, or its first token, and its alternative, in Markdown."""
        pairs = zip(self.kinds, self.prediction.words, strict=True)
        first, second = (f"{kind}*{markdown(name.strip('␣'))}*" for kind, name in pairs)
        return first, second

    @property
    def cut(self) -> tuple[Cut, ...]:
        """The links that are cut."""
        return self.shown_translation.cut

    def link_name(self, cut: Cut) -> str:
        """Return a cut by its words, as plain text: teacher → she."""
        read, written = (
            _encoder(self.full).tokens,
            self.full.tokens + self.shown_translation.tokens[len(self.full.tokens) :],
        )
        return link_name(cut, written if cut.head.stack == "cross" else read, read)


def other_version(text: str) -> str:
    """Return the text with *he* for its only *she*, or the reverse; "" if it has none, or more than one.

    >>> other_version("She slept."), other_version("It slept."), other_version("He said he slept.")
    ('He slept.', '', '')
    """
    found = PRONOUN.findall(text)
    return PRONOUN.sub(OTHER_PRONOUN.get(found[0], ""), text) if len(found) == 1 and found[0] in OTHER_PRONOUN else ""


def parse_heads(names: Sequence[str]) -> tuple[HeadId, ...]:
    """Return heads by their names, in the order in which they run."""
    return tuple(sorted(map(stack_head, names), key=lambda head: head.run_order))


def pick_step(full: Translation, other_translations: Sequence[Translation | None], number: int | None) -> int:
    """Return the step of the first token of a written word by its number, or of the word picked for this text.

    That is the first article that differs in one of the ``other_translations``, else the first article or word.
    """
    starts = {token.word: step for step, token in reversed(list(enumerate(full.tokens))) if token.word is not None}
    articles = [step for word, step in starts.items() if full.words[word] in ARTICLES]
    different = [first_difference(full, translation) for translation in other_translations if translation is not None]
    picked = next((step for step in different if step in articles), min(articles, default=0))
    return picked if number is None else starts.get(number, picked)


def first_difference(first: Translation, second: Translation) -> int | None:
    """Return the first step at which two translations differ, or None."""
    return next((step for step, (a, b) in enumerate(zip(first.ids, second.ids, strict=False)) if a != b), None)


def is_word(translation: Translation, step: int) -> bool:
    """Return whether the token written at a step is a whole word."""
    tokens = translation.tokens[step : step + 1]
    return any(token.word is not None and translation.words[token.word] == token.text for token in tokens)


def candidates_at_step(
    full: Translation, step: int, other_translations: Sequence[Translation | None]
) -> tuple[str, tuple[str | int, ...]]:
    """Return the translation before the written word at a step, and that word with its alternative.

    The alternative of an article is that of the other gender. Another word has the token that the first of the
    ``other_translations`` has instead, else (no second word) the likeliest other one.
    """
    token = full.tokens[step]
    ids = [
        translation.ids[step]
        for translation in other_translations
        if translation and first_difference(full, translation) == step
    ]
    is_article = is_word(full, step) and token.text in ARTICLES
    alternative: list[str | int] = [ARTICLES[token.text]] if is_article else [*ids[:1]]
    return full.text[: token.start].strip(), (full.ids[step], *alternative)


# ---- attention between words


def _encoder(translation: Translation) -> AttentionMaps:
    return translation.generation.recording.attention("encoder")


def find_look(case: TranslationCase) -> tuple[int, int] | None:
    """Return the word that looks at the only *she* or *he* most in both `HEADS`, and that pronoun, by their positions
    in the merged maps of the encoder; None without such a pronoun, or another word.
    """
    maps = _encoder(case.full).merged()
    pronouns = [n for n, token in enumerate(maps.tokens) if PRONOUN.search(token.text)]
    if case.other_translation is None or len(pronouns) != 1:
        return None
    (key,) = pronouns
    shares = sum(maps.weights[head][:, key] for head in HEADS) * [
        not token.special and token.word is not None and n != key for n, token in enumerate(maps.tokens)
    ]
    return (int(np.argmax(shares)), key) if shares.any() else None


def token_runs(translation: Translation) -> list[tuple[int, int]]:
    """Return the positions of the first and the last token of each word of the merged maps of the encoder."""
    return [(group[0], group[-1]) for group in piece_groups(_encoder(translation).tokens)]


def piece_at(text: str, start: int) -> int:
    """Return the number of the piece between white space that has this character."""
    return max(0, len(text[: start + 1].split()) - 1)


def different_pieces(before: str, after: str) -> list[tuple[slice, slice]]:
    """Return the pieces of two texts that differ, in runs."""
    matcher = difflib.SequenceMatcher(None, before.split(), after.split(), autojunk=False)
    return [(slice(i, j), slice(k, n)) for name, i, j, k, n in matcher.get_opcodes() if name != "equal"]


def _phrases(before: str, after: str) -> tuple[str, str]:
    """Return the first run of words that differ in two texts, in Markdown; the whole texts if one has no such words."""
    first, second = different_pieces(before, after)[0]
    runs = [" ".join(text.split()[run]) for text, run in ((before, first), (after, second))]
    old, new = (f"*{markdown(text.rstrip('.'))}*" for text in (runs if all(runs) else (before, after)))
    return old, new


# ---- sentences


def finding(case: TranslationCase) -> str:
    """Return the main sentence: what ablated heads and cut links change, what is wrong with an example, else what both
    heads do.
    """
    full, without = case.full.text, f"Without {heads_text(HEADS)}, {_writes(case.full.text, case.without_heads.text)}."
    if case.shown_translation.heads or case.cut:
        return f"{condition(case)}, {_writes(full, case.shown_translation.text)}."
    wrong = next(
        (MODEL_ERRORS.get(label) for label, text in TRANSLATION_EXAMPLES.items() if text == case.full.source), None
    )
    if wrong:
        return f"The model is wrong: {wrong}."
    found = find_look(case)
    if found is None:
        return without
    maps = _encoder(case.full).merged()
    shares, (noun, pronoun) = maps.weights[:, :, *found], (maps.tokens[n].text for n in found)
    if min(shares[head] for head in HEADS) < SMALLEST_LOOK:
        return without
    n_looking = int((shares >= SMALLEST_LOOK).sum())
    heads = (
        f"{in_words(n_looking).capitalize()} of {shares.size} heads" if n_looking == len(HEADS) else heads_text(HEADS)
    )
    looks = f"{heads} look from *{markdown(noun)}* to *{markdown(pronoun)}*; without them "
    is_open = noun in NOUNS and pronoun == "she" and f"the {noun} " in case.full.source.lower()
    if not is_open or case.without_heads.text == full:
        return f"{looks}{_writes(full, case.without_heads.text)}."
    _, new = _phrases(full, case.without_heads.text)
    return f"English does not say whether *the {noun}* is a woman. {looks}the translator writes {new}."


def heads_text(heads: Sequence[HeadId]) -> str:
    return join_list([f"`{head}`" for head in heads])


def condition(case: TranslationCase) -> str:
    """Return the beginning of a sentence: which heads are ablated and which links cut."""
    return capitalise_first(cuts.run_condition(case, case.shown_translation.heads))


def _writes(before: str, after: str) -> str:
    if before == after:
        return "the translation stays the same"
    old, new = _phrases(before, after)
    return f"the translator writes {new} in place of {old}"


def explanation(case: TranslationCase) -> list[str]:
    """Return the lines below the finding: another language than English, the changed probability, the largest change
    with its control, limits.
    """
    before, after = case.prediction.probability, case.prediction.after
    lines = [ENGLISH_ONLY] if only_english(case.full.source) else []
    if after is not None:
        lines.append(f"{capitalise_first(case.names[0])} {moves(float(before[0]), float(after[0]))}.")
    limits = f"{MASCULINE_DEFAULT} {NO_REVIEW}" if has_masculine_default(case) else NO_REVIEW
    return [*lines, f"{largest_text(case)} {limits}"]


def has_masculine_default(case: TranslationCase) -> bool:
    """Return whether a masculine article may be a default: both heads decide it, or it is that of a noun of `NOUNS`.

    Other masculine articles are the language's, as that of *o livro*.
    """
    full, without = case.full, case.without_heads
    step = first_difference(full, without)
    is_decided = step is not None and (full.tokens[step].text, without.tokens[step].text) in (("A", "O"), ("a", "o"))
    is_of_person = full.words[:1] == ("O",) and full.source.lower().startswith(tuple(f"the {noun} " for noun in NOUNS))
    return bool(case.other_translation) and (is_decided or is_of_person)


def largest_text(case: TranslationCase) -> str:
    """Return the largest change with its rank among control sentences; without a control its head is not named."""
    change, sweep = case.change, case.prediction.sweep
    index = int(np.abs(change).argmax())
    size = float(change.flat[index])
    if abs(size) < SMALLEST_NATS:
        return f"None of {change.size} heads changes {case.names[0]} against {case.names[1]} by 0.05 nats."
    largest = f"The largest of {change.size} changes is {nats(size)} nats."
    if case.step or {sweep.texts[number].strip() for number in sweep.ids} != {"A", "O"}:
        has_article = not ARTICLES.keys().isdisjoint(case.full.words)
        of_article = "The control is of an article at the beginning alone."
        return f"{largest} {of_article if has_article else f'There is no control for {case.names[0]}.'}"
    try:
        control = ablation_control(NAME, sweep.revision, len(case.full.attention.key_tokens or ()))
    except InputError as error:
        return f"{largest} {markdown(str(error))}"
    return (
        f"The largest of {change.size} changes is `{ALL_HEADS[index]}`’s, {nats(size)} nats. "
        f"In {control.n_texts_changed(abs(size))} of {len(control.texts)} control sentences some head has as large a "
        "change."
    )


def other_text(case: TranslationCase) -> str:
    """Return the other version with its translation, "" without one."""
    if case.other_translation is None:
        return ""
    return f"The other version: {markdown(case.other_translation.source)}  \n{markdown(case.other_translation.text)}"


def grid_caption(case: TranslationCase) -> str:
    """Return what a number of the grid is."""
    (first, second), (word, alternative) = case.names, case.prediction.sweep.log_probability[:2]
    of = f"change of ln(P({first}) / P({second})), {number(float(word - alternative))} with all heads, in nats"
    uncut = ", measured with no link cut" if case.cut else ""
    return f"Number: {of}{uncut}. E: encoder, C: cross-attention. Click a head to ablate it."


def study_sentence() -> str:
    """Return how often the two heads decide the gender in the sentences of the study; "" without it."""
    study: dict[str, Any] | None = assets.optional(STUDY, json.loads)
    if not study or study["chosen"] != [str(head) for head in HEADS]:
        return ""
    exchange, n_right = study["exchange"], study["right in both versions"]["test"]
    both, alone = exchange["chosen"]["all positions"], exchange["chosen"][f"{HEADS[1]} alone"]["she to he"]
    return (
        f"**How often?** In {n_right} test sentences of which the translator has both versions right, "
        f"{heads_text(HEADS)} exchange their outputs between *she* and *he*. The noun then has the other gender in "
        f"{_count_text(both['both directions'])} translations: *she* to *he* {_count_text(both['she to he'])}, "
        f"*he* to *she* {_count_text(both['he to she'])}. `{HEADS[1]}` alone: *she* to *he* {_count_text(alone)}. "
        "Pairs of other heads of the same layers, moved as far: "
        f"{_count_text(exchange['other pairs']['moved as far']['neither'])}."
    )


def _count_text(row: dict[str, Any]) -> str:
    """Return a count of the study, such as "114 of 144"."""
    return f"{row['hits']:,} of {row['n']:,}"


METHOD = f"""- **Translation**: the likeliest token each time, without the corrections of the package’s own engine.
- **Ablation**: the mean over 40 sample sentences and their translations replaces the output of a head, in every pass.
- **Arcs** above: attention, in `E0H7` and `E2H1`, to the only *she* or *he*, from the word that gives it most. A head
  *looks* if it gives at least {share(SMALLEST_LOOK)}. Between the lines: the cross-attention of `C1H2` from the
  written word.
- **Cut link**: a click on an arc sets its weight to 0, between all tokens of two English words or from the first token
  of the written word, and rescales the rest of the row to its former sum. At most {MOST_CUTS} links are cut together.
- **Change**: of ln(P(token) / P(alternative)), for the first token of the selected word. The alternative is the article
  of the other gender; else the token of another translation on this page; else the likeliest other token.
- The study chose `E0H7` and `E2H1` on sentences of this kind, one of them that about the teacher. Their effect in one
  sentence is not a rate. `python -m studies.translator` repeats their study.
- **Control**: sentences about things, by one author; there the same ablations change the first article. A large change
  singles out no head."""


# ---- component data


def sentence_data(case: TranslationCase) -> dict[str, Any]:
    """Return both texts, the arcs from a word to the pronoun, and the one from the written word to its source."""
    source, shown, found, runs = case.full.source, case.shown_translation.text, find_look(case), token_runs(case.full)
    both = [_encoder(each).merged() for each in (case.full, case.shown_translation)]
    before = both[0]
    selected_pieces: list[int | None] = [None, None]
    links: list[dict[str, Any]] = []
    if found is not None:
        query, key = (piece_at(source, before.tokens[n].start) for n in found)
        selected_pieces[0] = query
        for head in HEADS:
            weights = [float(maps.weights[head][found]) for maps in both]
            if weights[0] >= cuts.SMALLEST_ARC:
                cut = Cut(head, runs[found[0]], runs[found[1]])
                links.append(link_data(case, cut, [0, query], [0, key], weights))
    has_same_prefix = case.shown_translation.ids[: case.step] == case.full.ids[: case.step] and case.step < len(
        case.shown_translation.tokens
    )
    if has_same_prefix and shown:
        rows = [each.attention.weights[CROSS_HEAD][case.step] for each in (case.full, case.shown_translation)]
        sums = np.array([[row[first : last + 1].sum() for first, last in runs] for row in rows])  # [pass, word]
        sums *= [not token.special for token in before.tokens]
        word, query = int(sums[0].argmax()), piece_at(shown, case.shown_translation.tokens[case.step].start)
        selected_pieces[1] = query
        cut, key = Cut(CROSS_HEAD, (case.step, case.step), runs[word]), piece_at(source, before.tokens[word].start)
        if sums[0, word] >= cuts.SMALLEST_ARC:
            links.append(link_data(case, cut, [1, query], [0, key], sums[:, word].tolist()))
    changed = [n for _, run in different_pieces(case.full.text, shown) for n in range(run.start, run.stop)]
    spoken = [f"English: {source}", f"Portuguese: {shown}", *(link["label"] for link in links)]
    return {
        "lines": [source.split(), shown.split()], "links": links, "under": selected_pieces,
        "changed": changed, "cut": cuts.plain_text(case),
        "titles": ["English", "Portuguese"], "label": " ".join(spoken),
    }  # fmt: skip


def link_data(
    case: TranslationCase, cut: Cut, start: list[int], end: list[int], weights: list[float]
) -> dict[str, Any]:
    """Return an arc between two pieces; ``weights`` are with all heads and links, and as the model is run."""
    head, is_cut, is_off = cut.head, cut in case.cut, cut.head in case.shown_translation.heads
    first, _, last = case.link_name(cut).partition(" → ")
    if head.stack == "cross":
        written = case.full if is_cut else case.shown_translation
        first = f"{'' if is_word(written, case.step) else TOKEN}{written.tokens[case.step].text}"
    share_before, share_now = map(share, weights)
    state = f"gives {share_now} of its attention to {last}"
    if is_cut or is_off:
        state = "is ablated" if is_off else f"has the link to {last} cut; it was {share_before}"
    return {
        "from": start, "to": end, "weight": round(weights[not (is_cut or is_off)], 4), "name": str(head),
        "off": is_off, "cut": None if is_off else str(cut), "is_cut": is_cut, "label": f"From {first}, {head} {state}.",
    }  # fmt: skip


def words_picture(case: TranslationCase) -> dict[str, Any]:
    """Return the written word and its alternative as bars, before and after the ablation."""
    begun = case.full.text[: case.full.tokens[case.step].start].strip()
    next_words = next_word.words_picture(next_word.NextWordCase(case.model, case.prediction))
    bars = [
        bar | {"word": "", "is_word": not kind, "label": f"{kind}{bar['label']}"}  # not to be clicked
        for kind, bar in zip(case.kinds, next_words["candidates"], strict=True)
    ]
    hint = "probability of a token" if any(case.kinds) else "probability"
    return {"title": f"After “{begun}”" if begun else "First written", "hint": hint, "candidates": bars}


def grid_data(case: TranslationCase) -> dict[str, Any]:
    """Return the change of the written word against its alternative without each head, as one cell a head."""
    pairs = zip(case.kinds, case.prediction.words, strict=True)
    change, (first, second) = case.change, (f"{kind}{name.strip('␣')}" for kind, name in pairs)
    return head_grid(
        change, signed_states(change, SMALLEST_NATS),
        {"less": f"{first} loses to {second}", "more": f"{first} gains on {second}", "within": "less than 0.05 nats"},
        nats, unit="nats", ablated=case.shown_translation.heads, layer_names=LAYERS,
        label=f"Change of {first} against {second} without each head, in nats",
    )  # fmt: skip


def table(case: TranslationCase, link: str = "") -> Table:
    """Return the change of the written word without each head: one row a head."""
    columns: dict[str, Any] = {"head": list(map(str, ALL_HEADS)), "change_nats": case.change.ravel()}
    first, second = case.prediction.words
    measure = f"change of ln(P({first}) / P({second})) with one head ablated and no link cut, in nats"
    return sourced_table(columns, (case.full.source,), case.model, measure, link)
