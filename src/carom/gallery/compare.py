"""Names of `case_variants` under which `carom.study` imports them."""

from carom.gallery.case_variants import AUTHORS, DISSIPATIVE_LAWS, ONSETS, suppress_warnings

SEVEN = DISSIPATIVE_LAWS
quiet = suppress_warnings

__all__ = ["AUTHORS", "ONSETS", "SEVEN", "quiet"]
