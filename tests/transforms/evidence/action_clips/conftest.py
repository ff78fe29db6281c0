"""Property tests give the same verdict on a slow, busy machine and on every run."""

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")
