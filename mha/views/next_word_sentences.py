"""The sentences of Next word, in Markdown: all words of a text or a vocabulary in them are escaped.

The largest change is always reported, with its rank among the control texts. A head is called special to a text only if
the control names heads rarely enough (`AblationControl.may_name`).
"""

from collections.abc import Sequence

import numpy as np

from mha.analysis.ablation_control import HIGHEST_NAMING_RATE, AblationControl, band_of
from mha.cuts import MOST_CUTS
from mha.formats import capitalise_first, from_to, in_words, markdown, moves, number, ordinal, share
from mha.maps import HeadId
from mha.views import cuts
from mha.views.next_word import MEAN_ABLATION, TENFOLD, NextWordCase, is_word, largest_change, word_name

ORDER = "The heads with the largest estimate come first. The estimate only sets the order: every number is measured."


def finding(case: NextWordCase) -> str:
    """Return the main sentence: the effect of cut links and ablated heads; without them the largest change measured so
    far; before that the likeliest word.

    The head that is special to this text comes first, if one may be named.
    """
    if case.prediction.after is not None:
        likeliest = case.prediction.likeliest_after
        end = "" if likeliest == case.sweep.words[0] else f", and {_name(case, likeliest)} is likeliest"
        return f"{capitalise_first(_condition(case))}, {_moves(case)}{end}."
    if case.is_early:
        return f"{case.model.short} predicts {word_name(case.sweep, 0)} with {share(float(case.sweep.probability[0]))}."
    largest, special = largest_change(case.change, case.smallest), next(iter(case.special), None)
    # A selected word does not change the shown head.
    shows_former_head = case.word_index and case.versus_index is None and not case.chosen
    if shows_former_head and case.head is not None and case.head != largest:
        return f"Without `{case.head}`, {_moves(case, case.head)}.{_largest(case, largest)}"
    so_far = f"the {case.sweep.n_measured} heads measured so far"
    if largest is None:
        unit, heads = "half a point" if case.versus_index is None else "0.05 nats", f"{case.n_heads} heads"
        return (
            f"None of {heads if case.is_complete else so_far} changes {_subject(case)} by {unit} when it is ablated "
            "alone."
        )
    if not case.is_complete:
        return f"Of {so_far}, `{largest}` changes {_subject(case)} most: {_from_to(case, largest)}."
    if special not in (None, largest):
        return f"Special to this text: without `{special}`, {_moves(case, special)}.{_largest(case, largest)}"
    start = "No head is special to this text. " if case.control and case.control.may_name and special is None else ""
    end, n_tokens = " and special to this text" if special else "", len(case.sweep.tokens)
    if band_of(n_tokens) is None and not case.model.two_sided:  # whose tokens are those of the output
        end = f"; a text of {in_words(n_tokens, 'token')} has no control"
    return f"{start}Without `{largest}`, {_moves(case, largest)}, the largest change of {case.n_heads} heads{end}."


def _condition(case: NextWordCase) -> str:
    """Return which heads are ablated and which links cut; "" for none."""
    return cuts.run_condition(case.prediction, case.prediction.ablated)


def _largest(case: NextWordCase, head: HeadId | None) -> str:
    """Return a second sentence on the largest change of all heads, "" before all are measured."""
    if head is None or not case.is_complete:
        return ""
    return f" The largest change of {case.n_heads} heads is without `{head}`: {_from_to(case, head)}."


def _subject(case: NextWordCase) -> str:
    """Return the selected word, or the lead of one word over another."""
    name = word_name(case.sweep, case.word_index)
    return name if case.versus_index is None else f"the lead of {name} over {word_name(case.sweep, case.versus_index)}"


def _name(case: NextWordCase, word: str) -> str:
    """Return a word of the vocabulary, which may be none of the next words, as sentences name it, in Markdown."""
    if word in case.sweep.words:
        return word_name(case.sweep, case.sweep.words.index(word))
    return f"{'' if any(map(str.isalnum, word)) else 'the token '}*{markdown(word)}*"


def _values(case: NextWordCase, head: HeadId | None) -> tuple[float, float]:
    """Return the probability, or the lead in nats, with all heads and links, and with the change.

    ``head`` is the one ablated head, or None for all ablated heads and cut links together.
    """
    sweep, word, versus = case.sweep, case.word_index, case.versus_index
    after = case.prediction.after if head is None else sweep.ablated_probability[head]
    assert after is not None
    if versus is None:
        return float(sweep.probability[word]), float(after[word])
    before = float(sweep.log_probability[word] - sweep.log_probability[versus])
    return before, float(np.log(after[word]) - np.log(after[versus]))


def _from_to(case: NextWordCase, head: HeadId) -> str:
    before, after = _values(case, head)
    return from_to(before, after) if case.versus_index is None else f"{number(before)} to {number(after)} nats"


def _moves(case: NextWordCase, head: HeadId | None = None) -> str:
    """Return the subject, the verb and the values of a change.

    ``head`` is None for all ablated heads and cut links together.
    """
    before, after = _values(case, head)
    if case.versus_index is None:
        return f"{_subject(case)} {moves(before, after)}"
    if number(before) == number(after):
        return f"{_subject(case)} stays at {number(before)} nats"
    return f"{_subject(case)} {'falls' if after < before else 'rises'} from {number(before)} to {number(after)} nats"


# ---- below the finding


def explanation(case: NextWordCase, guess: str = "", target: str = "") -> str:
    """Return what follows the finding: the guess, the begun output, the shown head, the cut links, the control."""
    prediction, sentences = case.prediction, [guess_text(case, guess) if guess else ""]
    if case.model.two_sided:
        sentences.append(output_text(case, target))
    if case.sweep.n_measured and not case.is_complete:
        sentences.append(ORDER)
    if case.head is not None:
        sentences.append(attention_text(case, case.head))
    if prediction.cut:  # the control texts are of ablated heads
        name = word_name(case.sweep, case.word_index)
        other_head = cuts.other_head_text(prediction, case.same_cut, case.uncut, case.word_index, name)
        no_effect_rate = cuts.no_effect_rate_text(case.model, cuts.studied_weight(prediction, case.uncut))
        sentences += [other_head, no_effect_rate]
    elif case.sweep.n_measured or prediction.ablated:
        sentences.append(control_text(case))
    return " ".join(filter(None, sentences))


def attention_text(case: NextWordCase, head: HeadId) -> str:
    """Return where the shown head attends, and how much of its effect ablation at that position alone brings."""
    place = case.sweep.place
    sentence = cuts.row_text(case.prediction, head, case.maps) or _attention(case, head)
    if sentence and case.prediction.ablated and case.model.predicts != "next":  # `next_word_case` ablates no others
        sentence += " This attention is measured with all heads on."
    if case.positions is None or len(case.sweep.tokens) == 1:
        return sentence
    everywhere, changes = case.position_effects
    if abs(everywhere) < case.smallest:
        return sentence
    before, change = float(case.sweep.probability[case.position_word]), float(changes[0])
    effect = (
        f"{word_name(case.sweep, case.position_word)} {moves(before, before + change)}"
        if case.versus_index is None
        else f"it changes the lead by {number(change)} of {number(everywhere)} nats"
    )
    alone = f"Ablated at {cuts.token_name(case.sweep.tokens, place)} alone, {effect}."
    if not case.acts_elsewhere:
        return f"{sentence} {alone}"
    which = "other tokens" if case.model.predicts == "mask" else "earlier tokens"
    return f"`{head}` acts at {which}. {alone}"


def _attention(case: NextWordCase, head: HeadId) -> str:
    """Return which token gets most of a head's attention from the predicting token, other than that token itself."""
    maps = case.maps
    if maps is None:
        return ""
    place, tokens = min(case.sweep.place, maps.n_queries - 1), maps.key_tokens or maps.tokens
    row = maps.weights[head][place, : maps.n_keys].copy()
    if maps.kind != "cross":
        row[place] = 0
    if not row.max():
        return ""
    key = int(row.argmax())
    source, target = cuts.token_name(maps.tokens, place), cuts.token_name(tokens, key)
    if key == 0 and maps.kind != "cross":
        target = f"the first {target.removeprefix('the ')}"
    return f"From {source}, `{head}` gives {share(float(row[key]))} of its attention to {target}."


def control_text(case: NextWordCase) -> str:
    """Return on how many control texts some head has as large a change, or why the change cannot be compared."""
    ablated = case.prediction.ablated
    if len(ablated) > 1:
        return ""
    if case.control is None:
        return case.no_control
    head = ablated[0] if ablated else largest_change(case.change, case.smallest)
    if head is None or not (ablated or case.is_complete):
        return ""
    before, without = _values(case, None if ablated else head)
    if abs(without - before) < case.smallest:
        return ""
    in_nats = abs(float(np.log(without) - np.log(before)))
    n_same = int((np.abs(case.control.change[:, head.layer, head.head]) >= in_nats).sum())
    sentence = (
        f"In {case.control.n_texts_changed(in_nats)} of {len(case.control.texts)} control texts some head changes the "
        f"likeliest word as much ({number(in_nats)} nats), `{head}` itself in {n_same}."
    )
    return sentence if case.control.may_name else f"{sentence} No head is called special: {naming_text(case.control)}."


def naming_text(control: AblationControl) -> str:
    """Return how often the rule names a head on control texts and on shuffled copies, with intervals."""
    if not all(rate.n_texts for rate in control.naming_rates):
        return "how often the rule names a head on such texts was not measured"
    texts, copies = (
        f"{share(rate.share)} ({100 * rate.interval[0]:.0f} to {100 * rate.interval[1]:.0f})"
        for rate in control.naming_rates
    )
    return f"the rule would name a head on {texts} of these texts and {copies} of shuffled copies"


def guess_text(case: NextWordCase, guess: str) -> str:
    """Return how likely the guessed word is, before and after a cut, or "" if it is none of the next words."""
    index, after = case.sweep.index_of(guess), case.prediction.after
    if index is None:
        return ""
    now = f"; {share(float(after[index]))} {_condition(case)}" if after is not None else ""
    return f"Your guess: {word_name(case.sweep, index)}, {share(float(case.sweep.probability[index]))}{now}."


def question(case: NextWordCase) -> str:
    """Return the question of guess first."""
    condition = _condition(case)
    which = f"{capitalise_first(condition)}, which" if condition else "Which"
    return f"{which} word does {case.model.short} expect? Make a guess before you see the results."


def output_text(case: NextWordCase, target: str) -> str:
    """Return the begun output of an encoder–decoder and its likeliest next word."""
    begun = f"*{markdown(target)}*" if target else "nothing yet"
    return f"Output so far: {begun}. The next word is {word_name(case.sweep, 0)}, if the likeliest is written."


# ---- ranks and the grid


def rank_title(case: NextWordCase) -> tuple[str, str, str]:
    """Return what the rank line is, as plain text before the selected word, the word, and the rest."""
    assert case.ranks is not None
    kind = "" if is_word(case.sweep, case.word_index) else "the token "
    heads = ", with all heads on" if case.prediction.ablated and not case.prediction.cut else ""
    tokens = f" among {case.ranks.vocabulary:,} tokens if the model stopped after a layer{heads}"
    return f"Rank of {kind}", case.sweep.words[case.word_index], tokens


def rank_text(case: NextWordCase) -> str:
    """Return where the rank of the selected word falls most, or that it does not, or why there are no ranks.

    With links cut it is where they change the rank most. It is "" while the ranks are computed.
    """
    if case.ranks is None:
        return f"No rank after each layer: {markdown(case.no_ranks)}" if case.no_ranks else ""
    name, rank = word_name(case.sweep, case.word_index), case.ranks.rank.tolist()
    if case.changed_ranks is not None:
        return changed_rank_text(case, name, rank, case.changed_ranks.rank.tolist())
    name, last = capitalise_first(name), len(rank) - 1
    if not last:
        return f"{name} ranks {ordinal(rank[0])} after the only layer."
    if set(rank) == {1}:
        return f"{name} ranks first after every layer."
    layer_pairs = [(start, end) for start in range(last) for end in (start + 1, start + 2) if end <= last]
    drops = [(start, end) for start, end in layer_pairs if rank[start] > TENFOLD * rank[end]]
    if not drops:
        first_and_last = f"{ordinal(rank[0])} after layer 0 and {ordinal(rank[-1])} after layer {last}"
        return f"{name} ranks {first_and_last}. No two successive layers divide its rank by more than ten."
    # One layer goes before two, and the last layer after the others.
    start, end = max(drops, key=lambda drop: (drop[1] - drop[0] < 2, drop[1] < last, rank[drop[0]] / rank[drop[1]]))
    sentence = f"{name} ranks {ordinal(rank[start])} after layer {start} and {ordinal(rank[end])} after layer {end}."
    if end == last or (end == last - 1 and rank[end] == rank[last]):
        return sentence
    return f"{sentence} It ranks {ordinal(rank[-2])} before the last layer and {ordinal(rank[-1])} after it."


def changed_rank_text(case: NextWordCase, name: str, former: Sequence[int], ranks: Sequence[int]) -> str:
    """Return after which layer the cut links change the rank of the word by the largest factor, or that they do not."""
    condition = f"With {cuts.short_condition(case.prediction)}, {name}"
    layer = int(np.abs(np.log(np.array(ranks) / np.array(former))).argmax())
    if ranks[layer] == former[layer]:
        return f"{condition} has the same rank after every layer."
    return f"{condition} ranks {ordinal(ranks[layer])} after layer {layer} instead of {ordinal(former[layer])}."


def grid_caption(case: NextWordCase) -> str:
    """Return what a number of the grid is, its unit, and the kind of ablation."""
    name = word_name(case.sweep, case.word_index)
    if case.versus_index is not None:
        quantity = f"change of ln(P({name}) / P({word_name(case.sweep, case.versus_index)})), in nats"
    else:
        quantity = f"change of {name}, in points of {share(float(case.sweep.probability[case.word_index]))}"
    uncut = ", measured with no link cut" if case.prediction.cut else ""
    return f"Number: {quantity}{uncut}. Click a head to ablate it (mean ablation)."


def method(case: NextWordCase) -> str:
    """Return how the numbers are measured, for the disclosure at the end of the page."""
    lines = [
        "**Probability** of a word: softmax over the whole vocabulary at the last token, or at the mask. A next word "
        "is one token: a word, or the beginning of a longer one.",
        f"**Mean ablation**: {MEAN_ABLATION} The model runs again; later layers receive the changed values. Effects of "
        "single heads do not add up. A head is ablated at all positions, but arcs start at the last one. So arcs are "
        "shown next to an effect only if ablation at that position brings at least half of it. Otherwise the tint of a "
        "word is the effect of ablation at its position, for at most nine positions with the largest estimate.",
        "**Cut link**: a click on an arc sets that weight to 0 and rescales the rest of its row to the former sum; the "
        f"model runs again. At most {MOST_CUTS} links are cut together. A link with a large weight may have no effect. "
        f"{cuts.no_effect_rate_text(case.model)}",
        "**Order**: two gradients estimate the effect of each head on the selected word. The 8 heads with the largest "
        "estimate are measured first, then layers 0 and 1 and the leading 30, then the others.",
        "**Rank after a layer**: the model’s last norm and output layer read the state after each layer, at the "
        "position that predicts (“logit lens”, nostalgebraist 2020). Both were trained for the last layer only.",
        f"**Model**: {markdown(case.model.source)}.",
        "**Control**: the same ablations on unrelated texts of similar length.",
    ]
    control = case.control
    if control is not None:
        sources = ", ".join(f"{control.sources.count(source)} {source}" for source in dict.fromkeys(control.sources))
        change = np.abs(case.sweep.change[..., 0])
        usual = round(float((np.abs(control.change) > control.limit).mean()) * change.size)
        here = f"; here {int((change > control.limit).sum())}" if case.is_complete else ""
        lines.append(
            f"This text is compared with {len(control.texts)} control texts of {control.band[0]} to {control.band[1]} "
            f"tokens ({sources}), in nats, since their words have other probabilities. 90 of 100 of their ablations "
            f"change the log-probability of the likeliest word by at most {control.limit:.2f} nats: the **control "
            f"limit**. On a control text about {usual} of {change.size} heads pass it{here}. A control text "
            "has *as large* a change if any head changes its likeliest word at least as much. A change is *special to "
            "this text* if it passes the limit and is more than twice the largest change by the same head on any "
            f"control text. {capitalise_first(naming_text(control))}, each judged against the control texts of other "
            f"sources. A head is called special to a text only if both are at most {share(HIGHEST_NAMING_RATE)}."
        )
    return "\n".join(f"- {line}" for line in lines)
