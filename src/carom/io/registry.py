"""Registry of output formats by the suffix of the file. A new format is one new file and one line here."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from carom.io import result_file
from carom.io.csv_file import write_csv
from carom.io.mat_file import write_mat
from carom.result.result import Result

FORMATS: dict[str, Callable[[Result, str | os.PathLike[str]], None]] = {
    ".h5": result_file.save,
    ".csv": write_csv,
    ".mat": write_mat,
}
"""Writers ``(result, path)``; `carom.load` reads HDF5 files only."""


def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result in the format of the suffix of ``path``, as an HDF5 file for any other suffix."""
    suffix = Path(path).suffix.lower() if isinstance(path, str | os.PathLike) else ""
    FORMATS.get(suffix, result_file.save)(result, path)
