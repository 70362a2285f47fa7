"""What a study is made of, as plain data that is the same in every process: by this it is known again."""

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
from carom.io.model.model_writer import entry, write
from carom.study.subject import File, Fixed, GalleryCase, Maker, Subject


def identity(value: Any) -> Any:
    """Plain data that stands for ``value``: numbers and texts as they are, functions by name and source."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): identity(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return identity(value.tolist())
    if isinstance(value, (list, tuple)):
        return [identity(item) for item in value]
    if isinstance(value, partial):
        return ["partial", identity(value.func), identity(value.args), identity(value.keywords)]
    if isinstance(value, InitArguments):
        try:
            return entry(value, type(value).__name__)
        except ModelError:  # it has a function that a file cannot hold
            return [type(value).__name__, identity(value.keywords())]
    if is_dataclass(value) and not isinstance(value, type):
        return [type(value).__qualname__, {one.name: identity(getattr(value, one.name)) for one in fields(value)}]
    if inspect.isfunction(value) or inspect.isclass(value):
        return [f"{value.__module__}.{value.__qualname__}", digest(source(value))]
    return [type(value).__qualname__, hashlib.sha256(pickle.dumps(value)).hexdigest()[:16]]


def source(thing: Any) -> str:
    """Its text, or else its code."""
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):
        code = getattr(thing, "__code__", None)
        return repr((code.co_code, code.co_names, repr(code.co_consts))) if code else repr(thing)


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()[:16]


def identity_of_subject(subject: Subject) -> Any:
    """Of what is run."""
    if isinstance(subject, GalleryCase):
        return subject.name
    if isinstance(subject, File):
        return [subject.path.name, digest(subject.path.read_text(encoding="utf-8"))]
    if isinstance(subject, Maker):
        return identity(subject.function)
    if isinstance(subject, Fixed):
        try:
            text = write(subject.model.system)
        except ModelError:  # it has a function that a file cannot hold
            text = hashlib.sha256(pickle.dumps(subject.model.system)).hexdigest()
        return [subject.name, digest(text), identity(dict(subject.model.options))]
    return [type(subject).__qualname__, subject.name]


def carom_version() -> str:
    return version("carom")
