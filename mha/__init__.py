"""Parallax from a notebook: record, measure and draw where every head of a transformer looks.

>>> import mha
>>> maps = mha.attend("I saw the man with the telescope")
>>> maps[5, 3].shape
(9, 9)

Names load the module behind them on first use (PEP 562), so that ``import mha`` costs no torch.
"""

from importlib import import_module
from typing import Any

from mha import old_names

_HOME = {
    "AttentionMaps": "mha.maps",
    "AttentionUnavailable": "mha.errors",
    "Busy": "mha.errors",
    "Cell": "mha.models.watch.cell",
    "Comparison": "mha.intervention.comparing",
    "Cut": "mha.cuts",
    "Continuations": "mha.intervention.readout",
    "Contributions": "mha.models.watch.cell",
    "Direct": "mha.intervention.outcomes",
    "Fills": "mha.intervention.readout",
    "Generation": "mha.models.watch.generating",
    "HeadEffects": "mha.analysis.head_effects",
    "HeadId": "mha.maps",
    "Induction": "mha.intervention.induction",
    "InputError": "mha.errors",
    "LinkError": "mha.errors",
    "MHAError": "mha.errors",
    "LinkSweep": "mha.intervention.outcomes",
    "ModelError": "mha.errors",
    "ModelUnavailable": "mha.errors",
    "NotComparable": "mha.errors",
    "PartialGeneration": "mha.models.watch.generating",
    "NextWords": "mha.intervention.outcomes",
    "Patch": "mha.intervention.outcomes",
    "Prediction": "mha.intervention.outcomes",
    "Proposal": "mha.analysis.proposals",
    "Reading": "mha.maps",
    "Recording": "mha.maps",
    "ShapeError": "mha.errors",
    "ShuffleControl": "mha.analysis.shuffles",
    "Survey": "mha.models.watch.survey",
    "Sweep": "mha.intervention.outcomes",
    "Targets": "mha.intervention.readout",
    "Token": "mha.maps",
    "Translation": "mha.intervention.next_words",
    "UnknownModel": "mha.errors",
    "WordRanks": "mha.intervention.outcomes",
    "WordSweep": "mha.intervention.outcomes",
    "ablate": "mha.intervention.ablation",
    "ask": "mha.analysis.looks",
    "attend": "mha.models.watch.attending",
    "attend_many": "mha.models.watch.batching",
    "cell": "mha.models.watch.any_cell",
    "cite": "mha.export.provenance",
    "compare": "mha.intervention.comparing",
    "contributions": "mha.models.watch.cell",
    "direct": "mha.intervention.direct",
    "figure": "mha.export.figure",
    "from_arrays": "mha.foreign",
    "from_generate": "mha.generated",
    "generate": "mha.models.watch.generating",
    "head_effects": "mha.intervention.direct",
    "head_heatmap": "mha.figures.heatmaps",
    "head_statistics": "mha.analysis.statistics",
    "induction": "mha.intervention.induction",
    "iter_generate": "mha.models.watch.generating",
    "iter_head_effects": "mha.intervention.direct",
    "iter_link_sweep": "mha.intervention.next_words",
    "iter_patch": "mha.intervention.patching",
    "iter_sweep": "mha.intervention.sweep",
    "iter_word_sweep": "mha.intervention.predicting",
    "lean": "mha.intervention.calibrated",
    "load_maps": "mha.saved",
    "load_model": "mha.models.watch.attending",
    "next_words": "mha.intervention.next_words",
    "opening": "mha.analysis.opening",
    "opening_heads": "mha.analysis.opening",
    "patch": "mha.intervention.patching",
    "predict": "mha.intervention.predicting",
    "preference": "mha.intervention.sweep",
    "propose": "mha.analysis.proposals",
    "rank_by_layer": "mha.intervention.rank",
    "record": "mha.models.watch.recording",
    "roles": "mha.analysis.roles",
    "set_aside": "mha.analysis.sinks",
    "show": "mha.views.heads_file",
    "shuffle_control": "mha.intervention.shuffles",
    "survey": "mha.models.watch.survey",
    "sweep": "mha.intervention.sweep",
    "translate": "mha.intervention.next_words",
    "word_statistics": "mha.analysis.statistics",
}

_REMOVED = {  # a name that release 0.3 removed: its replacement
    "connect": "Send JSON to its /api with any HTTP client, such as requests.post(f'{url}/api/attend', json=…).",
    "follow": "mha.patch(…) measures what each head carries of a difference between two versions.",
    "page": "mha.show(maps).save('heads.html') writes Heads as one file; a browser prints the other pages.",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("mha.export.provenance").app_version()
    if name in _REMOVED:
        raise AttributeError(f"mha.{name} was removed in 0.3. {_REMOVED[name]}")
    if name in old_names.NAMES:
        return __getattr__(old_names.warned(name, old_names.NAMES[name]))
    if name not in _HOME:
        raise AttributeError(f"module 'mha' has no attribute {name!r}; it has {', '.join(__all__)}")
    import_module("mha.saved").AttentionMaps.portrait = staticmethod(_portrait)  # where maps learn to write themselves
    return getattr(import_module(_HOME[name]), name)


def _portrait(maps: Any) -> dict[str, str]:
    """Return maps as a notebook shows them; maps themselves know no figures."""
    displayed: dict[str, str] = import_module("mha.figures.thumbnails").displayed(maps)
    return displayed


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__name__", "__path__", "__version__"]
