"""Phrases that no reader is shown: one thing has one name, and nothing is said that is not measured.

Held over every string of the sources that can reach a page, a file or an answer, and over the glossary. What only
names things inside the program is left alone: words of the link, columns of files, keys.
"""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from mha.assets import glossary

ROOT = Path(__file__).parents[1]
BANNED = {  # a pattern, and what is said in its place
    r"\b[Tt]old\b": "shown",
    r"\b[Tt]ell(s|ing)?\b": "show, distinguish",
    r"\b[Ss]tands?\b(?! out)": "is, appears",
    r"\blaid off\b": "",
    r"\blooks? along\b": "",
    r"\b(strongest|hardest|furthest) looks?\b(?! (at|from|ahead|back|like|there|away|in|most|mostly|only|much|around))":
        "connection",
    r"\b[Ww]hat (it|they|looks?|these looks|this look) brings?\b": "contribution",
    r"\b(brings?|brought)\b": "supplies",
    r"\b[Ss]et aside\b": "excluded",
    r"\bhabits?\b": "usual share, pattern",
    r"\b[Ff]loors?\b": "control limit",
    r"\b[Tt]wins?\b": "scrambled copy",
    r"\b[Pp]ivots?\b": "ambiguous word",
    r"\b[Pp]artners?\b": "candidate, match",
    r"\b[Cc]ue\b": "deciding word",
    r"\b[Ff]orc(e|es|ed)\b": "test pair",
    r"\b[Ss]ilenc(e|es|ed|ing)\b": "ablate",
    r"\b[Ss]witched (on|off)\b": "shown, hidden, ablated",
    r"\b[Ll]ocked\b": "selected",
    r"\b[Cc]hosen for you\b": "picked for you",
    r"\bneighbour-lookers\b": "neighbour heads",
    r"\bthe (right|wrong) way( round)?\b(?! in)": "the expected way, reversed",
    r"\bno more than\b": "at most; within",
    r"\bcount as [0-9{]": "look in … different ways",
    r"\bwith what stands there\b": "",
    r"\b[Uu]nder each head:": "",
    r"\b[Tt]o fade:": "",
    r"\b[Nn]ot normed\b": "not checked with readers",
    r"\bshared? out\b|\b[Ss]haring out\b": "shares of the change",
    r"\b[Bb]elieved\b": "trusted",
    r"\b(is|are) not shown to\b": "no link found",
    r"\bnot told apart\b": "",
    r"\bnone that\b|\bnot un(?!til|der)\w+": "",
    r"\b[Aa]bsent\b": "not written yet, hidden",
    r"(?<!share of a head is )\b([Dd]arker|[Bb]righter)\b":  # that one is on paper
        "a stronger colour: more is darker in the light theme alone",
    r"\bnot zero\b": "not computed yet",
    r"\bends? up\b": "",
    r"\bby a hair\b": "",
    r"\bdifferent (here|in this sentence)\b|\b[Uu]nusual patterns?\b": "as many in shuffled sentences",
    r"\bof yours\b|\bof somebody's own\b": "your sentences",
    r"\bto be had\b": "",
    r"\b[Ww]ords used above\b": "",
    r"\b[Tt]ake away\b": "Download",
    r"\b[Tt]hen show\b": "Show",
    r"\b[Mm]ay (not )?be said\b": "",
    r"\bheads? (understands?|interprets?|decides?|votes?|knows?|wants?|thinks?|believes?)\b": "",
    r"\b(reads|takes|resolves) (it|this|the sentence) as\b": "",
    r"\b(most )?important heads?\b": "",
    r"(?<!95 % )(?<!95\u00a0% )\binterval [0-9−+{]": "95 % interval",
    # Said once, and not so: without a control, of the best of many, or of one model only.
    r"usually look there": "usual share",
    r"\b[Hh]ardly moved\b": "both numbers",
    r"\btakes a part along\b": "what each ablation costs, in numbers",
    r"\b[Tt]raining makes heads\b": "",
    r"\bwhich also means\b": "",
    r"\bno other word looks at\b": "",
    r"\bloses? (only )?a little\b": "both numbers",
    r"\bdifferent ones\b": "effective number beside its bound",
}  # fmt: skip
FILES = sorted(
    path
    for pattern in (
        "mha/views/readings*.py", "mha/app/*.py", "pages/*.py",
        "mha/export/*.py", "mha/figures/print.py", "mha/server/*.py",
        "mha/engine/**/*.py",
    )
    for path in ROOT.glob(pattern)
)  # fmt: skip
SENTENCE = re.compile(r"[A-Za-z’]+[,:;]? +\S*[a-z]+")  # two words: else it is a name inside the program
KEPT = (  # names inside the program that look like sentences, or words of an address and of files
    "python -m mha", "columns text, pivot", "column text (and may have pivot", "scrambled twin", "untrained twin",
    "two readings", "switched off", "changes chosen", "changes copied", "changes about",
)  # fmt: skip


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield each string of a file with its line, docstrings and what is logged left out, slots as braces."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {id(part.value) for part in ast.walk(tree) if isinstance(part, ast.Expr)}
    for part in ast.walk(tree):
        logged = isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute)
        if logged and isinstance(part.func.value, ast.Name) and part.func.value.id == "log":
            skipped |= {id(one) for one in ast.walk(part)}
        if isinstance(part, ast.JoinedStr):
            skipped |= {id(one) for one in part.values}
    for part in ast.walk(tree):
        if id(part) in skipped:
            continue
        if isinstance(part, ast.JoinedStr):
            pieces = (one.value if isinstance(one, ast.Constant) else "{}" for one in part.values)
            yield part.lineno, "".join(map(str, pieces))
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.lineno, part.value


def shown(text: str) -> str:
    """Return a sentence as it is read: of a term what stands there, of a slot nothing of its name."""
    text = re.sub(r"\[\[([^\]|]+)(\|[^\]]+)?\]\]", r"\1", text)
    return re.sub(r"\{\w*\}", "{}", text)


def banned(text: str) -> list[str]:
    """Return the patterns that are in a text."""
    return [pattern for pattern in BANNED if re.search(pattern, shown(text))]


def test_no_string_of_a_page_has_a_phrase_that_was_given_up():
    assert len(FILES) > 50
    found = [
        (path.relative_to(ROOT).as_posix(), line, pattern, text)
        for path in FILES
        for line, text in strings(path)
        if SENTENCE.search(text) and not any(kept in text for kept in KEPT)
        for pattern in banned(text)
    ]
    assert found == []


def test_no_line_of_the_glossary_has_one():
    found = {term: banned(f"{term}: {line}") for term, line in glossary().items()}
    assert {term: patterns for term, patterns in found.items() if patterns} == {}


def test_no_question_has_one():
    content = json.loads((ROOT / "assets" / "questions.json").read_text(encoding="utf-8"))
    texts = [
        str(value) for part in ("claims", "more_claims", "questions") for row in content[part] for value in row.values()
    ]
    assert {text: banned(text) for text in texts if banned(text)} == {}
