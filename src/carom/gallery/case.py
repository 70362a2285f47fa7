"""A case: a system with its run, its figures, and a check that knows what should come out."""

from __future__ import annotations

import difflib
import functools
import inspect
import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from carom.errors import ModelError, shown
from carom.model.system import System
from carom.result.result import Result
from carom.solve.drawing_builder import deferred_drawing_data
from carom.solve.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RUN_OPTIONS = tuple(name for name in inspect.signature(simulate).parameters if name != "system")
"""What `Case.run` takes; in a compliant run "step" is another word for "max_step"."""


Maker = TypeVar("Maker", bound=Callable[..., Any])


def bounded(maker: Maker) -> Maker:
    """Parameters of a case that nothing can be computed from, such as numbers too large or small, are told."""

    signature = inspect.signature(maker)

    @functools.wraps(maker)
    def case(*values: Any, **parameters: Any) -> Any:
        signature.bind(*values, **parameters)
        try:
            return maker(*values, **parameters)
        except ModelError:
            raise
        except (ArithmeticError, TypeError, ValueError) as trouble:
            given = ", ".join(f"{name} = {shown(value)}" for name, value in parameters.items())
            raise ModelError(
                f"{maker.__name__}: its parameters must be numbers that can be computed with, got {given} ({trouble})"
            ) from trouble

    return case  # type: ignore[return-value]


class CheckFailed(AssertionError):
    """A result is not what theory or a second method says."""


@dataclass(frozen=True)
class Finding:
    """One comparison: ``what`` was compared, how far off it was, how far off it may be."""

    what: str
    error: float
    bound: float

    def __post_init__(self) -> None:
        for name in ("error", "bound"):  # of NumPy they would not go into JSON
            object.__setattr__(self, name, float(getattr(self, name)))

    @property
    def passed(self) -> bool:
        return self.error <= self.bound  # false for not-a-number, too

    @property
    def share(self) -> float:
        """Of the bound that is used up; beyond 1 it fails."""
        if self.bound > 0.0:
            return self.error / self.bound
        return 0.0 if self.passed else math.inf

    def __str__(self) -> str:
        verdict = "within" if self.passed else "beyond"
        return f"{self.what}: off by {self.error:.2g}, {verdict} the bound {self.bound:.2g}"


@dataclass(frozen=True)
class Look:
    """What the figures of a case show.

    ``panels`` are the series beside the mechanism, as `plot_result` takes them; ``motion`` those of the figure of that
    name. The mechanism is drawn in full at the time ``pose`` [s] and faint at ``ghosts``; ``trace`` lists the
    markers or bodies whose path is drawn.
    """

    panels: tuple[Any, ...]
    motion: tuple[Any, ...]
    pose: float = 0.0
    ghosts: tuple[float, ...] = ()
    trace: tuple[Any, ...] = ()


class Case:
    """A ready-made example: ``system``, how to ``run`` it, its ``figures``, and a ``check`` of what came out.

    The function that makes the case gives it its name; the first line of its docstring is the title, the rest the
    description. ``options`` are those of `simulate`, with ``t_end``. ``findings`` compares a result with theory or
    with a second method. ``drawings`` are further figures by name, such as those of a paper, each drawn from a result.
    ``drawn`` is what pictures show where ``system`` has bodies and joints in generalised coordinates only.
    """

    def __init__(
        self,
        maker: Callable[..., Case],
        *,
        system: System,
        options: Mapping[str, Any],
        findings: Callable[[Result], Iterable[Finding]],
        look: Look,
        reference: str,
        drawings: Mapping[str, Callable[[Result], Figure]] | None = None,
        drawn: System | None = None,
    ):
        self.name = maker.__name__
        self.title, self.description = described(maker)
        self.system = system
        self.options = dict(options)
        self.look = look
        self.drawn = system if drawn is None else drawn
        self.reference = reference
        self._findings = findings
        self._drawings = {
            "overview": self._overview, "motion": self._motion, "energy": self._energy, **(drawings or {})
        }  # fmt: skip

    def __repr__(self) -> str:
        return f"<Case {self.name!r}: {self.title}>"

    def run(self, **overrides: Any) -> Result:
        """Simulate; ``overrides`` are options of `simulate` (``t_end``, ``method``, ``rtol``, ``integrator`` …).

        ``step`` is that of time stepping in a non-smooth run, in a compliant one the longest step.
        """
        for option in overrides:
            if option not in RUN_OPTIONS:
                close = difflib.get_close_matches(option, RUN_OPTIONS, n=1)
                meant = f"; did you mean {close[0]!r}?" if close else f"; it has {', '.join(RUN_OPTIONS)}"
                raise ModelError(f"Case {self.name!r}: a run has no option {option!r}{meant}")
        own = self.options
        method = own.get("method", "compliant")
        if overrides.get("method", method) != method:  # the rest is for the method of the case
            own, method = {"t_end": own["t_end"]}, overrides["method"]
        options = {**own, **overrides}
        if isinstance(overrides.get("output"), (str, os.PathLike)) and "output" in own:
            options.setdefault("every", own["output"])
        if "step" in overrides and method == "compliant":
            if "max_step" in overrides:
                raise ModelError(f"Case {self.name!r}: give step or max_step, not both")
            options["max_step"] = options.pop("step")
        result = simulate(self.system, **options)
        return result if self.drawn is self.system else result.with_sketch(deferred_drawing_data(self.drawn))

    def compare(self, result: Result) -> list[Finding]:
        """Every comparison of ``result`` with theory or a second method; `CheckFailed` if it did not reach its end."""
        if not result.outcome.ok:
            raise CheckFailed(f"Case {self.name!r}: the run did not reach its end. {result.message}")
        return list(self._findings(result))

    def check(self, result: Result) -> list[Finding]:
        """What `compare` finds, or `CheckFailed` where something is beyond its bound."""
        findings = self.compare(result)
        wrong = [finding for finding in findings if not finding.passed]
        if wrong:
            raise CheckFailed(f"Case {self.name!r}: {'; '.join(map(str, wrong))}")
        return findings

    @property
    def figure_names(self) -> tuple[str, ...]:
        """What `figures` can draw: "overview" (mechanism and main series), "motion", "energy", and those of papers."""
        return tuple(self._drawings)

    def figures(self, result: Result, *names: str) -> dict[str, Figure]:
        """Figures of ``result`` by name, all of them or those asked for; some compare it with further runs."""
        for name in names:
            if name not in self._drawings:
                raise ModelError(f"Case {self.name!r}: there is no figure {name!r}; it has {', '.join(self._drawings)}")
        return {name: self._drawings[name](result) for name in names or self._drawings}

    @property
    def _heading(self) -> str:
        return self.system.name[:1].upper() + self.system.name[1:]

    def _overview(self, result: Result) -> Figure:
        from carom.plot import plot_overview

        look, end = self.look, float(result.t[-1])
        return plot_overview(
            self.system, result, *look.panels, pose=min(look.pose, end),
            ghosts=[time for time in look.ghosts if time <= end], trace=look.trace, title=self._heading,
        )  # fmt: skip

    def _motion(self, result: Result) -> Figure:
        from carom.plot import plot_result

        return plot_result(result, *self.look.motion, title=self._heading)

    def _energy(self, result: Result) -> Figure:
        from carom.plot import plot_result

        return plot_result(result, "energy", title=self._heading)


def described(maker: Callable[..., Any]) -> tuple[str, str]:
    """Title (without its full stop) and description, from the docstring of a case."""
    title, _, rest = (inspect.getdoc(maker) or maker.__name__).partition("\n")
    return title.rstrip("."), " ".join(rest.split())


def resolution(result: Result) -> float:
    """Of a non-smooth run [s]: its step, or the interval between its nodes where that is longer."""
    import numpy as np

    return max(float(result.settings["step"]), float(np.max(np.diff(result.t))))


def drift(result: Result, bound: float) -> Finding:
    """The energy ledger of ``result`` closes: its drift, relative to the energy that moved."""
    return Finding("energy drift", result.energy.drift, bound)


def farthest(what: str, values: Any, expected: Any, bound: float) -> Finding:
    """The largest |value − expected| anywhere along the run; not-a-number when there is one."""
    import numpy as np

    error = np.max(np.abs(np.asarray(values) - np.asarray(expected)), initial=0.0)
    return Finding(what, math.nan if np.isnan(error) else float(error), bound)
