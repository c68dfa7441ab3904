"""What can I conclude? What each number is, what lessons claim, limits, versions, licences."""

from mha.ui.reader import show

show("about")
