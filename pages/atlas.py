"""Whole model: where should I look, which heads are alike, and what does one head do?"""

from mha.link.atlas import READINGS
from mha.maps import HeadId
from mha.ui import controls
from mha.ui.apart import apart
from mha.ui.atlas import leans, sheet
from mha.ui.atlas import sections as atlas
from mha.ui.atlas.controls import draw

chosen = draw()
if chosen.over == READINGS:
    with apart("leans"):
        leans.draw(controls.view())
    case = None
else:
    case = atlas.case_of(controls.view(), chosen)  # over the chosen sentences; offers to measure what is not

if case is not None and chosen.head is not None and sheet.can_be(case):
    with apart("sheet"):
        sheet.draw(case, HeadId.parse(chosen.head))
elif case is not None:
    with atlas.over_texts(case, "map"):
        atlas.opening(case)
        atlas.every_head(case)
    atlas.one_layer(case)
    atlas.alike(case)
    atlas.summaries(case)
    atlas.foot(case)
