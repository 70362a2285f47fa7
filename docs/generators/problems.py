"""The validation problems, computed for the page that lists them."""

from __future__ import annotations

from carom.gallery.validation import VALIDATIONS
from carom.gallery.validation.runner import ValidationResult, validate_one


def names() -> list[str]:
    return list(VALIDATIONS)


def make(name: str) -> ValidationResult:
    """Return the result of a validation problem; raise if a comparison fails, so that no page shows it."""
    done = validate_one(name)
    if not done.passed:
        wrong = [str(check) for check in done.check_results if not check.passed]
        raise AssertionError(f"validation problem {name!r}: {done.failure or '; '.join(wrong)}")
    return done
