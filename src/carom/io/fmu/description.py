"""Additions to the model descriptions of pythonfmu and pythonfmu3: units, names, initial unknowns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from carom.io.fmu.interface import Variable
from carom.io.fmu.units import base_exponents

_STRUCTURED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)


def complete_description(root: Element, variables: Sequence[Variable]) -> None:
    """Add units, exact start values, naming convention and generation tool to a model description."""
    structured = all(_STRUCTURED.fullmatch(variable.name) for variable in variables)
    root.set("variableNamingConvention", "structured" if structured else "flat")
    root.set("generationTool", f"carom, {root.get('generationTool')}")
    definitions = Element("UnitDefinitions")
    for unit in sorted({"s", *(variable.unit for variable in variables if variable.unit)}):
        element = SubElement(definitions, "Unit", {"name": unit})
        exponents = base_exponents(unit)
        if exponents is not None:
            SubElement(element, "BaseUnit", {name: str(exponent) for name, exponent in exponents.items()})
    starts = {variable.name: variable.start for variable in variables}
    for element in (*root.iter("Float64"), *root.iter("ScalarVariable")):
        start, holder = starts.get(element.get("name", "")), element.find("Real")
        if start is not None:  # the libraries write 16 digits, which is one too few
            (element if holder is None else holder).set("start", repr(start))
    kinds = [child.tag for child in root]
    root.insert(kinds.index("CoSimulation") + 1, definitions)


def add_real_units(root: Element, units: dict[str, str]) -> None:
    """Add the units of variables by name to a description of FMI 2.0, and its initial unknowns."""
    unknowns = []
    for index, variable in enumerate(root.iter("ScalarVariable"), 1):
        unit, real = units.get(variable.get("name", ""), ""), variable.find("Real")
        if unit and real is not None:
            real.set("unit", unit)
        if variable.get("initial") == "calculated":
            unknowns.append(str(index))
    structure = root.find("ModelStructure")
    if unknowns and structure is not None:
        initial = SubElement(structure, "InitialUnknowns")
        for index_text in unknowns:
            SubElement(initial, "Unknown", {"index": index_text})
