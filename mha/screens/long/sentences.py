"""What is said of a long text: what was read and what was not, the hardest look, and what is kept."""

from __future__ import annotations

from mha.formats import percent
from mha.models.watch.lengths import Measure
from mha.screens.blocks import Said, Span, as_text, say
from mha.screens.long.surveyed import AT, SurveyedText

NO_LINK = "Links do not include long texts. Send the text along with the link."
COMPARE = "Early tokens have fewer tokens to look at, so their shares are larger. Compare heads, not rows."

NO_LINE = "No other token does."
NO_MAP = "Hatched: not computed yet."


def read(measure: Measure, begin: int, n_read: int) -> str:
    """Return what of the text was read and what was not; ``n_read`` tokens from the token ``begin`` on."""
    if n_read >= measure.n_tokens:
        return f"Read: all {measure.n_tokens:,} tokens (limit {measure.most:,})."
    last = min(begin + n_read, measure.n_tokens)
    line = f"Read: tokens {begin:,} to {last - 1:,} of {measure.n_tokens:,}"
    line += ", the limit of this model." if n_read >= measure.most else "."
    parts = []
    if begin:
        parts.append(f"the first {begin:,}")
    if measure.n_tokens > last:
        parts.append(f"the last {measure.n_tokens - last:,}")
    if not parts:
        return line
    return f"{line} Not read: {' and '.join(parts)}."


def finding(long: SurveyedText) -> Said:
    """Return the sentence of the view: the hardest look at the locked token, or from it."""
    found, token = long.survey, long.name(long.token)
    n_heads = found.n_layers * found.n_heads
    look = long.hardest
    number = f"token {long.token:,}"
    if look is None or look.weight <= 0:
        none = "In no head does another token look at {token} ({number})."
        sentence = none if long.at else "{token} ({number}) looks at no other token."
        return Said("cell-lead lead", say(sentence, token=token, number=number))
    other = look.query if long.at else look.key
    distance = abs(look.query - look.key)
    way = "later" if other > long.token else "before"
    far = f"{distance:,} {'token' if distance == 1 else 'tokens'} {way}"
    share = percent(look.weight) if look.weight >= 0.005 else "less than 1\u00a0%"
    many = f"Of {n_heads:,} heads, {{head}} looks" if n_heads > 1 else "The only head, {head}, looks"
    if long.at:
        line = f"{many} most at {{token}} ({number}): from {{other}}, {far}, {share} of its attention."
    else:
        line = f"{many} most from {{token}} ({number}): to {{other}}, {far}, {share} of its attention."
    return Said("cell-lead lead", say(line, head=look.head, token=token, other=long.name(other)))


def lines_title(long: SurveyedText) -> tuple[Span, ...]:
    """Return the title of the hardest looks."""
    token = long.name(long.token)
    return say("Most attention to {token}" if long.at else "{token} gives most attention to", token=token)


def ink(long: SurveyedText) -> tuple[Span, ...]:
    """Return what the ink in the window means."""
    token = long.name(long.token)
    absent = ""
    if long.survey.causal:
        later, earlier = " Grey: later words, which it cannot see.", " Grey: earlier words, which cannot look ahead."
        absent = earlier if long.at else later
    if long.at:
        return say(f"Darker: more attention to {{token}} in this head.{absent}", token=token)
    return say(f"Darker: more attention from {{token}} in this head.{absent}", token=token)


def map_about(long: SurveyedText) -> str:
    """Return what stands under the map of the window: its direction, and what is framed in it."""
    if long.whole is None:
        return NO_MAP
    way = "look back at" if long.survey.causal else "look at"
    framed = f" {as_text((long.name(long.token),))}: the framed {'column' if long.at else 'row'}."
    return f"Rows {way} columns, inside the window." + (framed if long.token in long.window else "")


def profiles_title(long: SurveyedText) -> tuple[Span, ...]:
    """Return the title of the profiles."""
    token = long.name(long.token)
    if long.at:
        return say("Attention to {token}, whole text", token=token)
    return say("Attention from {token}, whole text", token=token)


def profiles_about(long: SurveyedText) -> str:
    """Return the line under that title."""
    n_heads = long.survey.n_layers * long.survey.n_heads
    line = f"One line per head ({n_heads:,})."
    if not long.survey.causal:
        return line
    return f"{line} Hatched: {'tokens that cannot see it' if long.side == AT else 'tokens it cannot see'}."


def kept(long: SurveyedText, whole: bool) -> str:
    """Return what is kept of the text, and what is not; ``whole`` says that the pinned head's map is."""
    found, n = long.survey, long.n_tokens
    heads = found.n_layers * found.n_heads
    side = found.overview.shape[-1]
    parts = [(f"the overview, {heads:,} × {found.overview.shape[-2]} × {side}", 4 * found.overview.size)]
    parts.append(("attention to and from the selected token", 8 * heads * n))
    if whole:
        parts.append((f"all of {long.head}, {n:,} × {n:,}", 2 * n * n))
    said = "; ".join(f"{name} ({_megabytes(size)})" for name, size in parts)
    return f"Saved: {said}. Too large to save: all maps ({_megabytes(4 * heads * n * n)})."


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f} MB" if size >= 10 * 2**20 else f"{size / 2**20:.1f} MB"


def under_way(done: int, whole: int, seconds: float, again: bool) -> str:
    """Return how far a survey is, and about how long it still takes."""
    what = "One head’s whole map: layer" if again else "Layer"
    if not done:
        return f"{what} 1 of {whole}."
    to_go = seconds / done * (whole - done)
    return f"{what} {min(done + 1, whole)} of {whole} · about {to_go:.0f} s left"


def stopped(done: int, whole: int, known: bool) -> str:
    """Return what is said of a survey that was stopped; ``known`` where all heads were looked at before."""
    line = f"Stopped after {done} of {whole} layers."
    if known:
        return f"{line} The heads below are from your previous request for this text."
    return f"{line} Hatched layers are not computed yet." if done else f"{line} Nothing is drawn."
