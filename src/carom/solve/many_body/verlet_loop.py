"""The steps: pairs, then bodies, again and again, by one thread or several."""

from __future__ import annotations

from carom.kernels import TEAM, ints, jit, kernel
from carom.kernels.atomic import meet, take
from carom.solve.many_body import records as at
from carom.solve.many_body.pair_forces import press_pieces
from carom.solve.many_body.verlet_motion import move_pieces


@jit
def press_all(plan, thread, final):
    shared = ints(plan[at.SHARED_AT])
    c = take(shared, thread, plan[at.CHUNKS])
    while c < plan[at.CHUNKS]:
        press_pieces(c, plan, thread, final)
        c = take(shared, thread, plan[at.CHUNKS])
    return meet(shared)


@jit
def move_all(plan, thread, finish, start):
    shared = ints(plan[at.SHARED_AT])
    c = take(shared, thread, plan[at.CHUNKS])
    while c < plan[at.CHUNKS]:
        if move_pieces(c, plan, finish, start):
            plan[at.MOVED] = 1
        c = take(shared, thread, plan[at.CHUNKS])
    return meet(shared)


@kernel(TEAM)
def run(plan, thread):
    """From step DONE to STEPS; ends early when a body has left the list behind, or after BUDGET steps."""
    done = plan[at.DONE]
    last = plan[at.STEPS]
    pause = done + plan[at.BUDGET]
    yes = True
    no = False
    ending = at.FINISHED
    if plan[at.STAGE] == at.FROM_BODIES and done < last:
        if not move_all(plan, thread, no, yes):
            return at.GIVEN_UP
        if plan[at.MOVED] != 0:
            ending = at.STALE
    while done < last and ending == at.FINISHED:
        if not press_all(plan, thread, done + 1 == last):
            return at.GIVEN_UP
        done += 1
        if not move_all(plan, thread, yes, done < last):
            return at.GIVEN_UP
        if done < last:
            if plan[at.MOVED] != 0:
                ending = at.STALE
            elif done >= pause:
                ending = at.MORE
    if thread == 0:
        plan[at.DONE] = done
        plan[at.STAGE] = at.FROM_BODIES if done == last else at.FROM_PAIRS
    return ending
