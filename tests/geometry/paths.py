"""Kernels of planar paths, called from Python with arrays."""

from carom.geometry import planar_path
from carom.kernels import jit
from carom.kernels.pointers import data_pointer


@jit
def curve_at(data, s):
    return planar_path_curve_at(data_pointer(data), s)


@jit
def project(data, start, px, py):
    return planar_path_project(data_pointer(data), start, px, py)


@jit
def nearest_sample(data, px, py):
    return planar_path_nearest_sample(data_pointer(data), px, py)


planar_path_curve_at = planar_path.curve_at
planar_path_project = planar_path.project
planar_path_nearest_sample = planar_path.nearest_sample
