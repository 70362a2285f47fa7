"""Packings: positions and radii of many spheres, or discs in 2D, and the bodies made from them."""

from carom.model.packing.bodies import spheres
from carom.model.packing.lattice import lattice
from carom.model.packing.packing import Packing
from carom.model.packing.packing_file import from_file
from carom.model.packing.random_packing import random
from carom.model.packing.size_distributions import SizeDistribution, lognormal, normal, table, uniform

__all__ = [
    "Packing",
    "SizeDistribution",
    "from_file",
    "lattice",
    "lognormal",
    "normal",
    "random",
    "spheres",
    "table",
    "uniform",
]
