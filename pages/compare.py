"""Change a word: what in the sentence, or in the model, moved this head?"""

from mha.screens.compare.models import TwoModels
from mha.ui import controls
from mha.ui.compare import models
from mha.ui.compare import sections as compare

case = compare.compared(controls.view())  # both sides, word by word; stops where they cannot be compared
if isinstance(case, TwoModels):
    models.draw(case)
else:
    compare.draw(case)
