"""Computation of the validation problems in parallel processes."""

from __future__ import annotations

import os
import time as clock
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from carom.errors import ModelError, suppress_warnings
from carom.gallery.case import CheckFailed, CheckResult
from carom.gallery.validation import VALIDATIONS


@dataclass
class ValidationResult:
    """Check results of a validation problem."""

    name: str
    title: str
    description: str
    basis: str
    reference: str
    check_results: list[CheckResult] = field(default_factory=list)
    failure: str | None = None
    """Reason if the problem could not be computed to its end."""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """True if all comparisons are within their bounds."""
        return self.failure is None and bool(self.check_results) and all(check.passed for check in self.check_results)

    def data(self) -> dict[str, Any]:
        """Return plain data for JSON; numbers that are not finite become None."""
        return {
            "name": self.name,
            "title": self.title,
            "against": self.basis,
            "reference": self.reference,
            "passed": self.passed,
            "failure": self.failure,
            "seconds": round(self.seconds, 3),
            "findings": [
                {"what": check.quantity, "error": _finite(check.error), "bound": check.bound, "passed": check.passed}
                for check in self.check_results
            ],
        }


def validate_one(name: str) -> ValidationResult:
    """Compute a problem; check results before a failure are kept."""
    problem = VALIDATIONS[name]
    result = ValidationResult(name, problem.title, problem.description, problem.basis, problem.reference)
    start = clock.perf_counter()
    with suppress_warnings():
        try:
            result.check_results.extend(problem())
        except (CheckFailed, ModelError, ArithmeticError) as error:
            result.failure = str(error)
    result.seconds = clock.perf_counter() - start
    return result


def validate(names: Sequence[str] = (), processes: int | None = None) -> Iterator[ValidationResult]:
    """Yield the results of the problems called ``names``, or of all, in this order, computed in parallel processes."""
    requested = list(names) or list(VALIDATIONS)
    count = min(processes or os.cpu_count() or 1, len(requested))
    if count == 1:
        yield from map(validate_one, requested)
        return
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        yield from pool.map(validate_one, requested)


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None
