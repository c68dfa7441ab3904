"""Write assets/lexicon.txt.gz: ``python -m tools.lexicon WORDNET NAMES``, two folders that are not kept here.

WORDNET has the files of WordNet 3.0 (the `dict` folder; Debian's package wordnet-base has it), NAMES the first names of
the census of 1990 (`dist.male.first`, `dist.female.first`; the package names has them), which are in the public domain.
"""

import argparse
import gzip
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from mha.analysis.proposals.lexicon import FILE

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
# The kind of a noun, by WordNet's lexicographer files 03 (Tops) to 28 (time): animal, person, group, thing, location,
# time (s), event or act, communication, and abstract things (b).
KINDS = dict(zip(range(3, 29), "beatbtbcebtglbtpbtbbbbtbts", strict=True))
MOST = {"m": 1000, "f": 1800}  # the commonest names of men and women
NOTICE = """WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved.
Permission to use, copy, modify and distribute this software and database and its documentation for any purpose and
without fee or royalty is hereby granted, provided that you agree to comply with the following copyright notice and
statements, including the disclaimer, and that the same appear on ALL copies of the software, database and
documentation, including modifications that you make for internal use or for distribution.
THIS SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES, EXPRESS
OR IMPLIED. BY WAY OF EXAMPLE, BUT NOT LIMITATION, PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES OF
MERCHANTABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR THAT THE USE OF THE LICENSED SOFTWARE, DATABASE OR
DOCUMENTATION WILL NOT INFRINGE ANY THIRD PARTY PATENTS, COPYRIGHTS, TRADEMARKS OR OTHER RIGHTS.
The name of Princeton University or Princeton may not be used in advertising or publicity pertaining to distribution of
the software and/or database. Title to copyright in this software, database and any associated documentation shall at
all times remain with Princeton University and LICENSEE agrees to preserve same.
This is a modified extract: single words, how often they are which part of speech, and what kind of thing a noun is."""


def counts(folder: Path) -> dict[tuple[str, str, int], int]:
    """Return how often each sense occurs in WordNet's tagged texts, by lemma, part of speech and sense number."""
    totals = {}
    for line in (folder / "cntlist.rev").read_text().splitlines():
        key, sense, count = line.split()
        lemma, sense_key = key.split("%")
        totals[lemma, "_nvara"[int(sense_key[0])], int(sense)] = int(count)
    return totals


def senses(folder: Path, part: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each lemma of a part of speech with the offsets of its senses, the commonest first."""
    for line in (folder / f"index.{PARTS[part]}").read_text().splitlines():
        if not line.startswith(" "):
            fields = line.split()
            yield fields[0], fields[-int(fields[2]) :]


def synsets(folder: Path) -> dict[str, tuple[int, list[str]]]:
    """Return each noun synset's lexicographer file and its words as they are written."""
    kinds = {}
    for line in (folder / "data.noun").read_text().splitlines():
        if not line.startswith(" "):
            fields = line.split()
            kinds[fields[0]] = int(fields[1]), fields[4 : 4 + 2 * int(fields[3], 16) : 2]
    return kinds


def kinds(weights: Iterable[tuple[str, float]]) -> str:
    """Return the kinds of a noun that have a fifth of its weight or more, the heaviest first."""
    total: Counter[str] = Counter()
    for kind, weight in weights:
        total[kind] += weight  # type: ignore[assignment]
    return "".join(kind for kind, weight in total.most_common() if weight >= total.total() / 5)


def lines(folder: Path, names: Path) -> list[str]:
    """Return the lines of the lexicon: "word n=kinds+weight v=… a=… r=… m=… f=… < irregular form of"."""
    frequencies, things, entries = counts(folder), synsets(folder), defaultdict[str, dict[str, str]](dict)
    for part in PARTS:
        for lemma, offsets in senses(folder, part):
            if not lemma.isalpha() or len(lemma) < 2:
                continue
            weights = [frequencies.get((lemma, part, n), 0) + 0.3 / n for n in range(1, len(offsets) + 1)]
            tags = ""
            if part == "n":
                pairs = [(KINDS[things[offset][0]], weight) for offset, weight in zip(offsets, weights, strict=True)]
                common = [
                    pair
                    for pair, offset in zip(pairs, offsets, strict=True)
                    if lemma in things[offset][1] or (pair[0] in "lsp" and sum(weights) >= 1)
                ]  # a capitalised word is a name; places, months and known people stay
                if not common:
                    continue
                tags = kinds(common)
            entries[lemma][part] = tags + f"{min(15, round(1.5 * math.log2(1 + sum(weights)))):x}"
    for part in PARTS:
        for line in (folder / f"{PARTS[part]}.exc").read_text().splitlines():
            form, *lemmas = line.split()
            if form.isalpha() and lemmas[0].isalpha():
                entries[form].setdefault("<", "")
                entries[form]["<"] = ",".join(filter(None, [entries[form]["<"], part + lemmas[0]]))
    for name, sex in first_names(names):
        entries[name][sex] = ""
    return [f"{word} {' '.join(key + value for key, value in entries[word].items())}" for word in sorted(entries)]


def first_names(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the commonest first names with m or f, or e where both have them: one not thrice as often as the other."""
    share = {}
    for sex, gender in (("m", "male"), ("f", "female")):
        rows = (line.split() for line in (folder / f"dist.{gender}.first").read_text().splitlines())
        share[sex] = {row[0].lower(): float(row[1]) for row in rows}
    for sex, opposite in (("m", "f"), ("f", "m")):
        for name, percent in list(share[sex].items())[: MOST[sex]]:
            opposite_share = share[opposite].get(name, 0)
            if 3 * percent > opposite_share:
                yield name, sex if percent > 3 * opposite_share else "e"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools.lexicon", description=__doc__)
    parser.add_argument("wordnet", metavar="WORDNET", type=Path, help="the folder dict of WordNet 3.0")
    parser.add_argument("names", metavar="NAMES", type=Path, help="the folder of the first names")
    options = parser.parse_args()
    lines_of_file = [*(f"# {line}" for line in NOTICE.splitlines()), *lines(options.wordnet, options.names)]
    FILE.write_bytes(gzip.compress("\n".join(lines_of_file).encode(), mtime=0))
    print(f"{FILE}: {len(lines_of_file):,} lines, {FILE.stat().st_size:,} bytes")
