"""Computes the validation problems, several at a time."""

from __future__ import annotations

import os
import time as clock
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from carom.errors import ModelError
from carom.gallery.case import CheckFailed, CheckResult
from carom.gallery.case_variants import suppress_warnings
from carom.gallery.validation import VALIDATIONS


@dataclass
class ValidationResult:
    """What came out of a problem."""

    name: str
    title: str
    description: str
    against: str
    reference: str
    check_results: list[CheckResult] = field(default_factory=list)
    failure: str | None = None
    """Why it could not be computed to its end."""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return self.failure is None and bool(self.check_results) and all(check.passed for check in self.check_results)

    def data(self) -> dict[str, Any]:
        """Plain data, for JSON; what is not finite is None there."""
        return {
            "name": self.name,
            "title": self.title,
            "against": self.against,
            "reference": self.reference,
            "passed": self.passed,
            "failure": self.failure,
            "seconds": round(self.seconds, 3),
            "findings": [
                {"what": one.quantity, "error": _finite(one.error), "bound": one.bound, "passed": one.passed}
                for one in self.check_results
            ],
        }


def validate_one(name: str) -> ValidationResult:
    """Compute a problem; what it finds before it fails is kept."""
    one = VALIDATIONS[name]
    done = ValidationResult(name, one.title, one.description, one.against, one.reference)
    began = clock.perf_counter()
    with suppress_warnings():
        try:
            done.check_results.extend(one())
        except (CheckFailed, ModelError, ArithmeticError) as trouble:
            done.failure = str(trouble)
    done.seconds = clock.perf_counter() - began
    return done


def validate(names: Sequence[str] = (), processes: int | None = None) -> Iterator[ValidationResult]:
    """The problems called ``names``, or all, in that order; several at a time, in processes of their own."""
    wanted = list(names) or list(VALIDATIONS)
    count = min(processes or os.cpu_count() or 1, len(wanted))
    if count == 1:
        yield from map(validate_one, wanted)
        return
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        yield from pool.map(validate_one, wanted)


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None
