"""Two readings: where does each head look, what carries the difference, and does it matter?"""

from mha.ui import controls
from mha.ui.readings import sections as readings

case = readings.ambiguity(controls.view())  # the sentence with both readings; stops where they are not complete

if readings.revealed(case):
    readings.tabs(case)
readings.foot(case)
