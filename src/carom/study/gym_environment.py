"""Environment of gymnasium around a driven simulation, for reinforcement learning and control."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np

from carom.argument_checks import finite_float, integer, positive, short_repr
from carom.errors import ModelError
from carom.model.input import Input
from carom.model.system import System
from carom.plot.scene_canvas import SceneCanvas
from carom.scene.frames import body_poses
from carom.scene.scene_builder import describe
from carom.solve.input_driver import measure_of
from carom.solve.simulation import Simulation
from carom.typing import CurrentState

SystemSource = System | Callable[[np.random.Generator], System]
"""A system, or a function of a random generator that returns the system of an episode."""


class SimulationEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """Environment whose steps advance a `Simulation`; see `carom.study.gym_env` for the parameters."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(
        self,
        system: SystemSource,
        actions: Mapping[str, Sequence[float]],
        observations: Sequence[Any],
        *,
        period: float,
        reward: Callable[[CurrentState], float],
        terminated: Callable[[CurrentState], bool] | None = None,
        t_max: float | None = None,
        render_mode: str | None = None,
        width: int = 480,
        **options: Any,
    ):
        if not isinstance(system, System) and not callable(system):
            raise ModelError(f"gym_env: expected a System or a function that returns one, got {short_repr(system)}")
        if render_mode not in (None, "rgb_array"):
            raise ModelError(f"gym_env: render_mode must be None or 'rgb_array', got {render_mode!r}")
        self.period = positive("gym_env", "period", period)
        self.t_max = math.inf if t_max is None else positive("gym_env", "t_max", t_max)
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_fps": round(1.0 / self.period)}
        self.width = integer("gym_env", "width", width, 16, 10_000)
        self._source, self._options = system, options
        self._reward, self._terminated = reward, terminated
        self._observed = tuple(observations)
        self._sim: Simulation | None = None
        self._canvas: SceneCanvas | None = None
        model = system if isinstance(system, System) else system(np.random.default_rng(0))
        self._limits = action_limits(model, actions)
        low, high = (np.array(bounds) for bounds in zip(*self._limits.values(), strict=True))
        self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        self._begin(model)
        size = self._observation().size
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), dtype=np.float64)

    @property
    def sim(self) -> Simulation:
        """The simulation of the current episode."""
        assert self._sim is not None
        return self._sim

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode; return the first observation and the time [s]. ``options`` are not used."""
        super().reset(seed=seed)
        if isinstance(self._source, System):
            self.sim.reset()
        else:
            self._begin(self._source(self.np_random))
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Hold the actions during one period; return observation, reward, end of the task, end of the time, and time.

        Actions outside their limits are clipped.
        """
        values = np.asarray(action, float)
        if values.shape != self.action_space.shape or not np.isfinite(values).all():
            raise ModelError(f"gym_env: expected {len(self._limits)} finite actions, got {short_repr(action)}")
        sim = self.sim
        for (name, (low, high)), value in zip(self._limits.items(), values.tolist(), strict=True):
            sim[name] = min(max(value, low), high)
        sim.advance(self.period)
        is_terminated = self._terminated is not None and bool(self._terminated(sim))
        is_truncated = sim.time >= self.t_max * (1.0 - 1e-12)
        return self._observation(), float(self._reward(sim)), is_terminated, is_truncated, self._info()

    def render(self) -> np.ndarray | None:
        """Return a picture (height, width, 3) of the current state; None without ``render_mode``."""
        if self.render_mode is None:
            return None
        node = self.sim.node
        if self._canvas is None:
            self._canvas = SceneCanvas(describe(node), self.width, forces=False, points=False)
        self._canvas.scene.poses[0] = body_poses(node)[-1]
        return self._canvas.frame(0, f"t = {self.sim.time:.3f} s")

    def _begin(self, system: System) -> None:
        """Begin an episode with a system."""
        self._sim = Simulation(system, **self._options)
        self._measures = [measure_of("gym_env", source, system) for source in self._observed]
        self._canvas = None

    def _observation(self) -> np.ndarray:
        """Return the observed values."""
        return np.concatenate([np.atleast_1d(np.asarray(f(self.sim), float)) for f in self._measures] or [np.zeros(0)])

    def _info(self) -> dict[str, Any]:
        """Return the time [s]."""
        return {"time": self.sim.time}


def action_limits(system: System, actions: Any) -> dict[str, tuple[float, float]]:
    """Return smallest and largest value of the inputs that are the actions, by their names."""
    known = [source.name for source in system.inputs]
    if not isinstance(actions, Mapping) or not actions:
        raise ModelError('gym_env: actions must be a mapping such as {"push": (-10.0, 10.0)} of inputs')
    limits: dict[str, tuple[float, float]] = {}
    for name, bounds in actions.items():
        key = name.name if isinstance(name, Input) else name
        if key not in known:
            raise ModelError(f"gym_env: actions: unknown input {key!r}; the inputs are {', '.join(known) or 'none'}")
        if len(bounds) != 2:
            raise ModelError(f"gym_env: actions[{key!r}] must be (low, high), got {short_repr(bounds)}")
        low, high = (finite_float("gym_env", f"actions[{key!r}]", value) for value in bounds)
        if not low < high:
            raise ModelError(f"gym_env: actions[{key!r}] must be (low, high) with low < high, got ({low:g}, {high:g})")
        limits[key] = low, high
    return limits
