"""Change a word: what in the sentence moved this head?"""

from mha.ui import controls
from mha.ui.compare import sections as compare

case = compare.compared(controls.view())  # both sides, word by word; stops where they cannot be compared

compare.hero(case)
compare.every_head(case)
compare.pinned(case)
compare.variants(case)
compare.foot(case)
