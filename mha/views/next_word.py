"""Next word: the likeliest next words, their change without some heads, and the change without each head.

Sentences are Markdown; all words of a text or a vocabulary in them are escaped. A head is named only as the control
allows: see `finding`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mha.analysis.ablation_control import HIGHEST_NAMING_RATE, AblationControl, ablation_control
from mha.brief import with_arrays
from mha.engine import Request
from mha.engine.bundled import bundled, bundled_next_words
from mha.engine.writing import beside, masked, next_words, predicted
from mha.errors import InputError
from mha.examples import NEXT_WORD_EXAMPLES as EXAMPLES
from mha.export.provenance import without_maps
from mha.export.tables import Table
from mha.formats import markdown, signed
from mha.intervention.outcomes import WordSweep
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import model_row
from mha.models.files.rows import ModelRow
from mha.words import next_word_text

__all__ = ["EXAMPLES"]

MASK = "[MASK]"
SMALLEST_ARC = 0.06  # a smaller share of attention has no arc
MEAN = "Ablated: the head’s output is replaced by its mean over the sample sentences."
WITHIN, HERE, ELSEWHERE, RISE, RISE_HERE, FALL, UNMEASURED = ".", "m", "e", "r", "u", "f", "?"  # states of a cell


@with_arrays
class NextWords:
    """The candidate words of a text: their probabilities with all heads, and with some heads ablated together.

    ``sweep`` has the words, as far as their change is measured for each head alone. ``after`` is float64 [word], or
    None if no head is ablated; ``likeliest_after`` is the likeliest word then.
    """

    sweep: WordSweep
    ablated: tuple[HeadId, ...] = ()
    after: np.ndarray | None = None
    likeliest_after: str = ""

    @property
    def last_token(self) -> str:
        """The token whose attention predicts the word."""
        return self.sweep.tokens[self.sweep.place].text


def ablate(
    text: str, model: str, typed: Collection[str] = (), ablated: Sequence[HeadId] = (), target: str = ""
) -> NextWords:
    """Return the next words of a text, from the bundled results if these have all that is asked.

    An encoder–decoder predicts the word after ``target``, the beginning of its output.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.predict`; a typed word is more than one token.
    """
    typed, heads = tuple(word for word in typed if word), tuple(ablated)
    bundled = bundled_next_words(text, model)
    texts = {bundled.texts[number] for number in bundled.ids} if bundled else set()
    sweep = bundled if texts.issuperset(next_word_text(text, word) for word in typed) else None
    sweep = sweep or next_words(text, model, typed, target)
    if not heads:
        return NextWords(sweep)
    if len(heads) == 1 and sweep.likeliest[heads[0]] >= 0:
        (likeliest,) = sweep.names([int(sweep.likeliest[heads[0]])])
        return NextWords(sweep, heads, sweep.ablated_probability[heads[0]], likeliest)
    prediction = predicted(text, model, heads, count=sweep.ids, target=target)
    return NextWords(sweep, heads, prediction.silenced, prediction.first)


def with_sweep(words: NextWords, sweep: WordSweep) -> NextWords:
    """Return the next words with more heads measured, and the notes on typed words."""
    return replace(words, sweep=replace(sweep, notes=words.sweep.notes))


def refusal(text: str, row: ModelRow) -> str:
    """Return why this model cannot predict a word for this text, or "" if it can."""
    if not row.predicts:
        return f"{row.short} predicts no words: it has no layer for that."
    if not text.strip():
        return "Type a text to see its next word."
    if row.predicts == "next" and MASK in text:
        return f"{row.short} predicts the word after a text, not a gap inside it. Remove {markdown(MASK)}."
    if row.predicts == "mask" and MASK not in text:
        return f"{row.short} fills gaps. Type {markdown(MASK)} in the place of a word."
    return ""


def attention(text: str, model: str, target: str = "") -> AttentionMaps | None:
    """Return the attention with all heads on, from the bundled recordings if the text is one of these.

    Of an encoder–decoder it is the cross-attention of the begun output, or None before anything is written.
    """
    row = model_row(model)
    if row.two_sided:
        return beside(text, target, model).attention("cross") if target else None
    recording = bundled(text, model) or (
        masked(text, model) if row.predicts == "mask" else Request(text, model).answer()
    )
    return recording.maps


def shown_head(
    chosen: str | None, ablated: Sequence[HeadId], sweep: WordSweep, word: int, control: AblationControl | None
) -> HeadId | None:
    """Return the head whose attention is shown: the chosen or last ablated one, else that of `named`."""
    if chosen:
        return HeadId.parse(chosen)
    return ablated[-1] if ablated else named(sweep, word, control)


def index_of(sweep: WordSweep, word: str) -> int | None:
    """Return the position of a word among the candidates, or None; the first one for no word."""
    if not word:
        return 0
    texts = [sweep.texts[number] for number in sweep.ids]
    exact, loose = next_word_text(sweep.text, word), word.strip()
    if exact not in texts and loose[:1].isalnum():  # of a tokenizer without spaces, or the first word of a target
        exact, texts = loose, [text.strip() for text in texts]
    names = [name if not text.strip() else text for name, text in zip(sweep.words, texts, strict=True)]
    return next((position for position, name in enumerate(names) if name in (exact, word)), None)


def second_index_of(sweep: WordSweep, word: str, first: int) -> int | None:
    """Return the position of the word to subtract, or None for no word, an unknown one or the first word itself."""
    second = index_of(sweep, word) if word else None
    return None if second == first else second


def control_of(sweep: WordSweep, model: str, word: int, versus: int | None) -> tuple[AblationControl | None, str]:
    """Return the control for the change of a word, or None and the reason why there is none."""
    if versus is not None:
        return None, "The control limit is for one word, so a difference of two words has none."
    if word:
        return None, f"The control limit is for the likeliest word, {_word(sweep, 0)}. These are numbers alone."
    try:
        return ablation_control(model, sweep.revision, len(sweep.tokens)), ""
    except InputError as error:
        return None, markdown(str(error))


def change_of(sweep: WordSweep, word: int, versus: int | None = None) -> np.ndarray:
    """Return the change of a word without each head, float64 [layer, head]: probability, 0 to 1.

    For a difference of two words it is the change of their log-probability ratio, in nats.
    """
    if versus is not None:
        return np.asarray(sweep.change[..., word] - sweep.change[..., versus])
    return np.asarray(sweep.ablated_probability[..., word] - sweep.probability[word])


def named(sweep: WordSweep, word: int, control: AblationControl | None) -> HeadId | None:
    """Return the head that `finding` names without being asked, or None.

    That is the head with the largest change, in nats and in points alike, if the control's rule names it and names
    heads rarely enough.
    """
    if control is None or not control.may_name:
        return None
    head = control.named_head(sweep.change[..., word])
    return head if head == _largest(change_of(sweep, word)) else None


def _largest(change: np.ndarray) -> HeadId:
    return HeadId(*divmod(int(np.abs(change).argmax()), change.shape[1]))


# ---- sentences


def finding(result: NextWords, row: ModelRow, word: int, versus: int | None, control: AblationControl | None) -> str:
    """Return the main sentence: the ablated heads' effect, else the largest effect of all heads, else the prediction.

    The largest effect is stated with its rank among the control texts: that is a measurement, not a claim that the head
    is special to this text, which only `named` makes.
    """
    sweep, name = result.sweep, _word(result.sweep, word)
    before = float(sweep.probability[word])
    predicts = f"{row.short} predicts {_word(sweep, 0)} with {share(float(sweep.probability[0]))}."
    if result.after is not None:
        sentence = f"Without {_heads(result.ablated)}, {name} {moves(before, float(result.after[word]))}"
        likeliest = markdown(result.likeliest_after)
        return sentence + ("." if likeliest == markdown(sweep.words[0]) else f", and *{likeliest}* is likeliest.")
    if versus is not None or control is None or np.isnan(sweep.change[..., word]).any():
        return predicts
    largest = _largest(change_of(sweep, word))
    after = float(sweep.ablated_probability[largest][word])
    if share(after) == share(before):
        return predicts
    count = control.n_texts_changed(float(sweep.change[largest][word]))
    return (
        f"Without `{largest}`, {name} {moves(before, after)}, the largest change of {sweep.change[..., 0].size} heads; "
        f"as large in {count} of {len(control.texts)} control texts."
    )


def explanation(
    result: NextWords, word: int, versus: int | None, control: AblationControl | None, reason: str,
    maps: AttentionMaps | None = None, head: HeadId | None = None,
) -> str:  # fmt: skip
    """Return the line below the finding: the attention of the shown head, and how unusual its change is."""
    sweep, sentences = result.sweep, []
    if maps is not None and head is not None:
        sentences.append(attention_sentence(maps, head, min(sweep.place, maps.n_queries - 1)))
    if len(result.ablated) > 1:
        alone = [head for head in result.ablated if sweep.likeliest[head] >= 0]
        each = [f"without `{head}` {share(float(sweep.ablated_probability[head][word]))}" for head in alone]
        sentences += [f"{_word(sweep, word)} with one of them ablated: {', '.join(each)}."] if each else []
    elif reason:
        sentences.append(reason)
    elif control is not None:
        sentences += _control_sentences(result, word, control)
    return " ".join(filter(None, sentences))


def _control_sentences(result: NextWords, word: int, control: AblationControl) -> list[str]:
    """Return how a change compares with the control texts; nothing before a head is measured."""
    change = result.sweep.change[..., word]  # [layer, head]
    if result.after is not None:
        nats = abs(float(np.log(result.after[word]) - result.sweep.log_probability[word]))
        count = f"{control.n_texts_changed(nats)} of {len(control.texts)} control texts"
        return [f"This change is {nats:.2f} nats; in {count} some head changes the likeliest word by at least that."]
    if np.isnan(change).any():
        return []
    n_beyond = int((np.abs(change) > control.limit).sum())
    usual = round(float((np.abs(control.change) > control.limit).mean()) * change.size)
    so = "" if control.may_name else ", so no head is called special to this text"
    return [
        f"{n_beyond} of {change.size} heads pass the control limit; on a control text about {usual} do.",
        f"{naming_text(control)}{so}.",
    ]


def naming_text(control: AblationControl) -> str:
    """Return how often the rule names a head on control texts and on shuffled copies, with intervals."""
    if not all(rate.n_texts for rate in control.naming_rates):
        return "How often the rule names a head on such texts was not measured"
    texts, copies = (
        f"{share(rate.share)} ({100 * rate.interval[0]:.0f} to {100 * rate.interval[1]:.0f})"
        for rate in control.naming_rates
    )
    return (
        f"The rule that names a head names one on {texts} of the control texts and on {copies} of their shuffled copies"
    )


def attention_sentence(maps: AttentionMaps, head: HeadId, place: int) -> str:
    """Return which token gets most of a head's attention from the predicting token, other than that token itself."""
    row = maps.weights[head][place, : maps.n_keys].copy()
    tokens = maps.key_tokens or maps.tokens
    if maps.kind != "cross":
        row[place] = 0
    if not row.max():
        return ""
    key = int(row.argmax())
    first = "the first " if key == 0 and maps.kind != "cross" else ""
    source, target = markdown(maps.tokens[place].text), markdown(tokens[key].text)
    return f"From *{source}*, `{head}` gives {share(float(row[key]))} of its attention to {first}*{target}*."


def share(probability: float) -> str:
    """Return a probability as whole per cents, with a word where rounding would show 0 or 100.

    >>> share(0.773), share(0.004), share(0.998)
    ('77\\xa0%', 'less than 1\\xa0%', 'more than 99\\xa0%')
    """
    if 0 < probability < 0.005:
        return "less than 1\u00a0%"
    return "more than 99\u00a0%" if 0.995 <= probability < 1 else f"{100 * probability:.0f}\u00a0%"


def moves(before: float, after: float) -> str:
    """Return how a probability changes, as a verb with its values; equal as printed is no change.

    >>> moves(0.77, 0.13), moves(0.77, 0.7709)
    ('falls from 77\\xa0% to 13\\xa0%', 'stays at 77\\xa0%')
    """
    if share(before) == share(after):
        return f"stays at {share(before)}"
    return f"{'falls' if after < before else 'rises'} from {share(before)} to {share(after)}"


def _word(sweep: WordSweep, position: int) -> str:
    """Return a candidate as it is named; "the token" if it is a mark, white space or the rest of a word."""
    text, before = sweep.texts[sweep.ids[position]], sweep.tokens[sweep.place].text
    raws = (*sweep.raws.values(), *(token.raw for token in sweep.tokens))
    continues = before[-1:].isalnum() and any(raw[:1] in ("Ġ", "▁") for raw in raws)  # no space, as before words
    is_word = any(letter.isalnum() for letter in text) and not (continues and text[0].isalnum()) and text[:2] != "##"
    return f"{'' if is_word else 'the token '}*{markdown(sweep.words[position])}*"


def _heads(heads: Sequence[HeadId]) -> str:
    names = [f"`{head}`" for head in heads]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# ---- component data


def sentence_data(
    result: NextWords, word: int, maps: AttentionMaps | None = None, head: HeadId | None = None, is_mask: bool = False
) -> dict[str, Any]:
    """Return the text with its gap, the attention of one head from the predicting token, and the candidate words.

    Cross-attention is from the last token of the output, which is not in the text.
    """
    sweep, place = result.sweep, result.sweep.place
    is_cross = maps is not None and maps.kind == "cross"
    tokens = maps.key_tokens if maps is not None and is_cross else sweep.tokens
    shown = [number for number, token in enumerate(tokens) if not token.special or (number == place and is_mask)]
    data: dict[str, Any] = {
        "tokens": [
            {"text": tokens[number].text, "space": number > 0 and tokens[number].start > tokens[number - 1].end}
            for number in shown
        ],
        "gap": "none" if is_mask or is_cross else "end",
        "mask": shown.index(place) if is_mask else None,
        "title": "Likeliest words for the gap" if is_mask else "Likeliest next words",
        "hint": "click one to see its heads",
        "candidates": candidates_data(result, word),
    }
    if maps is None or head is None:
        return data
    row = maps.weights[head][min(place, maps.n_queries - 1)]  # [key]
    data["attention"] = {
        "head": str(head),
        "query": None if is_cross else shown.index(place),
        "from": "the gap" if is_mask else result.last_token,
        "first": 0 if maps.causal and shown[0] == 0 else None,  # the first token takes attention that no token needs
        "shares": [round(float(row[number]), 4) for number in shown],
        "least": SMALLEST_ARC,
    }
    return data


def guess_data(result: NextWords, is_mask: bool) -> dict[str, Any]:
    """Return the text with its gap alone, for a class that guesses first."""
    return sentence_data(result, 0, is_mask=is_mask) | {"candidates": [], "hint": "", "title": ""}


def output_text(result: NextWords, target: str) -> str:
    """Return the begun output of an encoder–decoder and its likeliest next word."""
    begun = f"*{markdown(target)}*" if target else "nothing yet"
    return f"Output so far: {begun}. The next word is {_word(result.sweep, 0)}, if the likeliest is written."


def candidates_data(result: NextWords, word: int) -> list[dict[str, Any]]:
    """Return a bar for each candidate word: name, spelling for the link, probability before and after."""
    sweep, rows = result.sweep, []
    for position, (number, name) in enumerate(zip(sweep.ids, sweep.words, strict=True)):
        before, spelling = float(sweep.probability[position]), sweep.texts[number]
        if spelling.strip() and next_word_text(sweep.text, spelling.strip()) != spelling:
            spelling = name  # "␣." is not what a typed "." would be
        after = None if result.after is None else float(result.after[position])
        text = _short(before) if after is None else f"{_short(before)} → {_short(after)}"
        spoken = f"{name}: {share(before)}" + ("" if after is None else f" before, {share(after)} after")
        rows.append(
            {"name": name, "word": spelling.strip() or name, "before": before, "after": after}
            | {"text": text, "label": spoken, "on": position == word}
        )
    return rows


def _short(probability: float) -> str:
    return share(probability).replace("less than ", "<\u00a0").replace("more than ", ">\u00a0")


def grid_data(
    sweep: WordSweep, word: int, versus: int | None, control: AblationControl | None,
    ablated: Collection[HeadId] = (), head: HeadId | None = None, group: int = 1,
) -> dict[str, Any]:  # fmt: skip
    """Return the change of a word without each head, as one cell a head.

    A cell has a state, a text and a shade from 0 to 1. Within the control limit a cell is empty.
    """
    change, logs = change_of(sweep, word, versus), sweep.change[..., word]
    states = cell_states(change, logs, control)
    past = np.isfinite(change) & (states != WITHIN)
    top = float(np.abs(change[past]).max(initial=0)) if versus is not None else float(sweep.probability[word])
    texts = {i: points(value, versus is None) for i, value in enumerate(change.ravel()) if past.flat[i]}
    filled = [i for i in texts if states.flat[i] in (HERE, RISE_HERE, FALL)]
    shades = {i: round(min(1.0, abs(float(change.flat[i])) / top), 3) for i in filled}
    return {
        "layers": change.shape[0], "heads": change.shape[1], "group": group, "states": "".join(states.ravel()),
        "texts": texts, "shades": shades, "names": _state_names(sweep, word, versus, control),
        "head": str(head) if head else None, "ablated": [str(each) for each in ablated],
        "label": f"Change of {sweep.words[word]} without each head, layers and heads",
    }  # fmt: skip


def cell_states(change: np.ndarray, logs: np.ndarray, control: AblationControl | None) -> np.ndarray:
    """Return a letter for each head, str [layer, head]; ``logs`` is the change of the log-probability, in nats."""
    states = np.where(change < 0, FALL, RISE)
    states[change == 0] = WITHIN
    if control is not None:
        states = np.where(change < 0, ELSEWHERE, RISE)
        states[np.abs(logs) <= control.limit] = WITHIN
        mainly_here = control.mainly_here(logs)
        states[mainly_here] = np.where(change < 0, HERE, RISE_HERE)[mainly_here]
    states[np.isnan(change)] = UNMEASURED
    return states


def grid_caption(sweep: WordSweep, word: int, versus: int | None) -> str:
    """Return what a number of the grid is, its unit, and the kind of ablation."""
    name = _word(sweep, word)
    if versus is not None:
        number = f"change of ln(P({name}) / P({_word(sweep, versus)})), in nats"
    else:
        number = f"change of {name}, in points of {share(float(sweep.probability[word]))}"
    return f"Number: {number}. Click a head to ablate it. {MEAN}"


def points(change: float, is_probability: bool) -> str:
    """Return a change as the text of a cell: points of 100, or nats, with a true minus.

    >>> points(-0.643, True), points(0.0042, True), points(-1.79, False)
    ('−64', '+0.4', '−1.8')
    """
    value = 100 * change if is_probability else change
    return signed(value, 0 if is_probability and abs(value) >= 0.995 else 1)


def _state_names(sweep: WordSweep, word: int, versus: int | None, control: AblationControl | None) -> dict[str, str]:
    """Return for each state its line in the legend and its words in a cell's label."""
    name = sweep.words[word]
    more = f"{name} gains on {sweep.words[versus]} without it" if versus is not None else "more likely without it"
    less = f"{name} loses to {sweep.words[versus]} without it" if versus is not None else "less likely without it"
    names = {UNMEASURED: "not measured", RISE: more, FALL: less, WITHIN: "no change"}
    if control is not None:
        before = float(sweep.probability[word])
        low, high = before * np.exp(-control.limit), min(1.0, before * np.exp(control.limit))
        names[HERE], names[ELSEWHERE] = f"{less}, mainly on this text", f"{less}, also on control texts"
        names[RISE_HERE], names[RISE] = f"{more}, mainly on this text", f"{more}, also on control texts"
        names[WITHIN] = f"within the control limit: {name} stays between {share(low)} and {share(high)}"
    return names


def table(sweep: WordSweep, row: ModelRow, link: str = "") -> Table:
    """Return the probability of every candidate word without each head: one row a head."""
    n_layers, n_heads, _ = sweep.change.shape
    heads = [HeadId(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    columns: dict[str, Any] = {"head": [str(head) for head in heads]}
    for position, name in enumerate(sweep.words):
        columns[f"{name}, all heads"] = np.full(len(heads), sweep.probability[position])
        columns[f"{name}, without the head"] = sweep.ablated_probability[..., position].ravel()
    about = (row.short, row.revision, row.origin)
    return Table(columns, without_maps((sweep.text,), about, MEAN, model_sha256=row.sha256, link=link))


def method(sweep: WordSweep, control: AblationControl | None) -> str:
    """Return how the numbers are measured, for the disclosure at the end of the page."""
    lines = [
        "**Probability** of a word: softmax over the whole vocabulary at the last token, or at the mask. A candidate "
        "is one token: a word, or the beginning of a longer one.",
        f"**Ablation**: {MEAN[9:]} The model runs again; later layers receive the changed values. Effects of single "
        "heads do not add up.",
        "**Control**: the same ablations on unrelated texts of similar length.",
    ]
    if control is not None:
        sources = ", ".join(f"{control.sources.count(source)} {source}" for source in dict.fromkeys(control.sources))
        lines.append(
            f"This text is compared with {len(control.texts)} control texts of {control.band[0]} to {control.band[1]} "
            f"tokens ({sources}). 90 of 100 of their ablations change the log-probability of the likeliest word by at "
            f"most {control.limit:.2f} nats: the **control limit**. A change, up or down, is *mainly on this text* if "
            "it passes the limit and is more than twice the largest change by the same head on any control text. "
            f"{naming_text(control)}, each judged against the control texts of other sources. A head is called special "
            f"to a text only if both are at most {share(HIGHEST_NAMING_RATE)}."
        )
    return "\n".join(f"- {line}" for line in lines)
