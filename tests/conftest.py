"""Settings shared by all tests."""

from hypothesis import settings

# Examples are the same in every run; the first one may pay for a compilation, so none is timed.
settings.register_profile("carom", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("carom")
