"""Interface of validation problems: comparisons with known solutions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps

from carom.gallery.case import Case, CheckFailed, CheckResult, title_and_description
from carom.result.result import Result

CLOSED_FORM, PUBLISHED, SECOND_METHOD = "closed form", "published values", "second method"
"""Kinds of known solutions."""


class Validation:
    """Problem with a known solution; calling it computes the problem and yields a `CheckResult` per comparison.

    Name, title and description are those of the function ``compare``. ``basis`` is the kind of the known solution,
    ``reference`` its source.
    """

    def __init__(self, compare: Callable[[], Iterable[CheckResult]], basis: str, reference: str = ""):
        self.name = compare.__name__
        self.title, self.description = title_and_description(compare)
        self.basis = basis
        self._compare, self._reference = compare, reference

    def __call__(self) -> Iterator[CheckResult]:
        """Yield the comparisons of the validation."""
        yield from self._compare()

    def __repr__(self) -> str:
        return f"<Validation {self.name!r}: {self.title}>"

    @property
    def reference(self) -> str:
        """Source of the known solution."""
        return self._reference


class CaseValidation(Validation):
    """A case of the gallery as a validation problem, with its run, comparisons and reference."""

    def __init__(self, factory: Callable[..., Case], basis: str):
        @wraps(factory)
        def compare() -> list[CheckResult]:
            case = factory()
            return case.compare(case.run())

        super().__init__(compare, basis)
        self._factory = factory

    @property
    def reference(self) -> str:
        """Reference of the case."""
        return self._factory().reference


def validation_problem(basis: str, reference: str) -> Callable[[Callable[[], Iterable[CheckResult]]], Validation]:
    """Return a decorator that turns a function yielding check results into a `Validation`."""
    return lambda compare: Validation(compare, basis, reference)


def require_finished(result: Result) -> Result:
    """Return ``result``; raise `CheckFailed` if the run did not reach its end."""
    if not result.outcome.ok:
        raise CheckFailed(f"{result.name}: the run did not reach its end. {result.message}")
    return result


def relative_error(quantity: str, value: float, expected: float, bound: float) -> CheckResult:
    """Check |value/expected − 1|."""
    return CheckResult(f"{quantity}, relative", abs(value / expected - 1.0), bound)
