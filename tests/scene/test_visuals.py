"""Visuals: drawn everywhere, without any effect on the motion, and kept in files."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.view import describe


def pendulum(dim: int, visuals: bool):
    """Return a pendulum, with or without a ball and a see-through tube that are only drawn."""
    tail = (0.0,) * (dim - 2)
    system = cm.System(dim=dim, gravity=(0.0, -9.81, *tail))
    rod = system.add(cm.Body("rod", 1.0, 0.1, position=(0.5, 0.0, *tail)))
    axis = {} if dim == 2 else {"axis": (0, 0, 1)}
    system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0, *tail), **axis))
    if visuals:
        system.add(cm.Visual(cm.Sphere(rod, 0.1, at=(0.5, 0.0)), colour="crimson"))
        tube = cm.Segment(rod, (-0.5, 0.0), (0.5, 0.0), radius=0.06)
        system.add(cm.Visual(tube, colour="#88aa22", opacity=0.4, name="tube"))
        system.add(cm.Visual(cm.Sphere(system.ground, 0.05), colour="blue"))
    return system


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("method", ["compliant", "nonsmooth"])
def test_visuals_do_not_change_the_motion(dim, method):
    """The same bits with and without visuals."""
    results = [cm.simulate(pendulum(dim, visuals), 0.2, method=method) for visuals in (False, True)]
    assert np.array_equal(results[0].q, results[1].q)


@pytest.mark.parametrize("dim", [2, 3])
def test_visuals_are_in_the_scene_with_their_colours(dim, tmp_path):
    """Scenes of a run and of its file have parts in the colours and opacities of the visuals."""
    result = cm.simulate(pendulum(dim, True), 0.1)
    result.save(tmp_path / "run.h5")
    for each in (result, cm.load(tmp_path / "run.h5")):
        scene = describe(each, frames=2)
        colours = {part.colour for part in scene.parts} | {c for group in scene.spheres for c in group.colours}
        assert {"#dc143c", "#88aa22", "#0000ff"} <= colours
        tube = [part.opacity for part in scene.parts if part.colour == "#88aa22"]
        assert min(tube) == pytest.approx(0.4 if dim == 3 else 0.4 * 0.28)
        assert [part.body for part in scene.parts if part.colour == "#0000ff"] == ([-1, -1] if dim == 2 else [])


@pytest.mark.parametrize("dim", [2, 3])
def test_figures_show_visuals(dim):
    """A figure of the mechanism contains the colours of its visuals."""
    from matplotlib.colors import to_rgb
    from matplotlib.figure import Figure

    from carom.plot.planar_drawing import PlanarDrawing
    from carom.plot.spatial_drawing import SpatialDrawing

    system = pendulum(dim, True)
    drawing = (PlanarDrawing if dim == 2 else SpatialDrawing)(system, cm.simulate(system, 0.1))
    axes = Figure().add_subplot(projection=drawing.projection)
    drawing.draw(axes, 0.0)
    if dim == 2:
        colours = {tuple(np.round(to_rgb(line.get_color()), 3)) for line in axes.lines}
    else:
        faces = np.concatenate([patch._facecolor3d for patch in axes.collections])
        brightest = faces[:, :3] / faces[:, :3].max(axis=1, keepdims=True)
        colours = {tuple(np.round(face, 3)) for face in brightest}
    for name in ("crimson", "#88aa22"):
        rgb = np.array(to_rgb(name))
        assert tuple(np.round(rgb if dim == 2 else rgb / rgb.max(), 3)) in colours


@pytest.mark.parametrize("dim", [2, 3])
def test_model_files_contain_visuals(dim):
    """Reading what was written gives the same file."""
    text = pendulum(dim, True).to_yaml()
    again = cm.System.from_yaml(text)
    assert again.to_yaml() == text
    assert (again["tube"].colour, again["tube"].opacity) == ("#88aa22", 0.4)


def test_wrong_visuals_are_errors():
    """Messages name the visual and the value."""
    system = pendulum(2, False)
    ball = cm.Sphere(system["rod"], 0.1)
    with pytest.raises(cm.ModelError, match="Visual 'v': colour must be a name or '#rrggbb', got 'no colour'"):
        cm.Visual(ball, colour="no colour", name="v")
    with pytest.raises(cm.ModelError, match="opacity must lie in"):
        cm.Visual(ball, opacity=1.5)
    with pytest.raises(cm.ModelError, match="expected a shape"):
        cm.Visual(system["rod"])
    stranger = cm.Body("stranger", 1.0, 0.1, position=(0.0, 0.0))
    with pytest.raises(cm.ModelError, match="body 'stranger' is not in system"):
        system.add(cm.Visual(cm.Sphere(stranger, 0.1)))
