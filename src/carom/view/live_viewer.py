"""Live view: a simulation that runs in the browser, with sliders for its inputs."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, positive, short_repr
from carom.errors import ModelError
from carom.model.input import Input
from carom.result.result import Result
from carom.scene.frames import MAX_CONTACTS, body_poses
from carom.scene.glyphs import force_lengths
from carom.scene.labels import unit_label
from carom.scene.playback_speed import speed_label
from carom.scene.scene import ContactFrames, Scene
from carom.scene.scene_builder import describe
from carom.solve.simulation import Simulation
from carom.view.scene_server import FRAME_RATE, SceneServer

SPEEDS = (1.0, 0.5, 0.2, 0.1, 0.01, 0.001)
"""Speeds that can be chosen, relative to real time [-]."""
DEFAULT_RANGE = 10.0
"""Largest value of the slider of an input that begins at zero."""
SLIDER_STEPS = 1000
"""Steps of a slider."""


def live(
    sim: Simulation,
    *,
    port: int = 8080,
    open_browser: bool = True,
    speed: float = 1.0,
    ranges: Mapping[str, Sequence[float]] | None = None,
    values: Sequence[str] | None = None,
    playing: bool = True,
) -> LiveViewer:
    """Serve a running simulation on ``port`` of this computer (0: any free port) and return its `LiveViewer`.

    The simulation runs while a page is open: in real time with ``speed=1``, slower with less, and as fast as it can be
    computed if that is slower still. Each input has a slider, with the range (low, high) in ``ranges``, by default from
    −10 to 10 for one that begins at zero, otherwise from zero to twice its value; inputs that a controller sets are
    shown only. ``values`` are shown as numbers: names of outputs, or "body.signal", by default all outputs. With
    ``playing=False`` it begins paused.

    An error, such as one of a controller, pauses the simulation and is shown; it can be reset. Pause it before you
    advance it yourself, then call ``update()``.
    """
    if not isinstance(sim, Simulation):
        raise ModelError(f"live: expected a Simulation, got {short_repr(sim)}")
    viewer = LiveViewer(sim, port, positive("live", "speed", speed), dict(ranges or {}), values, playing)
    viewer.announce(open_browser)
    return viewer


class LiveViewer(SceneServer):
    """Server of a running simulation, with `play`, `pause`, `step`, `reset`, `update`, `set_input` and `stop`.

    ``playing`` is True while it runs, ``error`` is the text of the last error.
    """

    def __init__(
        self,
        sim: Simulation,
        port: int,
        speed: float,
        ranges: Mapping[str, Sequence[float]],
        values: Sequence[str] | None,
        playing: bool,
    ):
        self.sim, self.speed, self.playing, self.error = sim, speed, playing, ""
        inputs: list[Input] = list(getattr(sim.system, "inputs", ()))
        self._ranges = slider_ranges(inputs, ranges)
        controllers = getattr(sim.system, "controllers", ())
        controlled = {name for controller in controllers for name in controller.outputs}
        node = sim.node
        self._contacts = contact_names(node)
        outputs = [output.name for output in getattr(sim.system, "outputs", ())]
        self._values = outputs if values is None else list(values)
        for path in self._values:
            current_value(sim, path)  # raises if it is unknown
        super().__init__(live_scene(sim, node, self._contacts), port)
        self._largest_force = 0.0
        self._add_controls(inputs, controlled)
        self.update()
        self._start(self._run)

    @property
    def interval(self) -> float:
        """Time by which the simulation advances between two pictures [s]."""
        return self.speed / FRAME_RATE

    def play(self) -> None:
        """Let the simulation run."""
        self.playing = True
        self._show_state()

    def pause(self) -> None:
        """Pause the simulation."""
        self.playing = False
        self._show_state()

    def step(self) -> None:
        """Advance by one interval, and pause."""
        self.pause()
        self._advance()

    def reset(self) -> None:
        """Return to the start of the run, with the initial values of the inputs."""
        with self._lock:
            self.sim.reset()
            self._largest_force = 0.0
            self._report("")
            self.update()

    def set_input(self, name: str, value: float) -> None:
        """Set an input from the current time on; an error is shown, and the input keeps its value."""
        with self._lock:
            try:
                self.sim[name] = value
            except ModelError as error:
                self._report(str(error))
            self._show_values()

    def update(self) -> None:
        """Show the current state of the simulation."""
        with self._lock, self.server.atomic():
            node = self.sim.node
            self._show_poses(body_poses(node)[-1].astype(float))
            if self._contacts:
                self._show_forces(node)
            self._show_values()

    def _advance(self) -> None:
        """Advance by one interval and show it; an error pauses the simulation."""
        with self._lock:
            try:
                self.sim.advance(self.interval)
                self._report("")
            except Exception as error:  # noqa: BLE001  (a function of the user may raise anything)
                self.playing = False
                self._report(str(error))
                self._show_state()
            self.update()

    def _run(self) -> None:
        """Advance the simulation until the server is stopped."""
        due = clock.perf_counter()
        while not self._stopped.wait(max(0.0, due - clock.perf_counter())):
            due = max(due + 1.0 / FRAME_RATE, clock.perf_counter())
            if self.playing and self.server.get_clients():
                self._advance()

    # ---- controls

    def _add_controls(self, inputs: Sequence[Input], controlled: set[str]) -> None:
        """Add time, buttons, sliders, numbers and switches to the page."""
        gui = self.server.gui
        gui.set_panel_label(self.scene.name)
        gui.configure_theme(show_logo=False, show_share_button=False)
        gui.main_panel.dock_right()  # beside the picture
        speeds = {speed_label(factor): factor for factor in sorted({*SPEEDS, self.speed}, reverse=True)}
        with gui.add_folder("run"):
            self._time = gui.add_text("t [s]", "0", disabled=True)
            self._play = gui.add_button("pause")
            step, reset = gui.add_button("step"), gui.add_button("reset")
            choice = gui.add_dropdown("speed", tuple(speeds), initial_value=speed_label(self.speed))
            fit = gui.add_button("fit")
            self._message = gui.add_markdown("", visible=False)
        self._sliders: dict[str, Any] = {}
        set_by_hand = [source for source in inputs if source.name not in controlled]
        if set_by_hand:
            with gui.add_folder("inputs"):
                for source in set_by_hand:
                    self._add_slider(source)
        self._texts: dict[str, Any] = {}
        shown = [*(source.name for source in inputs if source.name in controlled), *self._values]
        if shown:
            with gui.add_folder("values"):
                for path in dict.fromkeys(shown):
                    self._texts[path] = gui.add_text(f"{path}{unit_text(self.sim, path)}", "", disabled=True)
        self._add_glyph_controls(self.update)

        def choose(_: Any) -> None:
            self.speed = speeds[choice.value]

        choice.on_update(choose)
        self._play.on_click(lambda _: self.pause() if self.playing else self.play())
        step.on_click(lambda _: self.step())
        reset.on_click(lambda _: self.reset())
        fit.on_click(lambda _: self._fit())
        self._show_state()

    def _add_slider(self, source: Input) -> None:
        """Add the slider of an input."""
        low, high = self._ranges[source.name]
        unit = f" [{unit_label(source.unit)}]" if source.unit else ""
        slider = self.server.gui.add_slider(
            f"{source.name}{unit}", low, high, (high - low) / SLIDER_STEPS,
            min(max(self.sim[source.name], low), high),
        )  # fmt: skip

        def change(event: Any) -> None:
            if event.client is not None:  # moved by the user
                self.set_input(source.name, float(slider.value))

        slider.on_update(change)
        self._sliders[source.name] = slider

    def _show_state(self) -> None:
        """Label the button by what it does."""
        label = "pause" if self.playing else "play"
        if self._play.label != label:
            self._play.label = label

    def _report(self, text: str) -> None:
        """Show an error, or none."""
        if text != self.error:
            self.error = text
            self._message.content = f"**Error:** {text}" if text else ""
            self._message.visible = bool(text)

    def _show_values(self) -> None:
        """Show time, inputs and values."""
        self._time.value = f"{self.sim.time:.4f}"
        for name, slider in self._sliders.items():
            low, high = self._ranges[name]
            value = min(max(self.sim[name], low), high)
            if abs(slider.value - value) > (high - low) / SLIDER_STEPS:
                slider.value = value
        for path, text in self._texts.items():
            try:
                text.value = f"{current_value(self.sim, path):.5g}"
            except ModelError as error:  # an output without value
                text.value = "–"
                self._report(str(error))

    def _show_forces(self, node: Result) -> None:
        """Show contact points and forces of the current node."""
        points, forces = contact_vectors(node, self._contacts)
        self._largest_force = max(self._largest_force, float(np.linalg.norm(forces, axis=1).max()))
        self._show_contacts(points, forces, force_lengths(forces, self._largest_force, self.scene.diagonal))


def slider_ranges(inputs: Sequence[Input], ranges: Mapping[str, Sequence[float]]) -> dict[str, tuple[float, float]]:
    """Return lowest and highest value of the slider of each input."""
    unknown = [name for name in ranges if name not in {source.name for source in inputs}]
    if unknown:
        known = ", ".join(source.name for source in inputs) or "none"
        raise ModelError(f"live: ranges has no input {unknown[0]!r}; the inputs are {known}")
    found: dict[str, tuple[float, float]] = {}
    for source in inputs:
        default = sorted((0.0, 2.0 * source.initial)) if source.initial != 0.0 else (-DEFAULT_RANGE, DEFAULT_RANGE)
        limits = tuple(ranges.get(source.name, default))
        if len(limits) != 2:
            raise ModelError(f"live: ranges[{source.name!r}] must be (low, high), got {short_repr(limits)}")
        low, high = (finite_float("live", f"ranges[{source.name!r}]", value) for value in limits)
        if not low < high:
            raise ModelError(f"live: ranges[{source.name!r}] must be (low, high) with low < high, got {limits}")
        found[source.name] = low, high
    return found


def contact_names(node: Result) -> list[str]:
    """Return the contacts with a point and a force, as many as are shown."""
    axes = "xyz"[: node.dim]
    required = {*axes, *(f"f{axis}" for axis in axes)}
    return [info.name for info in node.elements if required <= set(info.signals)][:MAX_CONTACTS]


def contact_vectors(node: Result, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return points (c, 3) [m] and forces (c, 3) [N] of contacts at the last node."""
    points, forces = np.zeros((len(names), 3)), np.zeros((len(names), 3))
    for k, name in enumerate(names):
        series = node[name]
        for j, axis in enumerate("xyz"[: node.dim]):
            points[k, j], forces[k, j] = getattr(series, axis)[-1], getattr(series, f"f{axis}")[-1]
    return np.nan_to_num(points), np.nan_to_num(forces)


def live_scene(sim: Simulation, node: Result, contacts: Sequence[str]) -> Scene:
    """Return the scene of the current node, with room for the forces of contacts."""
    scene = describe(node, None if node.sketch is not None else sim.system)
    empty = np.zeros((1, len(contacts), 3), np.float32)
    return replace(scene, contacts=ContactFrames(tuple(contacts), empty, empty.copy(), 0.0) if contacts else None)


def current_value(sim: Simulation, path: str) -> float:
    """Return the current value of an output or input by its name, or of "body.signal"."""
    owner, dot, signal = path.rpartition(".")
    names = {item.name for item in (*getattr(sim.system, "outputs", ()), *getattr(sim.system, "inputs", ()))}
    if path in names or not dot:
        value = sim[path]
    else:
        value = getattr(sim[owner], signal)
    if not isinstance(value, float):
        raise ModelError(f"live: {path!r} is no number; choose a signal, such as '{path}.x'")
    return value


def unit_text(sim: Simulation, path: str) -> str:
    """Return the unit of a value in brackets."""
    owner, _, signal = path.rpartition(".")
    node = sim.node
    series = node[path] if path in node else node[owner]
    unit = series.units.get("value" if path in node else signal, "")
    return f" [{unit_label(unit)}]" if unit else ""
