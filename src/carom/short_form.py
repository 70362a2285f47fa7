"""Short texts of elements and laws, for the one line that represents an object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

SYMBOLS = {"stiffness": "K", "restitution": "e", "exponent": "n", "coefficient": "μ", "friction": "μ"}
"""Symbols of the parameters of laws; other parameters have their own names."""
MAX_PARAMETERS = 4
"""Largest number of parameters in the text of an object."""
MAX_SHOWN, MAX_TEXT = 3, 60
"""Largest size of an array whose numbers are shown, and number of characters of a text."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun in singular or plural.

    Examples
    --------
    >>> counted(1, "impact"), counted(2, "impact")
    ('1 impact', '2 impacts')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def number_text(value: float) -> str:
    """Return a number with at most six digits and a short exponent, e.g. "1e9".

    Examples
    --------
    >>> number_text(1e9), number_text(-2.5e-07), number_text(0.7)
    ('1e9', '-2.5e-7', '0.7')
    """
    mantissa, mark, exponent = f"{value:.6g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if mark else mantissa


def value_text(value: Any) -> str | None:
    """Return a number, a flag that is set, a word or up to three numbers as text; None for anything else."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, float, np.integer, np.floating)):
        return number_text(float(value))
    if isinstance(value, (tuple, list)) and 0 < len(value) <= 3:
        parts = [value_text(part) for part in value]
        if all(isinstance(part, (int, float)) and not isinstance(part, bool) for part in value):
            return f"({', '.join(str(part) for part in parts)})"
    return None


def parameter_texts(values: Mapping[str, Any], symbols: Mapping[str, str] | None = None) -> list[str]:
    """Return "name=value" of the first parameters that are numbers; ``symbols`` replace names."""
    names = symbols or {}
    texts = [(names.get(name, name), value_text(value)) for name, value in values.items()]
    return [f"{name}={text}" for name, text in texts if text is not None][:MAX_PARAMETERS]


def law_text(law: Any) -> str:
    """Return class and parameters of a law, e.g. "Flores(K=1e9, e=0.6)"; from the third one those that are not zero."""
    shown = {name: value for k, (name, value) in enumerate(law.keywords().items()) if k < 2 or value}
    return f"{type(law).__name__}({', '.join(parameter_texts(shown, SYMBOLS))})"


class ShortRepr:
    """Mixin of dataclasses: their representation is one line with numbers and texts, and the sizes of all else."""

    def __repr__(self) -> str:
        texts = [_field_text(field.name, getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]
        return one_line(type(self).__name__, texts)


def _field_text(name: str, value: Any) -> str:
    """Return the text of a field: a value, or the size of an array or list; empty for an empty field."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "iuf" or value.size > MAX_SHOWN:
            return f"{name} {value.shape}"
        value = tuple(value.ravel().tolist())
    text = repr(value) if isinstance(value, str) and value else value_text(value)
    if text is not None:
        return f"{name}={text}" if len(text) <= MAX_TEXT else ""
    return f"{len(value)} {name}" if isinstance(value, (tuple, list, dict)) and value else ""


def one_line(label: str, details: Iterable[str]) -> str:
    """Return the line "<label: detail, detail>"."""
    text = ", ".join(detail for detail in details if detail)
    return f"<{label}: {text}>" if text else f"<{label}>"
