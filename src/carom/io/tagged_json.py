"""Plain data as JSON text that distinguishes tuples from lists.

Infinity and not-a-number are written as Python and MATLAB write them (`Infinity`, `NaN`); floats are restored exactly.
"""

import json
from typing import Any

_TUPLE = "tuple"  # {"tuple": [...]} represents a tuple
_DICT = "dict"  # {"dict": {...}} represents a dict that could be confused with one of these two


def dumps(value: Any) -> str:
    """Return the JSON text of None, bool, int, float, str, list, tuple and dict with text keys."""
    return json.dumps(_tag(value))


def loads(text: str | bytes) -> Any:
    """Return the data that `dumps` wrote."""
    return _untag(json.loads(text))


def _tag(value: Any) -> Any:
    if isinstance(value, tuple):
        return {_TUPLE: [_tag(item) for item in value]}
    if isinstance(value, list):
        return [_tag(item) for item in value]
    if isinstance(value, dict):
        tagged = {key: _tag(item) for key, item in value.items()}
        return {_DICT: tagged} if set(value) in ({_TUPLE}, {_DICT}) else tagged
    return value


def _untag(value: Any) -> Any:
    if isinstance(value, list):
        return [_untag(item) for item in value]
    if isinstance(value, dict):
        if set(value) == {_TUPLE}:
            return tuple(_untag(item) for item in value[_TUPLE])
        content = value[_DICT] if set(value) == {_DICT} else value
        return {key: _untag(item) for key, item in content.items()}
    return value
