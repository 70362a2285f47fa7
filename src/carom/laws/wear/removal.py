"""Removal of material from a journal or its bearing, and the geometry that the contact sees afterwards.

A surface of radius R has lost the depth d(θ) in n equal sectors. Where the other, unworn surface presses with its
centre moved by x towards ψ = 0, its skin has the depth

    bearing (R = R_b):  y(ψ) = x cos ψ + √(R_j² − x² sin² ψ) − R_b
    journal (R = R_j):  y(ψ) = R_j + x cos ψ − √(R_b² − x² sin² ψ)

below the unworn surface. *Lumped* wear with a volume V in one direction moves the other surface forward until it has
cut out V: the worn spot is an arc with the other radius, a circular lune. *Pressure* distributes V in proportion to the
overlap y − d > 0 in elastic contact, in parts so small that the overlap hardly changes.

The journal's centre cannot leave the bearing: in direction φ it can move by ρ(φ), the smallest x with y(ψ) = d. The
contact sees the convex hull of that region by its support function h(φ) = max ρ(φ') cos(φ' − φ): the distance of a
point outside the hull from it is a smooth function of the point, also where the journal touches a worn spot over its
whole width, and its gradient is a unit vector, so that the elastic force conserves energy.
The contact sees the mean of h over some `MEAN_WIDTH`, which is the support function of a smoother region: it does not
resolve scratches of single sectors.
"""

from __future__ import annotations

import math

import numpy as np

from carom.kernels import ADDRESS, EVALUATION, FLOAT, INT, floats, jit, kernel, record

SURFACE = record(
    n=INT,  # sectors
    radius=FLOAT,  # [m]
    partner=FLOAT,  # radius of the other surface [m]
    is_journal=INT,
    cosines=ADDRESS,  # of multiples of the angle of a sector
    depth=ADDRESS,  # of every sector [m]
    area=ADDRESS,  # to be removed by loads in the direction of every sector, over the length of the bearing [m²]
    overlap=ADDRESS,  # of the surfaces under these loads [m]
    touch=ADDRESS,  # workspace: travel at which every sector is touched [m]
    is_pressure=INT,
    layer=FLOAT,  # least overlap [m]
    seen=ADDRESS,  # result: clearance that the contact sees beyond that of the unworn joint [m]
    reach=ADDRESS,  # workspace: largest travel of the centre [m]
)
PART = 0.1
"""Wear of one part of a pressure relative to the overlap [-]."""
MAX_PARTS = 10_000
"""Largest number of parts."""
LAYER = 1e-3
"""Least overlap relative to the clearance: the depth of the roughness [-]."""
ROUNDS = 4
"""Rounds, forward and backward, in which lumped areas are cut out."""
MEAN_WIDTH = math.radians(2.0)
"""Standard deviation of the weights of the mean profile that the contact sees [rad]."""
MAX_ITERATIONS = 60


@jit
def cosine(surface, k):
    """Return the cosine of ``k`` sectors."""
    return floats(surface.cosines)[k % surface.n]


@jit
def travel_to(surface, depth, c):
    """Return the travel x at which the other surface touches a depth at an angle ψ with the cosine ``c``."""
    if surface.is_journal:
        r = surface.radius - depth
        return math.sqrt(max(surface.partner**2 - r * r * (1.0 - c * c), 0.0)) - r * c
    r = surface.radius + depth
    rest = surface.partner**2 - r * r * (1.0 - c * c)
    if rest < 0.0:
        return math.inf
    return r * c - math.sqrt(rest)


@jit
def skin(surface, x, c):
    """Return the depth of the other surface at the travel ``x`` and the cosine ``c`` of ψ, and its rate with x."""
    sine2 = 1.0 - c * c
    rest = math.sqrt(max(surface.partner**2 - x * x * sine2, 1e-300))
    if surface.is_journal:
        return surface.radius + x * c - rest, c + x * sine2 / rest
    return x * c + rest - surface.radius, c - x * sine2 / rest


@jit
def width(surface, i, height):
    """Return the number of sectors on either side of ``i`` that may be touched on the way to ``height`` [m] into it.

    No sector is touched earlier than if it were not worn.
    """
    goal = travel_to(surface, floats(surface.depth)[i], 1.0) + height
    quarter = (surface.n - 1) // 4
    half = 1
    while half < quarter and travel_to(surface, 0.0, cosine(surface, half)) < goal:
        half += 1
    return half


@jit
def first_touch(surface, i, half):
    """Store the travel towards sector ``i`` at which its ``half`` neighbours are touched; return the least one."""
    n = surface.n
    depth = floats(surface.depth)
    touch = floats(surface.touch)
    least = math.inf
    for psi in range(-half, half + 1):
        x = travel_to(surface, depth[(i + psi + n) % n], cosine(surface, abs(psi)))
        touch[psi + half] = x
        least = min(least, x)
    return least


@jit
def signed_radius(surface, depth):
    """Return the radius of the surface at a depth [m]."""
    return surface.radius - depth if surface.is_journal else surface.radius + depth


@jit
def cut_area(surface, i, half, x):
    """Return the area that the other surface cuts out at travel ``x`` towards sector ``i``, and its rate with x."""
    n = surface.n
    sector = 2.0 * math.pi / n
    touch = floats(surface.touch)
    depth = floats(surface.depth)
    area = 0.0
    rate = 0.0
    for psi in range(-half, half + 1):
        if touch[psi + half] < x:
            y, slope = skin(surface, x, cosine(surface, abs(psi)))
            before = signed_radius(surface, depth[(i + psi + n) % n])
            after = signed_radius(surface, y)
            area += 0.5 * abs(after * after - before * before) * sector
            rate += after * slope * sector
    return area, rate


@jit
def cut(surface, i, area):
    """Move the other surface towards sector ``i`` until it has cut out an area, and remove that."""
    n = surface.n
    depth = floats(surface.depth)
    touch = floats(surface.touch)
    height = 2.0 * area * n / (2.0 * math.pi * surface.radius)  # more than that of sector i alone
    half = width(surface, i, height)
    least = first_touch(surface, i, half)
    low = least
    high = min(least, travel_to(surface, depth[i], 1.0)) + height
    x = high
    for _ in range(MAX_ITERATIONS):
        value, rate = cut_area(surface, i, half, x)
        if abs(value - area) <= 1e-14 * area:
            break
        if value > area:
            high = x
        else:
            low = x
        x = x - (value - area) / rate if rate > 0.0 else 0.5 * (low + high)
        if not low < x < high:
            x = 0.5 * (low + high)
    for psi in range(-half, half + 1):
        if touch[psi + half] < x:
            depth[(i + psi + n) % n] = skin(surface, x, cosine(surface, abs(psi)))[0]


@jit
def press(surface, i, area):
    """Remove an area by a load towards sector ``i``, distributed in proportion to the overlap."""
    n = surface.n
    sector = 2.0 * math.pi / n
    depth = floats(surface.depth)
    touch = floats(surface.touch)
    overlap = max(floats(surface.overlap)[i], surface.layer)
    half = width(surface, i, overlap)
    x = first_touch(surface, i, half) + overlap
    total = 0.0
    for psi in range(-half, half + 1):
        if touch[psi + half] < x:
            c = cosine(surface, abs(psi))
            total += (skin(surface, x, c)[0] - depth[(i + psi + n) % n]) * c
    for psi in range(-half, half + 1):
        if touch[psi + half] < x:
            k = (i + psi + n) % n
            share = (skin(surface, x, cosine(surface, abs(psi)))[0] - depth[k]) / total
            r = signed_radius(surface, depth[k])
            change = 2.0 * area * share / sector
            if surface.is_journal:
                depth[k] = surface.radius - math.sqrt(max(r * r - change, 0.0))
            else:
                depth[k] = math.sqrt(r * r + change) - surface.radius


@jit
def number_of_parts(surface):
    """Return the number of parts in which a pressure removes its areas."""
    area = floats(surface.area)
    most = 1.0
    for i in range(surface.n):
        overlap = max(floats(surface.overlap)[i], surface.layer)
        width = math.sqrt(2.0 * overlap / abs(surface.partner - surface.radius))  # half the angle of the contact
        most = max(most, area[i] / (surface.radius * max(width, 2.0 * math.pi / surface.n) * PART * overlap))
    return int(min(math.ceil(most), MAX_PARTS))


@kernel(EVALUATION, SURFACE)
def remove(surface):
    """Remove the areas of all directions in rounds, forward and backward in turn: their order should not matter."""
    n = surface.n
    area = floats(surface.area)
    rounds = number_of_parts(surface) if surface.is_pressure else ROUNDS
    for _ in range(rounds):
        for k in range(2 * n):
            i = k if k < n else 2 * n - 1 - k
            if area[i] > 0.0:
                if surface.is_pressure:
                    press(surface, i, 0.5 * area[i] / rounds)
                else:
                    cut(surface, i, 0.5 * area[i] / rounds)


@kernel(EVALUATION, SURFACE)
def see(surface):
    """Store the clearance that the contact sees in the direction of every sector, beyond that of the unworn joint."""
    n = surface.n
    quarter = (n - 1) // 4
    clearance = abs(surface.partner - surface.radius)
    reach = floats(surface.reach)
    seen = floats(surface.seen)
    for i in range(n):
        reach[i] = first_touch(surface, i, width(surface, i, 0.0))
    for i in range(n):
        support = reach[i]
        for psi in range(-quarter, quarter + 1):
            support = max(support, reach[(i + psi + n) % n] * cosine(surface, abs(psi)))
        seen[i] = max(support - clearance, 0.0)


class WornSurface:
    """One surface of a worn joint: the journal or the bearing."""

    def __init__(self, radius: float, partner: float, is_pressure: bool, depth: np.ndarray):
        n = len(depth)
        self.depth = np.array(depth, float)
        """Depths of the sectors [m]."""
        self.seen = np.zeros(n)
        """Clearance that the contact sees beyond that of the unworn joint [m]."""
        self.radius, self.is_journal = radius, radius < partner
        self._arrays = {
            "cosines": np.cos(2.0 * np.pi * np.arange(n) / n), "depth": self.depth, "seen": self.seen,
            "area": np.zeros(n), "overlap": np.zeros(n), "touch": np.zeros(n), "reach": np.zeros(n),
        }  # fmt: skip
        self._mean = np.exp(-0.5 * (MEAN_WIDTH * np.arange(n // 2 + 1)) ** 2)
        self._record = SURFACE.new(
            n=n, radius=radius, partner=partner, is_journal=self.is_journal, is_pressure=is_pressure,
            layer=LAYER * abs(partner - radius),
        )  # fmt: skip
        SURFACE.connect(self._record, self._arrays)
        self.update_seen()

    def set_depth(self, depth: np.ndarray) -> None:
        """Set the depths [m], and with them what the contact sees."""
        self.depth[:] = depth
        self.update_seen()

    def update_seen(self) -> None:
        """Compute what the contact sees of the current depths."""
        self.seen[:] = 0.0
        if self.depth.any():
            see.call(self._record)
            self.seen[:] = np.maximum(np.fft.irfft(np.fft.rfft(self.seen) * self._mean, len(self.seen)), 0.0)

    def remove(self, area: np.ndarray, overlap: np.ndarray) -> None:
        """Remove areas [m²] by loads in the directions of the sectors, which have these overlaps [m]."""
        self._arrays["area"][:], self._arrays["overlap"][:] = area, overlap
        remove.call(self._record)
        self.update_seen()

    @property
    def removed_area(self) -> float:
        """Area that has been removed from the cross section [m²]."""
        radii = self.radius - self.depth if self.is_journal else self.radius + self.depth
        return float(np.abs(radii**2 - self.radius**2).sum() * np.pi / len(self.depth))
