"""What this model can be asked: the table at the foot of Heads, true of every model by its kind."""

from __future__ import annotations

from mha.models.files.rows import ModelRow


def askable_entries(row: ModelRow) -> list[dict[str, str]]:
    """Return what a transformer can be asked on these pages: questions as names, answers as texts."""
    return [{"name": name, "text": text} for name, text in _rows(row)]


def _rows(row: ModelRow) -> tuple[tuple[str, str], ...]:
    predicts = row.predicts
    looks = (
        ("Where it looks, step by step", "yes")
        if predicts == "next"
        else ("Where a target looks in the source", "yes")
        if predicts == "target"
        else ("Where it looks", "yes")
    )
    next_word = {
        "next": ("The next word, and which head moves it", "yes"),
        "target": ("The next word of a target", "yes: it writes one beside the text"),
        "mask": ("The next word", "no, it fills gaps: type [MASK] for a missing word"),
        "": ("The next word", "no, this model has no layer for that"),
    }[predicts]
    if row.example:
        return (looks, next_word, ("Two readings, Change a word", "only with the few words this model knows"))
    both = (
        (
            "Readings decided by later words",
            "no, this model reads left to right: put the deciding word first",
        )
        if row.causal
        else ("Readings decided by later words", "yes, by the encoder" if row.two_sided else "yes")
    )
    alike = (
        ("Compare two versions that begin alike", "yes, from the first word that differs")
        if row.causal
        else ("Compare two versions", "yes, by the encoder" if row.two_sided else "yes")
    )
    return (looks, next_word, both, alike)
