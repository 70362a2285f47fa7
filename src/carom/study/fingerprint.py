"""Fingerprint of a study: plain data that is equal in every process and identifies the study in its journal."""

from __future__ import annotations

import hashlib
import inspect
import json
import pickle
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.init_arguments import InitArguments
from carom.io.model.model_writer import entry


def fingerprint(value: Any) -> Any:
    """Return plain data that identifies ``value``: numbers and texts unchanged, functions by name and source."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): fingerprint(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return fingerprint(value.tolist())
    if isinstance(value, (list, tuple)):
        return [fingerprint(item) for item in value]
    if isinstance(value, partial):
        return ["partial", fingerprint(value.func), fingerprint(value.args), fingerprint(value.keywords)]
    if isinstance(value, InitArguments):
        try:
            return entry(value, type(value).__name__)
        except ModelError:  # It contains a function, which a model file cannot represent.
            return [type(value).__name__, fingerprint(value.keywords())]
    if is_dataclass(value) and not isinstance(value, type):
        content = {field.name: fingerprint(getattr(value, field.name)) for field in fields(value)}
        return [type(value).__qualname__, content]
    if inspect.isfunction(value) or inspect.isclass(value):
        return [f"{value.__module__}.{value.__qualname__}", digest(source_text(value))]
    return [type(value).__qualname__, hashlib.sha256(pickle.dumps(value)).hexdigest()[:16]]


def source_text(function: Any) -> str:
    """Return the source of a function or class, or its byte code if the source is not available."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        return repr((code.co_code, code.co_names, repr(code.co_consts))) if code else repr(function)


def digest(value: Any) -> str:
    """Return a short hash of plain data."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()[:16]


def carom_version() -> str:
    """Return the version of carom."""
    return version("carom")
