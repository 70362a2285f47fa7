"""Step loop: pair forces, then bodies, by one thread or several."""

from __future__ import annotations

from carom.kernels import THREADED_RUN, call_threaded_run, ints, jit, kernel
from carom.kernels.thread_sync import barrier, claim_chunk
from carom.solve.many_body.pair_forces import compute_chunk_forces
from carom.solve.many_body.records import (
    ABORTED,
    CHUNK_FULL,
    FINISH,
    FINISHED,
    FROM_BODIES,
    FROM_PAIRS,
    LIST_OUTDATED,
    MANY_BODY,
    START,
    VERLET_SETTINGS,
)
from carom.solve.many_body.verlet_motion import update_chunk


@jit(inline=True)
def compute_pair_forces(many_body, thread, final, is_periodic):
    """Compute the forces of all pairs together with the other threads; return False if the run was aborted."""
    thread_data = ints(many_body.thread_data)
    chunk = claim_chunk(thread_data, thread, many_body.n_chunks)
    while chunk < many_body.n_chunks:
        compute_chunk_forces(many_body, chunk, thread, final, is_periodic)
        chunk = claim_chunk(thread_data, thread, many_body.n_chunks)
    return barrier(thread_data)


@jit
def update_bodies(many_body, thread, finish, start, n_done):
    """Move all bodies together with the other threads; return False if the run was aborted.

    ``n_done`` steps are completed before the next one starts.
    """
    thread_data = ints(many_body.thread_data)
    if thread == 0 and start:
        settings = VERLET_SETTINGS(many_body.settings)
        settings.t = settings.t_begin + (n_done + 1) * settings.h
    if thread == 0 and many_body.mechanism_kernel != 0:
        parts = (FINISH if finish else 0) | (START if start else 0)
        if call_threaded_run(many_body.mechanism_kernel, many_body, parts) != 0:
            many_body.list_is_outdated = 1
    chunk = claim_chunk(thread_data, thread, many_body.n_chunks)
    while chunk < many_body.n_chunks:
        if update_chunk(many_body, chunk, finish, start):
            many_body.list_is_outdated = 1
        chunk = claim_chunk(thread_data, thread, many_body.n_chunks)
    return barrier(thread_data)


@jit(inline=True)
def advance(many_body, thread, is_periodic):
    """Advance until all steps are done, the list is outdated or the step budget is used; return the status."""
    n_done = many_body.n_done
    n_steps = many_body.n_steps
    last_of_chunk = n_done + many_body.step_budget
    status = FINISHED
    if many_body.stage == FROM_BODIES and n_done < n_steps:
        if not update_bodies(many_body, thread, False, True, n_done):
            return ABORTED
        if many_body.list_is_outdated != 0:
            status = LIST_OUTDATED
    while n_done < n_steps and status == FINISHED:
        if not compute_pair_forces(many_body, thread, n_done + 1 == n_steps, is_periodic):
            return ABORTED
        n_done += 1
        if not update_bodies(many_body, thread, True, n_done < n_steps, n_done):
            return ABORTED
        if n_done < n_steps:
            if many_body.list_is_outdated != 0:
                status = LIST_OUTDATED
            elif n_done >= last_of_chunk or many_body.log_is_full != 0:
                status = CHUNK_FULL
    if thread == 0:
        many_body.n_done = n_done
        many_body.stage = FROM_BODIES if n_done == n_steps else FROM_PAIRS
    return status


@kernel(THREADED_RUN, MANY_BODY)
def run_steps(many_body, thread):
    """Advance a run without periodic directions; see `advance`."""
    return advance(many_body, thread, False)


@kernel(THREADED_RUN, MANY_BODY)
def run_periodic_steps(many_body, thread):
    """Advance a run with periodic directions; see `advance`."""
    return advance(many_body, thread, True)
