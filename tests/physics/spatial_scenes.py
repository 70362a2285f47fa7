"""Scenes in space, each of which can be turned as a whole, and how far their results are from each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import carom as cm

GRAVITY = 9.81
UPRIGHT = Rotation.identity()
TURNS = {"upright": UPRIGHT, "turned": Rotation.from_rotvec([1.1, -0.6, 2.0])}
TIGHT: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-12}


class Scene:
    """A floor z = 0 with gravity, slope and all, in a world that is turned by ``turn``."""

    def __init__(self, turn: Rotation = UPRIGHT, gravity: Any = (0.0, 0.0, -GRAVITY)):
        self.turn = turn
        self.system = cm.System(dim=3, gravity=turn.apply(gravity), name="scene")
        self.floor = cm.Plane(self.system.ground, (0.0, 0.0, 0.0), turn.apply([0.0, 0.0, 1.0]))

    def add(
        self, name: str, mass: float, inertia: Any, position: Any, velocity: Any = (0, 0, 0), omega: Any = (0, 0, 0),
        orientation: Rotation = UPRIGHT,
    ) -> cm.Body:  # fmt: skip
        """A body, ``omega`` along its own axes."""
        return self.system.add(
            cm.Body(
                name, mass, inertia, position=self.turn.apply(position), velocity=self.turn.apply(velocity),
                orientation=self.turn * orientation, angular_velocity=omega,
            )
        )  # fmt: skip

    def back(self, vectors: Any) -> np.ndarray:
        """Vectors of the turned world in the axes of the scene."""
        return np.asarray(vectors) @ self.turn.as_matrix()

    def position(self, result: cm.Result, name: str) -> np.ndarray:
        return self.back(result[name].position)

    def velocity(self, result: cm.Result, name: str) -> np.ndarray:
        return self.back(result[name].velocity)

    def spin(self, result: cm.Result, name: str) -> np.ndarray:
        """Angular velocity along the axes of the scene."""
        return self.back(result[name].global_omega)

    def force(self, result: cm.Result, name: str) -> np.ndarray:
        series = result[name]
        return self.back(np.column_stack([series.fx, series.fy, series.fz]))


def ball(scene: Scene, velocity: Any, omega: Any = (0, 0, 0), height: float = 0.0, radius: float = 0.1, **laws: Any):
    """A ball of 1 kg over the floor, which it may touch; ``swapped`` names the floor first."""
    swapped = laws.pop("swapped", False)
    body = scene.add("ball", 1.0, 0.4 * radius**2, (0.0, 0.0, radius + height), velocity, omega)
    shapes = (cm.Sphere(body, radius), scene.floor)
    scene.system.add(cm.Contact(*(shapes[::-1] if swapped else shapes), **laws, name="touch"))
    return scene


def settled(scene: Scene) -> Scene:
    """At the depth where the floor carries the weight, without its part down a slope; what moved goes on moving."""
    moving = {body.name: (body.velocity, body.angular_velocity) for body in scene.system.bodies}
    gravity, up = scene.system.gravity, scene.floor.normal
    scene.system.gravity = tuple(np.dot(gravity, up) * np.array(up))
    scene.system.set_state(cm.statics(scene.system))
    scene.system.gravity = gravity
    for name, (velocity, omega) in moving.items():
        scene.system[name].velocity, scene.system[name].angular_velocity = velocity, omega
    return scene
