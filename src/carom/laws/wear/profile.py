"""Worn profile of two surfaces, which can be saved, loaded and passed to another run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from carom.argument_checks import file_path, readable_file, vector
from carom.errors import ModelError
from carom.init_arguments import InitArguments

FORMAT = "carom wear profile"


class WearProfile(InitArguments):
    """Depths [m] that two surfaces have lost, at equal distances.

    ``first`` is the first surface (the bearing, by angle from its x axis, counter-clockwise; or the first shape, by
    arc length), ``second`` the other one (the journal). An empty list is a surface that is not worn.

    Examples
    --------
    >>> import carom as cm
    >>> import tempfile
    >>> worn = cm.wear.WearProfile(first=[1e-6] * 720)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     worn.save(f"{folder}/pin.json")
    ...     copy = cm.wear.WearProfile.load(f"{folder}/pin.json")
    ...
    >>> copy == worn, copy.max_depth
    (True, 1e-06)
    """

    change_advice = "build a new profile"

    def __init__(self, first: Sequence[float] = (), second: Sequence[float] = ()):
        self.first, self.second = vector("WearProfile", "first", first), vector("WearProfile", "second", second)
        for name, values in (("first", self.first), ("second", self.second)):
            if values and min(values) < 0.0:
                raise ModelError(f"WearProfile: the depths of {name} must not be negative, got {min(values):g} m")

    @property
    def max_depth(self) -> float:
        """Largest depth [m]."""
        return max([0.0, *self.first, *self.second])

    def save(self, path: Any) -> None:
        """Write the profile to a JSON file, with all digits."""
        content = {"format": FORMAT, "first": self.first, "second": self.second}
        Path(file_path("WearProfile", path)).write_text(json.dumps(content), encoding="utf-8")

    @classmethod
    def load(cls, path: Any) -> WearProfile:
        """Read a profile from a file that `save` wrote."""
        file = readable_file("WearProfile", path)
        try:
            content = json.loads(Path(file).read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                raise KeyError("format")
            return cls(content["first"], content["second"])
        except (ValueError, KeyError, TypeError) as error:
            raise ModelError(f"WearProfile: {path} is not a file of a worn profile ({error})") from None

    def sampled(self, owner: str, count: int) -> np.ndarray:
        """Return the depths of both surfaces at ``count`` equal distances [m]; raise if their number differs."""
        depths = np.zeros((2, count))
        for row, values, name in zip(depths, (self.first, self.second), ("first", "second"), strict=True):
            if values and len(values) != count:
                raise ModelError(
                    f"{owner}: the profile has {len(values)} depths of the {name} surface, but sectors={count}; set "
                    f"sectors={len(values)}"
                )
            if values:
                row[:] = values
        return depths

    def __repr__(self) -> str:
        return f"<WearProfile: {len(self.first)} and {len(self.second)} depths, at most {self.max_depth:.3g} m>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WearProfile) and (self.first, self.second) == (other.first, other.second)

    def __hash__(self) -> int:
        return hash((self.first, self.second))
