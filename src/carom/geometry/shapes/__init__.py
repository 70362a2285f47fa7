"""Shapes on bodies: one file per shape, listed in ``registry.py``."""

from carom.geometry.shapes import registry
from carom.geometry.shapes.base import Shape
from carom.geometry.shapes.registry import *

__all__ = ["Shape"]
__all__ += registry.__all__
