"""Property tests here have no deadline: a busy machine is not a wrong answer."""

from hypothesis import settings

settings.register_profile("core", deadline=None)
settings.load_profile("core")
