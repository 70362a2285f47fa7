"""Export of models as co-simulation FMUs."""

from __future__ import annotations

import hashlib
import importlib
import keyword
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from carom.argument_checks import file_path, one_of, positive
from carom.errors import ModelError, warn
from carom.io.atomic_write import atomic_write
from carom.io.fmu.interface import (
    Interface,
    Variable,
    check_names,
    input_variables,
    output_variables,
    path_variables,
)
from carom.io.fmu.model_instance import FOLDER, INTERFACE
from carom.io.fmu.model_resource import copy_model, write_model
from carom.model.input import Input
from carom.model.output import Output
from carom.solve.simulation import Simulation
from carom.typing import FilePath

SCRIPT = '''"""{title}: a model of carom, which the Python that loads this FMU needs."""

from {module} import {slave} as {base}
from {module} import keep

keep(globals())


class {identifier}({base}):
    """{title}."""
'''


class Version(NamedTuple):
    """Library for a version of FMI."""

    library: str
    module: str
    slave: str
    base: str
    state_options: tuple[str, str]


VERSIONS = {
    "3.0": Version(
        "pythonfmu3", "carom.io.fmu.fmi3_slave", "Fmi3ModelSlave", "Fmi3Slave",
        ("canGetAndSetFMUState", "canSerializeFMUState"),
    ),
    "2.0": Version(
        "pythonfmu", "carom.io.fmu.fmi2_slave", "Fmi2ModelSlave", "Fmi2Slave",
        ("canGetAndSetFMUstate", "canSerializeFMUstate"),
    ),
}  # fmt: skip
"""Versions of FMI."""
NOT_IN_FMUS = ("t_end", "output", "sensitivities")
"""Options of a run that the importer of an FMU decides."""


def write_system(
    system: Any,
    path: FilePath,
    *,
    inputs: Sequence[str | Input] | None = None,
    outputs: Sequence[str | Output] | None = None,
    parameters: Sequence[str] = (),
    fmi_version: str = "3.0",
    communication_step: float | None = None,
    **options: Any,
) -> Path:
    """Write a system as an FMU; see `carom.System.to_fmu`."""

    def prepare(folder: Path) -> tuple[Any, list[Variable], dict[str, Any]]:
        write_model(system, folder)
        return system, path_variables(system, parameters), options

    return write_fmu(path, prepare, inputs, outputs, fmi_version, communication_step)


def write_model_file(
    model: FilePath,
    path: FilePath,
    *,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    parameters: Sequence[str] = (),
    fmi_version: str = "3.0",
    communication_step: float | None = None,
    **options: Any,
) -> Path:
    """Write a model file as an FMU; its own parameters that are numbers are parameters of the FMU."""

    def prepare(folder: Path) -> tuple[Any, list[Variable], dict[str, Any]]:
        contents, own = copy_model(file_path("to_fmu: model", model), folder)
        return contents.system, [*own, *path_variables(contents.system, parameters)], {**contents.run, **options}

    return write_fmu(path, prepare, inputs, outputs, fmi_version, communication_step)


def write_fmu(
    path: FilePath,
    prepare: Callable[[Path], tuple[Any, list[Variable], dict[str, Any]]],
    inputs: Sequence[str | Input] | None,
    outputs: Sequence[str | Output] | None,
    fmi_version: str,
    step: float | None,
) -> Path:
    """Write an FMU; ``prepare`` writes the model to a folder and returns system, parameters and options."""
    version = VERSIONS[one_of("to_fmu", "fmi_version", fmi_version, tuple(VERSIONS))]
    target = file_path("to_fmu: path", path)
    if target.suffix.lower() != ".fmu":
        raise ModelError(f"to_fmu: path must end with .fmu, got {target.name!r}")
    builder = builder_of(version)
    if step is not None:
        step = positive("to_fmu", "communication_step", step)
    with tempfile.TemporaryDirectory(prefix="carom_fmu_") as name:
        folder = Path(name)
        (folder / FOLDER).mkdir()
        system, variables, options = prepare(folder / FOLDER)
        chosen = {key: value for key, value in options.items() if key not in NOT_IN_FMUS}
        check_plain(chosen)
        result = Simulation(system, **chosen).result
        variables += [*input_variables(system, inputs), *output_variables(system, result, outputs)]
        check_names(variables)
        interface = Interface(system.name, tuple(variables), chosen, options.get("t_end"), step)
        script = write_script(folder, replace(interface, identifier=identifier_of(target.stem)), version)
        files = [folder / FOLDER, folder / INTERFACE]
        abilities = dict.fromkeys((*version.state_options, "canHandleVariableCommunicationStepSize"), True)
        with imports_restored(script.stem), atomic_write(target) as temporary:
            built = builder.build_FMU(script, dest=folder / "built", project_files=files, **abilities)
            shutil.copyfile(built, temporary)
    return target


def check_plain(options: Mapping[str, Any]) -> None:
    """Raise unless the options of a run can be written as text."""
    for key, value in options.items():
        if not isinstance(value, (bool, int, float, str, type(None))):
            raise ModelError(f"to_fmu: {key} must be a number or a text, as in method='nonsmooth', got {value!r}")


def builder_of(version: Version) -> Any:
    """Return the builder of a version; raise if its library is missing, and warn if it has no binary here."""
    try:
        builder = importlib.import_module(f"{version.library}.builder").FmuBuilder
    except ImportError:
        raise ImportError(f"to_fmu requires {version.library}: pip install 'carom[fmi]'") from None
    if not builder.has_binary():
        warn(
            f"to_fmu: {version.library} contains no library for this platform, so the FMU does not run here, only on "
            "Windows and Linux on x86-64"
        )
    return builder


def write_script(folder: Path, interface: Interface, version: Version) -> Path:
    """Write the interface and the Python module of an FMU; return the module, whose name is its own."""
    interface.write(folder / INTERFACE)
    content = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        content.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    content.update(version.library.encode())
    digest = content.hexdigest()  # modules of all FMUs in a process have names that differ
    replace(interface, token=digest[:32]).write(folder / INTERFACE)
    script = folder / f"carom_fmu_{digest[:16]}.py"
    title = re.sub(r'["\\\s]+', " ", interface.name)
    text = SCRIPT.format(
        title=title, module=version.module, slave=version.slave, base=version.base, identifier=interface.identifier
    )
    script.write_text(text, "utf-8")
    return script


def identifier_of(stem: str) -> str:
    """Return a name as an identifier of C and Python."""
    name = re.sub(r"\W", "_", stem, flags=re.ASCII)
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"model_{name}"


@contextmanager
def imports_restored(module: str) -> Iterator[None]:
    """Restore the search path of Python at the end, and forget a module."""
    before = list(sys.path)
    try:
        yield
    finally:
        sys.path[:] = before
        sys.modules.pop(module, None)
