"""``carom export``: a result file in other formats."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from carom.cli.command_output import EXIT_FAILED, EXIT_OK, EXIT_USAGE, print_error, print_files, require_writable
from carom.cli.formats import known_formats, parse_formats, write_format
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
