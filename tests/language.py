"""Measure how far names and sentences are from the field's terms and plain English: ``python -m tests.language``.

The table has six numbers: the share of bindings that are a bare participle or a bare pronoun, the share of functions
with such a name, and habits per 1,000 words of docstrings, comments and documents. ``--worst N`` lists the N files with
the most habits per 1,000 words. `tests/size.json` has their limits.
"""

import argparse
import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
CODE = ("mha", "pages", "studies", "tools")  # folders; app.py is read, too
PARTICIPLES = frozenset(
    re.findall(
        r"\w+",
        "said told made found asked given known drawn kept shown brought sent taken done left named chosen held passed "
        "recorded measured carried written standing moved placed filled listed counted wanted answered opened lent "
        "tried swept looked learned trained fitted merged",
    )
)
PRONOUNS = frozenset(  # with adverbs and prepositions
    re.findall(
        r"\w+",
        "one other others own mine here there these those this every each some what who how where why so now again "
        "instead beside before after away apart alone together inside within whole rest least most about over of at by "
        "on off",
    )
)
HABITS = {
    "what as a noun": r"\b[Ww]hat (is|was|are|were|has|have|can|cannot|may|does|did|do|comes?|came|stands?|leaves?"
    r"|takes?|travels?|waits?|runs?|reads?|makes?|holds?|follows?|goes|a|an|the|it|they|he|one|others|of|each|every|no|some"
    r"|any|there)\b",
    "things that say or tell": r"\b(says?|said|told|tells?|telling)\b",
    "stands, stood": r"\b(stands?|stood|standing)\b(?! (out|for|in for))",
    "fronted 'Of …'": r"(?:^|[.;:] )Of (a|an|the|these|those|which|what|whom|others|several|two|one|more|[A-Z]\w+)\b",
    "None without a verb": r"\b(none|None|nothing|null|NaN) (where|without|for|of)\b",
    "'is none', 'is no x'": r"\b(is|are|was|were) (none|no [a-z]+)\b",
    "whoever, nobody": r"\b(who|what|which)ever\b|\b(some|no|any)body\b",
    "beside, anew": r"\b(beside|anew)\b",
    "bring, brought": r"\b(brings?|brought|bringing)\b",
    "in the place of": r"\bin (the|its|their) place\b",
    "as x has it": r"\bas (it|they|[a-z]+s?) (stands?|ha(s|ve) (it|them)|comes?)\b",
    "one that, those that": r"\b(one|those|that) (that|which|who)\b",
}
RELATIVE = re.compile(r"\b(which|that|what|where|whose|whom|who)\b")
QUESTION = re.compile(r"[^.;:|\n?]*\?")  # a question may begin with "what"


class Language(NamedTuple):
    """Names and texts of a code base: how often each name is bound, each function's name, and its prose."""

    bindings: Counter[str]
    functions: list[str]
    docstrings: list[str]
    comments: list[str]
    documents: list[str]


def read_language(sources: Iterable[str], documents: Iterable[str] = ()) -> Language:
    """Return the names and texts of Python sources, and the documents as they are."""
    language = Language(Counter(), [], [], [], list(documents))
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                if not node.name.startswith("__"):
                    language.functions.append(node.name.strip("_"))
                parameters = [*node.args.args, *node.args.kwonlyargs]
                language.bindings.update(item.arg for item in parameters if item.arg not in ("self", "cls"))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                language.bindings[node.id] += 1
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                language.docstrings.extend(filter(None, [ast.get_docstring(node)]))
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        language.comments.extend(token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT)
    return language


def count_habits(texts: Iterable[str]) -> Counter[str]:
    """Return how often each habit occurs in texts; questions are left out.

    >>> count_habits(["Return what is drawn. What is a head?"])
    Counter({'what as a noun': 1})
    """
    hits: Counter[str] = Counter()
    for text in texts:
        statements = QUESTION.sub(" ", text)
        for habit, pattern in HABITS.items():
            hits[habit] += len(re.findall(pattern, statements))
        sentences = re.split(r"(?<=[.;:])\s", statements)
        hits["three relative clauses"] += sum(len(RELATIVE.findall(sentence)) >= 3 for sentence in sentences)
    return +hits


def habit_rate(texts: list[str]) -> float:
    """Return habits per 1,000 words of texts, rounded to one decimal."""
    words = sum(len(text.split()) for text in texts)
    return round(1000 * count_habits(texts).total() / max(words, 1), 1)


def language_counts(language: Language) -> dict[str, float]:
    """Return the six numbers of the table: three in per cent, three per 1,000 words."""
    bindings, functions = max(language.bindings.total(), 1), max(len(language.functions), 1)
    unclear = sum(name in PARTICIPLES | PRONOUNS for name in language.functions)
    return {
        "participles_percent": round(100 * sum(language.bindings[name] for name in PARTICIPLES) / bindings, 1),
        "pronouns_percent": round(100 * sum(language.bindings[name] for name in PRONOUNS) / bindings, 1),
        "functions_percent": round(100 * unclear / functions, 1),
        "docstring_habits": habit_rate(language.docstrings),
        "comment_habits": habit_rate(language.comments),
        "document_habits": habit_rate(language.documents),
    }


def code_files() -> Iterator[Path]:
    """Yield the Python files whose language is measured."""
    for folder in CODE:
        yield from sorted((ROOT / folder).rglob("*.py"))
    yield ROOT / "app.py"


def document_files() -> list[Path]:
    """Return the documents whose language is measured."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def project_language() -> Language:
    """Return the names and texts of this project."""
    return read_language(
        *([file.read_text(encoding="utf-8") for file in files] for files in (code_files(), document_files()))
    )


def worst_files(number: int) -> list[str]:
    """Return one line for each of the files with the most habits per 1,000 words, of those with over 60 words."""
    rates = []
    for file in (*code_files(), *document_files()):
        source = file.read_text(encoding="utf-8")
        language = read_language([source]) if file.suffix == ".py" else read_language([], [source])
        texts = [*language.docstrings, *language.comments, *language.documents]
        if sum(len(text.split()) for text in texts) > 60:
            rates.append((habit_rate(texts), f"{file.relative_to(ROOT)}: {count_habits(texts).total()} habits"))
    return [f"{name}, {rate:.0f} per 1,000 words" for rate, name in sorted(rates, reverse=True)[:number]]


def main() -> None:
    """Print the table, the commonest unclear names and habits, and the worst files on request."""
    from tests.size import table

    parser = argparse.ArgumentParser(prog="python -m tests.language", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="list the N files with the most habits")
    options = parser.parse_args()
    language = project_language()
    print(table(language_counts(language)))
    unclear = [(name, count) for name, count in language.bindings.most_common() if name in PARTICIPLES | PRONOUNS]
    print("Commonest names:", ", ".join(f"{name} {count}" for name, count in unclear[:24]))
    habits = count_habits([*language.docstrings, *language.comments, *language.documents])
    print("Habits:", ", ".join(f"{habit} {count}" for habit, count in habits.most_common()))
    print("\n".join(worst_files(options.worst)))


if __name__ == "__main__":
    main()
