"""Whole model: where should I look, and which heads are alike?"""

from mha.ui import controls
from mha.ui.atlas import sections as atlas
from mha.ui.atlas.controls import draw

case = atlas.case_of(controls.view(), draw())  # what is known over the chosen sentences; offers to measure what is not

if case is not None:
    atlas.opening(case)
    atlas.every_head(case)
    atlas.one_layer(case)
    atlas.alike(case)
    atlas.summaries(case)
    atlas.foot(case)
