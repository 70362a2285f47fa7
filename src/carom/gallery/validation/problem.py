"""A validation problem: its comparisons, and what they are made with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps

from carom.gallery.case import Case, CheckFailed, Finding, described
from carom.result.result import Result

CLOSED_FORM, PUBLISHED, SECOND_METHOD = "closed form", "published values", "second method"
"""What a problem may be compared with."""


class Validation:
    """A problem whose answer is known: called, it computes and yields its `Finding` s.

    Name, title and description are those of the function ``compare``. ``against`` says what it is compared with,
    ``reference`` where that stands.
    """

    def __init__(self, compare: Callable[[], Iterable[Finding]], against: str, reference: str = ""):
        self.name = compare.__name__
        self.title, self.description = described(compare)
        self.against = against
        self._compare, self._reference = compare, reference

    def __call__(self) -> Iterator[Finding]:
        yield from self._compare()

    def __repr__(self) -> str:
        return f"<Validation {self.name!r}: {self.title}>"

    @property
    def reference(self) -> str:
        return self._reference


class CaseValidation(Validation):
    """A case of the gallery as a problem: its own run, its own comparisons, its own reference."""

    def __init__(self, maker: Callable[..., Case], against: str):
        @wraps(maker)
        def compare() -> list[Finding]:
            case = maker()
            return case.compare(case.run())

        super().__init__(compare, against)
        self._maker = maker

    @property
    def reference(self) -> str:
        return self._maker().reference


def problem(against: str, reference: str) -> Callable[[Callable[[], Iterable[Finding]]], Validation]:
    """Makes a function that yields findings a `Validation`."""
    return lambda compare: Validation(compare, against, reference)


def finished(result: Result) -> Result:
    """``result``, if it reached its end."""
    if not result.outcome.ok:
        raise CheckFailed(f"{result.name}: the run did not reach its end. {result.message}")
    return result


def relative(what: str, value: float, expected: float, bound: float) -> Finding:
    """|value/expected − 1|."""
    return Finding(f"{what}, relative", abs(value / expected - 1.0), bound)
