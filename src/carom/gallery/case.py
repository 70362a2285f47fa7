"""Interface of a gallery case: system, run options, figures and a check with known results."""

from __future__ import annotations

import functools
import inspect
import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from carom.argument_checks import short_repr, similar_names
from carom.errors import ModelError
from carom.model.system import System
from carom.result.result import Result
from carom.solve.drawing_builder import deferred_drawing_data
from carom.solve.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RUN_OPTIONS = tuple(name for name in inspect.signature(simulate).parameters if name != "system")
"""Options of `Case.run`; in a compliant run, "step" is a synonym for "max_step"."""

Factory = TypeVar("Factory", bound=Callable[..., Any])


def check_parameters(factory: Factory) -> Factory:
    """Decorate a case so that parameters without a computable result raise a `ModelError` that shows them."""
    signature = inspect.signature(factory)

    @functools.wraps(factory)
    def checked_factory(*values: Any, **parameters: Any) -> Any:
        signature.bind(*values, **parameters)
        try:
            return factory(*values, **parameters)
        except ModelError:
            raise
        except (ArithmeticError, TypeError, ValueError) as error:
            arguments = ", ".join(f"{name} = {short_repr(value)}" for name, value in parameters.items())
            raise ModelError(
                f"{factory.__name__}: parameters must be numbers of a computable size, got {arguments} ({error})"
            ) from error

    return checked_factory  # type: ignore[return-value]


class CheckFailed(AssertionError):
    """Error of a result that differs from theory or from a second method by more than its bound.

    Examples
    --------
    >>> import carom as cm
    >>> try:
    ...     cm.gallery.falling_ball(height=1.0).check(cm.gallery.falling_ball(height=0.5).run())
    ... except cm.gallery.CheckFailed:
    ...     print("the run is of a different case")
    ...
    the run is of a different case
    """


@dataclass(frozen=True)
class CheckResult:
    """One comparison of a check: the ``error`` of a ``quantity`` and the largest error allowed, ``bound``.

    Both are in the unit that the text ``quantity`` states in brackets; without brackets they are relative [-].

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.CheckResult("energy drift", error=1e-9, bound=1e-6).passed
    True
    """

    quantity: str
    error: float
    bound: float

    def __post_init__(self) -> None:
        for name in ("error", "bound"):  # NumPy scalars cannot be written as JSON.
            object.__setattr__(self, name, float(getattr(self, name)))

    @property
    def passed(self) -> bool:
        """True if the error is within its bound; False for NaN."""
        return self.error <= self.bound

    @property
    def bound_fraction(self) -> float:
        """Error relative to its bound [-]; the check fails above 1."""
        if self.bound > 0.0:
            return self.error / self.bound
        return 0.0 if self.passed else math.inf

    def __str__(self) -> str:
        verdict = "within" if self.passed else "beyond"
        return f"{self.quantity}: off by {self.error:.2g}, {verdict} the bound {self.bound:.2g}"


@dataclass(frozen=True)
class CaseFigures:
    """Contents of the standard figures of a case.

    ``panels`` are the series beside the mechanism in the figure "overview", in the form that `plot_result` accepts;
    ``motion`` those of the figure "motion". The mechanism is drawn in full at the time ``pose`` [s] and faintly at the
    times ``ghosts`` [s]; ``trace`` lists the markers or bodies whose path is drawn, ``focus`` the bodies that a spatial
    picture is fitted to. ``report`` are the series of a report (default: ``motion``).
    """

    panels: tuple[Any, ...]
    motion: tuple[Any, ...]
    pose: float = 0.0
    ghosts: tuple[float, ...] = ()
    trace: tuple[Any, ...] = ()
    focus: tuple[str, ...] = ()
    report: tuple[Any, ...] | None = None

    @property
    def report_panels(self) -> tuple[Any, ...]:
        """Series of a report; none stand for the main ones, contact forces first."""
        return self.motion if self.report is None else self.report


class Case:
    """A ready-made example: a ``system``, the options to ``run`` it, its ``figures`` and a ``check`` of its result.

    The function ``factory`` that builds the case gives it its name; the first line of its docstring is the title, the
    rest the description. ``options`` are arguments of `simulate`, including ``t_end``. ``check_results`` compares a
    result with theory or with a second method. ``extra_figures`` are further figures by name, such as those of a
    paper, each drawn from a result. ``drawing_system`` is drawn instead of ``system`` where that has generalised
    coordinates only.

    Examples
    --------
    >>> import carom as cm
    >>> case = cm.gallery.falling_ball(height=0.5)
    >>> result = case.run()
    >>> all(comparison.passed for comparison in case.compare(result))
    True
    """

    def __init__(
        self,
        factory: Callable[..., Case],
        *,
        system: System,
        options: Mapping[str, Any],
        check_results: Callable[[Result], Iterable[CheckResult]],
        figure_settings: CaseFigures,
        reference: str,
        extra_figures: Mapping[str, Callable[[Result], Figure]] | None = None,
        drawing_system: System | None = None,
    ):
        self.name = factory.__name__
        self.title, self.description = title_and_description(factory)
        self.system = system
        self.options = dict(options)
        self.figure_settings = figure_settings
        self.drawing_system = system if drawing_system is None else drawing_system
        self.reference = reference
        self._check_results = check_results
        self._figures = {
            "overview": self._overview, "motion": self._motion, "energy": self._energy, **(extra_figures or {})
        }  # fmt: skip

    def __repr__(self) -> str:
        return f"<Case {self.name!r}: {self.title}>"

    def run(self, **overrides: Any) -> Result:
        """Simulate the case; ``overrides`` are options of `simulate` (``t_end``, ``method``, ``rtol`` …).

        ``step`` [s] is the step size of time stepping in a non-smooth run, the largest step in a compliant one.
        """
        for option in overrides:
            if option not in RUN_OPTIONS:
                close = similar_names(option, RUN_OPTIONS, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join(RUN_OPTIONS)}"
                raise ModelError(f"Case {self.name!r}: unknown option {option!r} of a run; {hint}")
        defaults = self.options
        method = defaults.get("method", "compliant")
        if overrides.get("method", method) != method:  # The other defaults are meant for the method of the case.
            defaults, method = {"t_end": defaults["t_end"]}, overrides["method"]
        options = {**defaults, **overrides}
        if isinstance(overrides.get("output"), (str, os.PathLike)) and "output" in defaults:  # the deprecated form
            options.setdefault("every", defaults["output"])
        if "step" in overrides and method == "compliant":
            if "max_step" in overrides:
                raise ModelError(f"Case {self.name!r}: step and max_step are synonyms here; set only one of them")
            options["max_step"] = options.pop("step")
        result = simulate(self.system, **options)
        if self.drawing_system is self.system:
            return result
        return result.with_sketch(deferred_drawing_data(self.drawing_system))

    def compare(self, result: Result) -> list[CheckResult]:
        """Compare ``result`` with theory or a second method; raise `CheckFailed` if the run did not reach its end."""
        if not result.outcome.ok:
            raise CheckFailed(f"Case {self.name!r}: the run did not reach its end. {result.message}")
        return list(self._check_results(result))

    def check(self, result: Result) -> list[CheckResult]:
        """Compare ``result`` as `compare` does; raise `CheckFailed` if an error is beyond its bound."""
        check_results = self.compare(result)
        failed = [check for check in check_results if not check.passed]
        if failed:
            raise CheckFailed(f"Case {self.name!r}: {'; '.join(map(str, failed))}")
        return check_results

    @property
    def figure_names(self) -> tuple[str, ...]:
        """Names of the `figures`: "overview" (mechanism and main series), "motion", "energy", and those of papers."""
        return tuple(self._figures)

    def figures(self, result: Result, *names: str) -> dict[str, Figure]:
        """Draw the figures of ``result``, all or those called ``names``; some compare it with further runs."""
        for name in names:
            if name not in self._figures:
                raise ModelError(f"Case {self.name!r}: unknown figure {name!r}; choose from {', '.join(self._figures)}")
        return {name: self._figures[name](result) for name in names or self._figures}

    @property
    def _heading(self) -> str:
        return self.system.name[:1].upper() + self.system.name[1:]

    def _overview(self, result: Result) -> Figure:
        from carom.plot import plot_overview

        settings, end = self.figure_settings, float(result.t[-1])
        return plot_overview(
            self.system, result, *settings.panels, pose=min(settings.pose, end),
            ghosts=[time for time in settings.ghosts if time <= end], trace=settings.trace, focus=settings.focus,
            title=self._heading,
        )  # fmt: skip

    def _motion(self, result: Result) -> Figure:
        from carom.plot import plot_result

        return plot_result(result, *self.figure_settings.motion, title=self._heading)

    def _energy(self, result: Result) -> Figure:
        from carom.plot import plot_result

        return plot_result(result, "energy", title=self._heading)


def title_and_description(factory: Callable[..., Any]) -> tuple[str, str]:
    """Return title (without its full stop) and description from the docstring of a case."""
    title, _, rest = (inspect.getdoc(factory) or factory.__name__).partition("\n")
    description, _, _ = rest.partition("Examples\n--------")
    return title.rstrip("."), " ".join(description.split())


def time_resolution(result: Result) -> float:
    """Return the step of a non-smooth run, or the interval between its nodes if that is longer [s]."""
    import numpy as np

    return max(float(result.settings["step"]), float(np.max(np.diff(result.t))))


def energy_drift(result: Result, bound: float) -> CheckResult:
    """Check the energy balance of ``result``: its drift relative to the exchanged energy [-]."""
    return CheckResult("energy drift", result.energy.drift, bound)


def max_abs_error(quantity: str, values: Any, expected: Any, bound: float) -> CheckResult:
    """Check the largest |value − expected| over the run; the error is NaN if any value is."""
    import numpy as np

    error = np.max(np.abs(np.asarray(values) - np.asarray(expected)), initial=0.0)
    return CheckResult(quantity, math.nan if np.isnan(error) else float(error), bound)
