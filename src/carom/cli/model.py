"""A model file as a case: to be run, shown and written like those of the gallery."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carom.errors import ModelError
from carom.gallery.case import RUN_OPTIONS, Case, Look
from carom.io.model.model_reader import parameter_names, read
from carom.model.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from carom.result.result import Result

ENDINGS = (".yaml", ".yml")
MANY = 6
"""Bodies of which the overview shows curves."""


def is_model(name: str) -> bool:
    """Whether ``name`` is that of a file, not of a case."""
    return name.endswith(ENDINGS)


def model_case(name: str, given: dict[str, Any]) -> tuple[Case, dict[str, Any], dict[str, Any]]:
    """The case of a file, with those of ``given`` that are its parameters, and those that are options of its run."""
    known = parameter_names(Path(name))
    for key in given:
        if key not in known and key not in RUN_OPTIONS:
            close = difflib.get_close_matches(key, [*known, *RUN_OPTIONS], n=3)
            has = f"it has {', '.join(known) or 'none'}, and a run has {', '.join(RUN_OPTIONS)}"
            meant = f"did you mean {' or '.join(close)}?" if close else has
            raise ModelError(f"{name} has no parameter {key!r}; {meant}")
    parameters = {key: value for key, value in given.items() if key in known}
    options = {key: value for key, value in given.items() if key not in known}
    model = read(Path(name), parameters)
    if "t_end" not in {**model.run, **options}:
        raise ModelError(f"{name}: say how long to run, run: {{t_end: 1.0}} in the file or --t-end")

    def maker() -> Case:
        raise NotImplementedError  # a file makes it

    maker.__name__, maker.__doc__ = Path(name).stem, model.system.name
    drawn = isinstance(model.system, System)
    bodies = [getattr(body, "name", body) for body in model.system.bodies][:MANY]
    coordinates = ("x", "y", "angle") if model.system.dim == 2 else ("x", "y", "z")
    panels = tuple([f"{body}.{coordinate}" for body in bodies] for coordinate in coordinates if bodies)
    case = Case(
        maker, system=model.system, options={"t_end": 1.0, **model.run}, findings=lambda result: [],
        look=Look(panels=panels, motion=panels), reference=name, drawings=None if drawn else {"overview": _series},
    )  # fmt: skip
    return case, model.parameters, options


def _series(result: Result) -> Figure:
    """For systems in generalised coordinates, of which there is no mechanism to draw."""
    from carom.plot import plot_result

    return plot_result(result)
