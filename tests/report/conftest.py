"""Run that the tests share."""

import pytest

import carom as cm


@pytest.fixture(scope="session")
def crank():
    """Return the run of a slider-crank that hits a block twice in 0.08 s."""
    return cm.gallery.slider_crank_block().run()
