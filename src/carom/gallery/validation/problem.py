"""A validation problem: its comparisons, and what they are made with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps

from carom.gallery.case import Case, CheckFailed, CheckResult, title_and_description
from carom.result.result import Result

CLOSED_FORM, PUBLISHED, SECOND_METHOD = "closed form", "published values", "second method"
"""What a problem may be compared with."""


class Validation:
    """A problem whose answer is known: called, it computes and yields its `CheckResult` s.

    Name, title and description are those of the function ``compare``. ``against`` says what it is compared with,
    ``reference`` where that stands.
    """

    def __init__(self, compare: Callable[[], Iterable[CheckResult]], against: str, reference: str = ""):
        self.name = compare.__name__
        self.title, self.description = title_and_description(compare)
        self.against = against
        self._compare, self._reference = compare, reference

    def __call__(self) -> Iterator[CheckResult]:
        yield from self._compare()

    def __repr__(self) -> str:
        return f"<Validation {self.name!r}: {self.title}>"

    @property
    def reference(self) -> str:
        return self._reference


class CaseValidation(Validation):
    """A case of the gallery as a problem: its own run, its own comparisons, its own reference."""

    def __init__(self, factory: Callable[..., Case], against: str):
        @wraps(factory)
        def compare() -> list[CheckResult]:
            case = factory()
            return case.compare(case.run())

        super().__init__(compare, against)
        self._maker = factory

    @property
    def reference(self) -> str:
        return self._maker().reference


def validation_problem(against: str, reference: str) -> Callable[[Callable[[], Iterable[CheckResult]]], Validation]:
    """Makes a function that yields check_results a `Validation`."""
    return lambda compare: Validation(compare, against, reference)


def require_finished(result: Result) -> Result:
    """``result``, if it reached its end."""
    if not result.outcome.ok:
        raise CheckFailed(f"{result.name}: the run did not reach its end. {result.message}")
    return result


def relative_error(what: str, value: float, expected: float, bound: float) -> CheckResult:
    """|value/expected − 1|."""
    return CheckResult(f"{what}, relative", abs(value / expected - 1.0), bound)
