"""The glossary is whole: one line a term, and a line for every statistic and every word of a caption."""

import ast
import re
from pathlib import Path

from mha.analysis.statistics import STATISTICS
from mha.assets import GLOSSARY, glossary

REPOSITORY = Path(__file__).resolve().parents[1]
TERM = re.compile(r"\[\[([^\]|]+)(?:\|([^\]]+))?\]\]")


def test_every_entry_of_the_file_is_one_sentence_on_one_line():
    entries = [line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("-")]
    assert len(entries) == len(glossary()) > 30, "and no term is explained twice"
    for term, sentence in glossary().items():
        assert sentence.endswith("."), term
        assert len(sentence) <= 240, term
        assert len(sentence.split()) <= 30, term


def test_every_definition_stands_on_words_defined_above_it():
    terms = list(glossary())
    early = {
        term: [later for later in terms[place + 1 :] if re.search(rf"\b{re.escape(later)}(s|es)?\b", glossary()[term])]
        for place, term in enumerate(terms)
    }
    assert {term: later for term, later in early.items() if later} == {}


def test_every_statistic_has_its_line():
    missing = [row.key for row in STATISTICS if row.key.replace("_", " ") not in glossary()]
    assert missing == []


def test_every_term_of_a_caption_has_its_line():
    files = [path for folder in ("pages", "mha/app", "mha/views") for path in (REPOSITORY / folder).rglob("*.py")]
    used = [
        (path.name, match[2] or match[1])
        for path in files
        if path.name not in ("captions.py", "spans.py", "blocks.py")  # which explain the brackets themselves
        for text in strings(path)
        for match in TERM.finditer(text)
    ]
    assert used
    assert [item for item in used if item[1] not in glossary()] == []


def strings(path: Path) -> list[str]:
    """Return the string constants of a file: brackets in code are not brackets of a caption."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
