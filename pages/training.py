"""Watch heads learn: why do heads differ, and do they stay different?"""

from mha.ui.reader import show

show("training")
