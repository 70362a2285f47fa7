"""``carom export``: a result file in other formats, or a model file as an FMU."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from rich.console import Console

from carom.cli.command_output import EXIT_FAILED, EXIT_OK, EXIT_USAGE, print_error, print_files, require_writable
from carom.cli.formats import known_formats, parse_formats, write_format
from carom.cli.model_case import ROBOTS, is_model_file
from carom.errors import DiskError, ModelError
from carom.io.result_file import load


def export_file(file: Path, formats: list[str], out: Path | None) -> int:
    """Write a result file in other formats beside it, or to the folder ``out``; return the exit code."""
    folder = file.parent if out is None else out
    try:
        names = parse_formats(formats)
        if not names:
            raise ModelError(f"export: no format; use --format with {', '.join(known_formats())}")
        require_writable(folder)
        result = load(file)
        folder.mkdir(parents=True, exist_ok=True)
    except (ModelError, OSError) as error:
        print_error(error)
        return EXIT_USAGE
    for name in names:
        if (folder / f"{file.stem}.{name}").absolute() == file.absolute():
            print_error(f"export: {file} has this format already")
            return EXIT_USAGE
    console = Console(highlight=False)
    for name in names:
        try:
            print_files(console, [write_format(result, folder, file.stem, name)])
        except (DiskError, OSError) as error:
            print_error(error)
            return EXIT_FAILED
        except (ModelError, ImportError) as error:
            print_error(error)
            return EXIT_USAGE
    return EXIT_OK


def export_fmu(
    file: Path,
    out: Path | None,
    inputs: list[str] | None,
    outputs: list[str] | None,
    parameters: list[str],
    fmi_version: str,
    communication_step: float | None,
) -> int:
    """Write a model file as an FMU beside it, or to the folder ``out``; return the exit code."""
    from carom.io.fmu.export import write_model_file, write_system

    folder = file.parent if out is None else out
    target = folder / f"{file.stem}.fmu"
    try:
        if not is_model_file(file.name):
            raise ModelError(f"export: --fmu requires a model file such as model.yaml, got {file.name}")
        require_writable(folder)
        folder.mkdir(parents=True, exist_ok=True)
        reader = ROBOTS.get(file.suffix)
        write = partial(write_model_file, file) if reader is None else partial(write_system, reader(file))
        write(
            target, inputs=inputs or None, outputs=outputs or None, parameters=parameters, fmi_version=fmi_version,
            communication_step=communication_step,
        )  # fmt: skip
    except DiskError as error:
        print_error(error)
        return EXIT_FAILED
    except (ModelError, ImportError, OSError) as error:
        print_error(error)
        return EXIT_USAGE
    print_files(Console(highlight=False), [target])
    return EXIT_OK
