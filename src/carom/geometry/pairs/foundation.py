"""Overlap of two shapes, integrated over the elements of one of them, for laws of the pressure.

Each element counts with the depth u of its middle in the other shape and with the normal n there. Thin shapes have no
inside: in front of them each element is a sphere as thick as the layer that is pressed, behind its middle. The elements
are in a tree of boxes: a box whose middle is farther from the other shape than from its corners does not overlap.
Gap, closest points and normal are those of the deepest element while nothing overlaps, then the gap is the largest
depth, the normal that of the resultant ∫u n dA, and the force acts at the centre of pressure ∫u r dA/∫u dA.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.geometry.bvh import EMPTY_LEAF_POSITION, TREE_NODE, build_tree
from carom.geometry.pairs.base import (
    NO_CONTACT,
    PAIR_OUTPUT,
    POSE,
    PairKernel,
    pair_kernel,
    store,
    to_global,
)
from carom.geometry.pairs.overlap import OVERLAP
from carom.geometry.pairs.registry import PAIRS, Pairing
from carom.geometry.shapes import Shape
from carom.geometry.shapes.point import Point
from carom.geometry.shapes.sphere import Sphere
from carom.geometry.surface_elements import surface_elements
from carom.kernels import (
    ADDRESS,
    EVALUATION,
    FLOAT,
    INT,
    address_of,
    call_pair,
    floats,
    jit,
    kernel,
    offset,
    record,
)

ELEMENT_KINDS = ("Mesh", "Surface")
"""Kinds of shapes with elements."""

PARAMS = record(
    sphere_kernel=FLOAT,  # address of the pair of a point and the other shape
    sphere_warm_start=FLOAT,  # size of its warm start
    n_nodes=FLOAT,
    n_elements=FLOAT,
    nodes=FLOAT,  # where the nodes of the tree, the elements and the parameters of that pair begin, in numbers
    elements=FLOAT,
    sphere_params=FLOAT,
)
ELEMENT = record(
    point=(FLOAT, 3),  # middle, or that of its sphere, in body axes [m]
    area=FLOAT,  # [m²]
)
WARM_START = record(
    overlap=OVERLAP,
    closest=FLOAT,  # index of the element with the smallest gap
    # sums over elements, about the origin of the first body
    weight=FLOAT,
    force=(FLOAT, 3),
    place=(FLOAT, 3),
    torque=(FLOAT, 3),
    centre=POSE,  # pose of the point, or of the sphere
    candidate=PAIR_OUTPUT,
)
"""Then the warm starts of the pair of a point, one for each element and one for each node."""
WARM_START_SIZE = WARM_START.size
OVERLAPS = record(
    n_elements=INT,
    pose_a=ADDRESS,
    pose_b=ADDRESS,
    params=ADDRESS,
    warm_start=ADDRESS,
    # tables, one row per element
    places=ADDRESS,  # middles [m]
    normals=ADDRESS,  # of the other shape
    gaps=ADDRESS,  # [m]
)
BALANCED = 1e-12
"""Ratio of the resultant to the sum of all forces below which they are in balance [-]."""


@jit
def compute_gap(pose_a, pose_b, params, work, index, x, y, z):
    """Compute the gap of a point of the first body, with warm start ``index``."""
    centre = work.centre
    centre.x, centre.y, centre.z = to_global(pose_a, x, y, z)
    first = floats(address_of(work))
    warm_start = offset(first, WARM_START_SIZE + index * int(params.sphere_warm_start))
    sphere_params = offset(floats(address_of(params)), int(params.sphere_params))
    call_pair(int(params.sphere_kernel), centre, pose_b, sphere_params, warm_start, work.candidate)
    return work.candidate.gap


@jit
def add_element(pose_a, work, element):
    """Add an element that overlaps to the sums."""
    candidate = work.candidate
    overlap = work.overlap
    depth = -candidate.gap
    weight = element.area * depth
    px = candidate.point_a[0] - pose_a.x
    py = candidate.point_a[1] - pose_a.y
    pz = candidate.point_a[2] - pose_a.z
    fx = weight * candidate.normal[0]
    fy = weight * candidate.normal[1]
    fz = weight * candidate.normal[2]
    overlap.area += element.area
    overlap.squares += weight * depth
    work.weight += weight
    work.force[0] += fx
    work.force[1] += fy
    work.force[2] += fz
    work.place[0] += weight * px
    work.place[1] += weight * py
    work.place[2] += weight * pz
    work.torque[0] += py * fz - pz * fy
    work.torque[1] += pz * fx - px * fz
    work.torque[2] += px * fy - py * fx


@jit
def clear_sums(work):
    """Set all sums to zero."""
    overlap = work.overlap
    overlap.volume = 0.0
    overlap.squares = 0.0
    overlap.area = 0.0
    work.weight = 0.0
    centre = work.centre
    zero = 0.0
    one = 1.0
    centre.r11 = one
    centre.r12 = zero
    centre.r13 = zero
    centre.r21 = zero
    centre.r22 = one
    centre.r23 = zero
    centre.r31 = zero
    centre.r32 = zero
    centre.r33 = one
    for d in range(3):
        overlap.moment[d] = 0.0
        work.force[d] = 0.0
        work.place[d] = 0.0
        work.torque[d] = 0.0


@jit
def store_closest(work, out):
    """Store the element with the smallest gap so far."""
    candidate = work.candidate
    out.gap = candidate.gap
    for d in range(3):
        out.normal[d] = candidate.normal[d]
        out.point_a[d] = candidate.point_a[d]
        out.point_b[d] = candidate.point_b[d]
        out.force_point[d] = candidate.force_point[d]


@jit
def element_of(params, k):
    """Return element ``k``."""
    return ELEMENT(offset(floats(address_of(params)), int(params.elements)), k)


@jit
def search_elements(pose_a, pose_b, params, work, out):
    """Add all elements that overlap, and store the closest one."""
    n_elements = int(params.n_elements)
    nodes = offset(floats(address_of(params)), int(params.nodes))
    last = int(work.closest)
    element = element_of(params, last)
    compute_gap(pose_a, pose_b, params, work, last, element.point[0], element.point[1], element.point[2])
    store_closest(work, out)
    k = 0
    while k < int(params.n_nodes):
        node = TREE_NODE(nodes, k)
        if node.low[0] >= EMPTY_LEAF_POSITION:
            k = int(node.next)
            continue
        x = 0.5 * (node.low[0] + node.high[0])
        y = 0.5 * (node.low[1] + node.high[1])
        z = 0.5 * (node.low[2] + node.high[2])
        dx = node.high[0] - x
        dy = node.high[1] - y
        dz = node.high[2] - z
        gap = compute_gap(pose_a, pose_b, params, work, n_elements + k, x, y, z)
        nearest = gap - math.sqrt(dx * dx + dy * dy + dz * dz)
        if gap < NO_CONTACT and nearest >= 0.0 and nearest >= out.gap:
            k = int(node.next)
            continue
        first = int(node.first_triangle)
        for i in range(first, first + int(node.n_triangles)):
            element = element_of(params, i)
            gap = compute_gap(pose_a, pose_b, params, work, i, element.point[0], element.point[1], element.point[2])
            if gap < out.gap:
                work.closest = float(i)
                store_closest(work, out)
            if gap < 0.0:
                add_element(pose_a, work, element)
        k += 1


@pair_kernel(PARAMS, WARM_START)
def foundation(pose_a, pose_b, params, work, out):
    """Integrate the overlap of the elements of a shape (a) with another shape (b)."""
    clear_sums(work)
    search_elements(pose_a, pose_b, params, work, out)
    weight = work.weight
    if not weight > 0.0:
        return
    overlap = work.overlap
    force = work.force
    torque = work.torque
    px = work.place[0] / weight
    py = work.place[1] / weight
    pz = work.place[2] / weight
    store(out.force_point, pose_a.x + px, pose_a.y + py, pose_a.z + pz)
    volume = math.sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2])
    overlap.volume = volume
    if volume < BALANCED * weight:
        return
    store(out.normal, force[0] / volume, force[1] / volume, force[2] / volume)
    store(
        overlap.moment,
        (torque[0] - py * force[2] + pz * force[1]) / volume,
        (torque[1] - pz * force[0] + px * force[2]) / volume,
        (torque[2] - px * force[1] + py * force[0]) / volume,
    )


@dataclass(frozen=True)
class FoundationPairing(Pairing):
    """Pairing of two shapes whose overlap is integrated over the elements of the first one."""

    element_size: float | None = None
    """Largest side of an element [m]."""
    thickness: float = 0.0
    """Thickness of the layer [m]."""
    area: float = 0.0
    """Sum of the areas of the elements [m²]."""

    def __reduce__(self) -> Any:
        shapes = self.shapes[::-1] if self.swapped else self.shapes
        return foundation_pairing, ("pair", *shapes, self.thickness, self.element_size)

    @property
    def elements(self) -> np.ndarray:
        """Middles and areas of the elements (`ELEMENT`)."""
        numbers = np.array(self.parameters)
        head = numbers[: PARAMS.size].view(PARAMS.dtype)[0]
        first, count = int(head["elements"]), int(head["n_elements"])
        return numbers[first : first + ELEMENT.size * count].view(ELEMENT.dtype)


def foundation_pairing(
    owner: str, shape_a: Shape, shape_b: Shape, thickness: float, element_size: float | None = None
) -> FoundationPairing:
    """Return the pairing of two shapes for the pressure of a layer of ``thickness`` [m]; one of them has elements."""
    if shape_a.body is shape_b.body:
        raise ModelError(f"{owner}: {shape_a.label} and {shape_b.label} are on one body and cannot touch")
    swapped = shape_a.kind not in ELEMENT_KINDS
    a, b = (shape_b, shape_a) if swapped else (shape_a, shape_b)
    if a.kind not in ELEMENT_KINDS:
        raise ModelError(
            f"{owner}: an elastic foundation needs a Mesh or a Surface, over which its pressure is integrated, got "
            f"{shape_a.label} and {shape_b.label}"
        )
    entry: PairKernel | None = PAIRS.get(("Sphere", b.kind))
    if entry is None:
        raise ModelError(f"{owner}: an elastic foundation cannot press on {b.label}, as spheres cannot touch it")
    radius = thickness if b.thin else 0.0
    sphere = Sphere(a.body, radius) if b.thin else Point(a.body)
    entry.check(owner, sphere, b)
    points, normals, areas = surface_elements(owner, a, element_size)
    points = points - radius * normals
    nodes, order = build_tree(np.repeat(points[:, None], 3, axis=1))
    elements = np.column_stack([points, areas])[order]
    blocks = [nodes.view(float).ravel(), elements.ravel()]
    starts = PARAMS.size + np.cumsum([0, *(block.size for block in blocks)])
    size = len(entry.warm_start)
    sphere_parameters = entry.parameters_of(sphere, b)
    if not callable(entry.contact_points) and entry.contact_points > 1:
        sphere_parameters = (0.0, *sphere_parameters)
    head = (float(entry.kernel.address), float(size), float(len(nodes)), float(len(elements)), *map(float, starts))
    warm_start = (*(0.0,) * WARM_START.size, *entry.warm_start * (len(nodes) + len(elements)))
    parameters = (*head, *np.concatenate(blocks).tolist(), *sphere_parameters)
    return FoundationPairing(
        foundation, (a, b), swapped, parameters, warm_start, element_size=element_size, thickness=thickness,
        area=float(areas.sum()),
    )  # fmt: skip


def element_overlaps(
    pairing: FoundationPairing, pose_a: np.ndarray, pose_b: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return middles [m] and normals of the other shape (n × 3) in global axes, and gaps [m], of all elements."""
    count = len(pairing.elements)
    places, normals, gaps = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count)
    arrays = {
        "pose_a": pose_a, "pose_b": pose_b, "params": np.array(pairing.parameters),
        "warm_start": np.array(pairing.warm_start), "places": places, "normals": normals, "gaps": gaps,
    }  # fmt: skip
    overlaps = OVERLAPS.new(n_elements=count)
    OVERLAPS.connect(overlaps, arrays)
    evaluate_overlaps.call(overlaps)
    return places, normals, gaps


@kernel(EVALUATION, OVERLAPS)
def evaluate_overlaps(overlaps):
    """Evaluate the gap of every element."""
    params = PARAMS(overlaps.params)
    work = WARM_START(overlaps.warm_start)
    a = POSE(overlaps.pose_a)
    b = POSE(overlaps.pose_b)
    clear_sums(work)
    for k in range(overlaps.n_elements):
        point = element_of(params, k).point
        floats(overlaps.gaps)[k] = compute_gap(a, b, params, work, k, point[0], point[1], point[2])
        for d in range(3):
            floats(overlaps.places)[3 * k + d] = work.candidate.point_a[d]
            floats(overlaps.normals)[3 * k + d] = work.candidate.normal[d]
