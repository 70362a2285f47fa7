"""Requests to results and studies with arbitrary arguments: a result, or an error message that helps."""

from __future__ import annotations

import os

import numpy as np
import pytest

import carom as cm

ANYTHING = [
    None, True, 0, -1, 1.5, float("nan"), float("inf"), 1e300, 10**400, 1j, "", "x", "a.b.c", "../x", "\0", b"x", [],
    [1], ["x"], {}, {"x": 1}, (), object(), np.array([]), np.array([[1.0]]), np.full(3, np.nan),
]  # fmt: skip
DATA = {"t": [0.0, 1e-5], "sphere 1.vx": [0.1, 0.1]}
BOUNDS = {"restitution": (0.1, 0.9)}
TIMES = [1.0, 2.0, 2.8, 3.44]

REQUESTS = {
    "look up": lambda result, x: result[x],
    "sample": lambda result, x: result.sample(x),
    "plot": lambda result, x: result.plot(x),
    "save": lambda result, x: result.save(x),
    "report": lambda result, x: result.report(x),
    "load": lambda _, x: cm.load(x),
    "resume": lambda _, x: cm.resume(x),
    "urdf": lambda _, x: cm.System.from_urdf(x),
    "compare": lambda _, x: cm.compare(x, law=["hertz"]),
    "compare laws": lambda _, x: cm.compare("two_spheres", law=x),
    "sweep": lambda _, x: cm.sweep("two_spheres", x, ["energy.drift"], executor="serial"),
    "sweep values": lambda _, x: cm.sweep("two_spheres", {"restitution": x}, ["energy.drift"], executor="serial"),
    "sweep measures": lambda _, x: cm.sweep("two_spheres", {"restitution": [0.5]}, x, executor="serial"),
    "fit data": lambda _, x: cm.fit("two_spheres", x, BOUNDS),
    "fit parameters": lambda _, x: cm.fit("two_spheres", DATA, x),
    "fit bounds": lambda _, x: cm.fit("two_spheres", DATA, {"restitution": x}),
    "bounce": lambda _, x: cm.fit_bounce(x),
    "bounce gravity": lambda _, x: cm.fit_bounce(TIMES, gravity=x),
    "bounce confidence": lambda _, x: cm.fit_bounce(TIMES, confidence=x),
    "sensitivity": lambda _, x: cm.sensitivity("two_spheres", x, measure="energy.drift", executor="serial"),
    "sensitivity measure": lambda _, x: cm.sensitivity("two_spheres", BOUNDS, measure=x, samples=4, executor="serial"),
    "check tolerance": lambda _, x: cm.check_tolerance(x),
    "lyapunov": lambda _, x: cm.lyapunov(x, 1.0),
}


@pytest.fixture(scope="module")
def result():
    return cm.gallery.two_spheres().run()


OF_CONTAINERS = ("must be a name", "has no", "unknown name", "must lie in the run")
"""Words of errors that are Python's own for what is not in a container, or not a key."""


def outcome(request_of, result, value):
    """Return the outcome in words."""
    try:
        REQUESTS[request_of](result, value)
    except (cm.ModelError, OSError) as error:
        return f"refused: {error}"
    except (TypeError, LookupError, ValueError) as error:
        if request_of in ("look up", "plot", "sample") and any(words in str(error) for words in OF_CONTAINERS):
            return f"refused: {error}"
        return f"from the inside: {type(error).__name__}: {error}"
    return "answered"


@pytest.mark.filterwarnings("ignore::carom.CaromWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("request_of", REQUESTS)
def test_anything_is_answered_or_refused_in_words(request_of, result, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcomes = [outcome(request_of, result, value) for value in ANYTHING]
    assert [words for words in outcomes if words != "answered" and not words.startswith("refused: ")] == []
    assert sum(len(words) > len("refused: ") + 10 for words in outcomes) > len(ANYTHING) // 2
    assert [name for name in os.listdir(tmp_path) if name.startswith(".")] == []
