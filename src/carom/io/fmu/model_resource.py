"""Model file and data files inside an FMU."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from carom.errors import ModelError
from carom.io.fmu.interface import Variable
from carom.io.model.includes import ModelSource
from carom.io.model.model_reader import ModelFile, ModelReader
from carom.io.model.model_writer import ModelWriter, text_of
from carom.io.model.yaml_writer import YamlWriter
from carom.model.generalized_system import GeneralizedSystem

MODEL = "model.yaml"
"""Name of the model file in its folder."""


class EmbeddedModelWriter(ModelWriter):
    """Writer of a model file whose data files lie beside it."""

    def __init__(self, system: Any, folder: Path):
        super().__init__(system, folder)
        self.target = folder

    def _data_path(self, path: Path) -> str:
        """Copy a data file to the folder of the model; return its name there."""
        name = f"data/{len(list(self.target.glob('data/*'))) + 1}_{path.name}"
        (self.target / "data").mkdir(exist_ok=True)
        shutil.copyfile(path, self.target / name)
        return name


def write_model(system: Any, folder: Path) -> None:
    """Write a system as a model file, with its data files, to a folder."""
    if isinstance(system, GeneralizedSystem):
        text = text_of(system, folder)
    else:
        sections = EmbeddedModelWriter(system, folder).sections({})
        text = YamlWriter().document({key: value for key, value in sections.items() if value != {}})
    (folder / MODEL).write_text(text, "utf-8")


def copy_model(path: Path, folder: Path) -> tuple[ModelFile, list[Variable]]:
    """Copy a model file, with the files it reads, to a folder; return its contents and its own parameters."""
    source = ModelSource(path)
    document = source.document()
    model = ModelReader(source, document).model({})
    shutil.copyfile(path, folder / MODEL)
    for name, file in source.files:
        if PurePath(name).is_absolute() or not (folder / name).resolve().is_relative_to(folder.resolve()):
            raise ModelError(f"to_fmu: the file {name} must lie in the folder of {path}; use a relative path")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, folder / name)
    return model, parameter_variables(document.value.get("parameters"), model.parameters)


def parameter_variables(section: Any, values: Mapping[str, float]) -> list[Variable]:
    """Return the parameters of a model file that are numbers; those that are formulas follow from them."""
    entries = {} if section is None or section.value is None else section.value
    return [
        Variable(name, "parameter", "", f"parameter {name} of the model", values[name])
        for name, node in entries.items()
        if isinstance(node.value, (int, float))
    ]
