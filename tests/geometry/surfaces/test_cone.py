import math

import numpy as np
import pytest

from carom import ModelError
from carom.geometry.surfaces import Cone
from carom.geometry.surfaces.cone import TIP_MARGIN


def test_points_and_normals():
    surface = Cone(1.0, 0.4, 1.5)
    u, v = np.linspace(-1.5, 1.5, 5)[:, None], np.linspace(0.0, 6.0, 7)
    s, n = surface.point(u, v), surface.normal(u, v)
    np.testing.assert_allclose(np.hypot(s[..., 0], s[..., 1]) - (0.7 - 0.2 * u), 0.0, atol=1e-15)
    np.testing.assert_allclose(n[..., 2], math.sin(math.atan(0.2)), rtol=1e-14)  # the side leans by its slope
    assert np.all(np.sum(s[..., :2] * n[..., :2], axis=-1) > 0.0)


@pytest.mark.parametrize("top", [True, False])
def test_ends_just_before_its_tip(top):
    surface = Cone(1.0, 0.0, 2.0) if top else Cone(0.0, 1.0, 2.0)
    end = surface.u_range[1] if top else surface.u_range[0]
    assert abs(end) == pytest.approx(2.0 - 4.0 * TIP_MARGIN, rel=1e-15)
    out = surface.evaluate(end, 0.3)
    area = np.linalg.norm(np.cross(out[6:9], out[9:12]))
    assert area == pytest.approx(TIP_MARGIN * math.hypot(1.0, 0.25), rel=1e-8)  # radius there times length of the slant
    assert surface.u_ends == ("open", "open")


def test_must_have_a_radius():
    with pytest.raises(ModelError, match="Cone surface: bottom_radius and top_radius must not both be zero"):
        Cone(0.0, 0.0, 1.0)
    with pytest.raises(ModelError, match="top_radius must be positive or zero, got -1"):
        Cone(1.0, -1.0, 1.0)


def test_a_part_must_reach_beyond_the_tip():
    with pytest.raises(ModelError, match="Cone surface: u must extend more than 4e-06 m from the tip"):
        Cone(1.0, 0.0, 2.0, u=(2.0 - 1e-6, 2.0))
