"""A model file as a case, so that it is run, plotted and written like the cases of the gallery."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from carom.cli.key_values import check_keys
from carom.errors import ModelError
from carom.gallery.case import RUN_OPTIONS, Case, CaseFigures
from carom.io.model.model_reader import ModelFile, parameter_names, read
from carom.model.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from carom.result.result import Result

SUFFIXES = (".yaml", ".yml")
ROBOTS = {".urdf": System.from_urdf, ".xml": System.from_mjcf}
"""Readers of robot descriptions and MuJoCo models, by the ending of the file."""
MAX_BODIES = 6
"""Largest number of bodies whose curves are shown in the overview."""


def is_model_file(name: str) -> bool:
    """Return True if ``name`` is the name of a model file, not of a case."""
    return name.endswith((*SUFFIXES, *ROBOTS))


def model_file(path: Path, parameters: dict[str, float]) -> ModelFile:
    """Return the contents of a model file; robot descriptions have neither parameters nor run options."""
    reader = ROBOTS.get(path.suffix)
    return read(path, parameters) if reader is None else ModelFile(reader(path), {}, {})


def model_case(name: str, settings: dict[str, Any]) -> tuple[Case, dict[str, Any], dict[str, Any]]:
    """Return the case of a model file, the values of its parameters, and the options of its run in ``settings``."""
    names = () if Path(name).suffix in ROBOTS else parameter_names(Path(name))
    check_keys(name, settings, names, RUN_OPTIONS)
    parameters = {key: value for key, value in settings.items() if key in names}
    options = {key: value for key, value in settings.items() if key not in names}
    model = model_file(Path(name), parameters)
    if "t_end" not in {**model.run, **options}:
        raise ModelError(f"{name}: the end of the run is missing; add run: {{t_end: 1.0}} to the file or use --t-end")

    def factory() -> Case:
        raise NotImplementedError  # The file builds the case; this function only carries its name and title.

    factory.__name__, factory.__doc__ = Path(name).stem, model.system.name
    bodies = [getattr(body, "name", body) for body in model.system.bodies][:MAX_BODIES]
    coordinates = ("x", "y", "angle") if model.system.dim == 2 else ("x", "y", "z")
    panels = tuple([f"{body}.{coordinate}" for body in bodies] for coordinate in coordinates if bodies)
    case = Case(
        factory,
        system=model.system,
        options={"t_end": 1.0, **model.run},
        check_results=lambda result: [],
        figure_settings=CaseFigures(panels=panels, motion=panels, report=()),
        reference=name,
        extra_figures=None if isinstance(model.system, System) else {"overview": _time_series},
    )
    return case, model.parameters, options


def _time_series(result: Result) -> Figure:
    """Plot the series of a system in generalised coordinates, which has no mechanism to draw."""
    from carom.plot import plot_result

    return plot_result(result)
