"""Runs to report."""

import pytest

import carom as cm


@pytest.fixture(scope="session")
def crank():
    """The slider-crank that meets a block twice in 0.08 s."""
    return cm.gallery.slider_crank_block().run()
