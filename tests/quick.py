"""Quick tests: a grid of cases in one test, a sixth of the random examples, some of the long cases."""

import functools
import inspect
from collections.abc import Callable, Container, Iterable
from typing import Any

import pytest
from hypothesis import settings

FULL = 60
"""Examples of a test that does not say how many it needs, in the long profile."""


def examples(count: int) -> settings:
    """Return the settings of a test that needs ``count`` examples in the long profile."""
    return settings(max_examples=max(3, count * settings.default.max_examples // FULL))


def slow_but(quick: Container[Any], cases: Iterable[Any]) -> list[Any]:
    """Return ``cases`` as parameters of a test; all that are not among the ``quick`` ones are marked as slow."""

    def marked(case: Any) -> Any:
        return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)

    return [case if case in quick else marked(case) for case in cases]


def each(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for every case, within one test; a failure is noted with its case.

    ``names`` are its arguments, such as ``"law"`` or ``"law, depth"``, whose cases are pairs.
    """
    keys, values = names.split(", "), list(cases)

    def looped(test: Callable[..., None]) -> Callable[..., None]:
        parameters = inspect.signature(test).parameters

        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            for value in values:
                case = dict(zip(keys, value if len(keys) > 1 else (value,), strict=True))
                try:
                    test(**fixtures, **case)
                except BaseException as error:
                    error.add_note(f"with {', '.join(f'{key} = {part!r}' for key, part in case.items())}")
                    raise

        run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [parameter for name, parameter in parameters.items() if name not in keys]
        )
        return run

    return looped
