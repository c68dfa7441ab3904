"""Questions: eleven questions on multi-head attention, each answered by an experiment; predict, then reveal."""

from mha.ui.reader import show

show("questions")
