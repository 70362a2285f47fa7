"""Generalised directions W of the contacts in time stepping, in planar and spatial models.

A direction is a row of numbers: those of both bodies, then the rheonomic term w̃ (zero, because a driver moves a body).
"""

from __future__ import annotations

from carom.kernels import DIRECTIONS, floats, jit, kernel, offset
from carom.mechanics import planar_body, spatial_body
from carom.mechanics.contact_friction import perpendicular
from carom.mechanics.contact_records import CONTACT, CONTACT_STATE
from carom.mechanics.model_record import MODEL
from carom.mechanics.planar_body import DOF
from carom.mechanics.spatial_body import N_VELOCITIES, cross
from carom.mechanics.spatial_contacts import add_moment, store_direction, store_rotation

BODIES_PER_CONTACT = 2
"""Groups of velocities that a contact acts on."""

PLANAR_ROWS, SPATIAL_ROWS = 2, 3
"""Rows of a contact: the normal n and the tangent (−n_y, n_x); in space n and the tangents t and s = n × t."""

PLANAR_ROLLING_ROWS, SPATIAL_ROLLING_ROWS = 3, 6
"""Rows of a contact with rolling resistance: then the relative rotation about z; in space about t, s and n."""

PLANAR_ROW_SIZE, SPATIAL_ROW_SIZE = BODIES_PER_CONTACT * DOF + 1, BODIES_PER_CONTACT * N_VELOCITIES + 1
"""Numbers of a row."""


@jit
def store_planar_rows(out, sign, nx, ny, rx, ry):
    """Store the generalised directions of a unit normal and tangential force at lever arm (rx, ry) of one body."""
    out[0] = sign * nx
    out[1] = sign * ny
    out[2] = sign * (rx * ny - ry * nx)
    tangent = offset(out, PLANAR_ROW_SIZE)
    tangent[0] = -sign * ny
    tangent[1] = sign * nx
    tangent[2] = sign * (rx * nx + ry * ny)


@jit
def planar_directions_of(model, contact, contact_state, out):
    """Store the generalised directions of a contact of a planar model at the last body records."""
    bodies = floats(model.bodies)
    a = planar_body.body_at(bodies, contact.body_a)
    b = planar_body.body_at(bodies, contact.body_b)
    nx = contact_state.nx
    ny = contact_state.ny
    px = contact_state.x
    py = contact_state.y
    if contact.is_rotational:  # The tangent of an angle has no meaning and no force; it must not vanish.
        store_planar_rows(out, 1.0, 0.0, 1.0, px - a.x, py - a.y)
        store_planar_rows(offset(out, DOF), -1.0, 0.0, 1.0, px - b.x, py - b.y)
        store_planar_rotation_row(out, contact_state.nz)
        out[2 * PLANAR_ROW_SIZE - 1] = 0.0
        return
    store_planar_rows(out, 1.0, nx, ny, px - a.x, py - a.y)
    store_planar_rows(offset(out, DOF), -1.0, nx, ny, px - b.x, py - b.y)
    out[PLANAR_ROW_SIZE - 1] = 0.0
    out[2 * PLANAR_ROW_SIZE - 1] = 0.0


@kernel(DIRECTIONS, MODEL)
def planar_directions(k, out, model):
    """Store the generalised directions of contact ``k`` of a planar model, at the state of the last gaps."""
    planar_directions_of(model, CONTACT(model.contacts, k), CONTACT_STATE(model.contact_state, k), out)


@jit
def store_planar_rotation_row(row, nz):
    """Store the generalised direction of a unit torque about ``nz`` = ±1 between two planar bodies."""
    for j in range(PLANAR_ROW_SIZE):
        row[j] = 0.0
    row[DOF - 1] = nz
    row[2 * DOF - 1] = -nz


@kernel(DIRECTIONS, MODEL)
def planar_rolling_directions(k, out, model):
    """Store the directions of contact ``k`` of a planar model, then that of the relative rotation."""
    planar_directions_of(model, CONTACT(model.contacts, k), CONTACT_STATE(model.contact_state, k), out)
    store_planar_rotation_row(offset(out, PLANAR_ROWS * PLANAR_ROW_SIZE), 1.0)


@jit
def store_spatial_row(a, b, contact_state, x, y, z, row):
    """Store the generalised direction of a unit force along (x, y, z) between two bodies."""
    store_direction(a, 1.0, contact_state, x, y, z, row)
    store_direction(b, -1.0, contact_state, x, y, z, offset(row, N_VELOCITIES))
    row[SPATIAL_ROW_SIZE - 1] = 0.0


@jit
def spatial_directions_of(model, contact, contact_state, out):
    """Store the generalised directions of a contact of a spatial model at the last body records."""
    bodies = floats(model.bodies)
    a = spatial_body.body_at(bodies, contact.body_a)
    b = spatial_body.body_at(bodies, contact.body_b)
    nx = contact_state.nx
    ny = contact_state.ny
    nz = contact_state.nz
    tx, ty, tz = perpendicular(nx, ny, nz)
    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
    if contact.is_rotational:
        store_rotation_row(a, b, nx, ny, nz, out)
    else:
        store_spatial_row(a, b, contact_state, nx, ny, nz, out)
        if contact.is_distributed:
            add_moment(a, 1.0, contact_state, out)
            add_moment(b, -1.0, contact_state, offset(out, N_VELOCITIES))
    store_spatial_row(a, b, contact_state, tx, ty, tz, offset(out, SPATIAL_ROW_SIZE))
    store_spatial_row(a, b, contact_state, sx, sy, sz, offset(out, 2 * SPATIAL_ROW_SIZE))


@kernel(DIRECTIONS, MODEL)
def spatial_directions(k, out, model):
    """Store the generalised directions of contact ``k`` of a spatial model, at the state of the last gaps."""
    spatial_directions_of(model, CONTACT(model.contacts, k), CONTACT_STATE(model.contact_state, k), out)


@jit
def store_rotation_row(a, b, x, y, z, row):
    """Store the generalised direction of a unit torque about (x, y, z) between two bodies."""
    store_rotation(a, 1.0, x, y, z, row)
    store_rotation(b, -1.0, x, y, z, offset(row, N_VELOCITIES))
    row[SPATIAL_ROW_SIZE - 1] = 0.0


@kernel(DIRECTIONS, MODEL)
def spatial_rolling_directions(k, out, model):
    """Store the directions of contact ``k`` of a spatial model, then those of the relative rotation."""
    contact = CONTACT(model.contacts, k)
    contact_state = CONTACT_STATE(model.contact_state, k)
    spatial_directions_of(model, contact, contact_state, out)
    bodies = floats(model.bodies)
    a = spatial_body.body_at(bodies, contact.body_a)
    b = spatial_body.body_at(bodies, contact.body_b)
    nx = contact_state.nx
    ny = contact_state.ny
    nz = contact_state.nz
    tx, ty, tz = perpendicular(nx, ny, nz)
    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
    rotation = offset(out, SPATIAL_ROWS * SPATIAL_ROW_SIZE)
    store_rotation_row(a, b, tx, ty, tz, rotation)
    store_rotation_row(a, b, sx, sy, sz, offset(rotation, SPATIAL_ROW_SIZE))
    store_rotation_row(a, b, nx, ny, nz, offset(rotation, 2 * SPATIAL_ROW_SIZE))
