"""Layout of planar drawings."""

import numpy as np
import pytest

from carom.scene.mechanism_layout import visible_profile


def test_a_long_profile_is_visible_near_the_other_parts_only():
    profile = np.column_stack([np.linspace(-1.0, 1.0, 201), np.zeros(201)])
    others = np.array([(0.0, -0.3), (0.4, 0.0)])  # half a metre across
    visible = visible_profile(profile, others)
    assert [*visible.min(axis=0), *visible.max(axis=0)] == pytest.approx([-0.12, 0.0, 0.52, 0.0])
    assert len(visible_profile(profile, 0.1 * others)) == 201  # all other parts are much smaller than the profile
