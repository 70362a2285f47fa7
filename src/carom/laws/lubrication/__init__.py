"""Lubricants of journal bearings: one file per kind, listed in ``registry.py``."""

from carom.laws.lubrication import registry
from carom.laws.lubrication.registry import *
from carom.laws.lubrication.registry import LUBRICANTS

__all__ = ["LUBRICANTS"]
__all__ += registry.__all__
