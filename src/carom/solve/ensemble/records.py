"""Records of an ensemble: runs of one compiled model, one after the other in compiled code."""

from __future__ import annotations

from carom.kernels import ADDRESS, FLOAT, INT, record

ENSEMBLE = record(
    run=ADDRESS,  # INTEGRATION
    start_kernel=ADDRESS,  # start of a run
    chunk_kernel=ADDRESS,  # a part of a run
    log_open_kernel=ADDRESS,  # log of the contacts that are open at the end; 0 without contacts
    evaluation_kernel=ADDRESS,  # evaluation of nodes
    # numbers that a run begins with
    saved=ADDRESS,  # table of SAVED_ARRAY: what a run changes
    n_saved=INT,
    written=ADDRESS,  # addresses of the numbers that differ from run to run
    n_written=INT,
    values=ADDRESS,  # of these numbers, one row per run
    # runs
    n_runs=INT,
    n_done=INT,
    is_begun=INT,  # the next run waits for something that Python prepares
    is_interrupted=INT,  # set from outside to end the batch
    # output
    results=ADDRESS,  # table of RUN_RESULT
    states=ADDRESS,  # last state of every run
    log=ADDRESS,  # table of CONTACT_LOG_ROW, run by run
    n_logged=INT,
    log_capacity=INT,
    # nodes of one run
    evaluates_nodes=INT,  # measures need series
    node_t=ADDRESS,  # [s]
    node_y=ADDRESS,
    node_capacity=INT,
    nodes=ADDRESS,  # NODES
    reductions=ADDRESS,  # table of REDUCTION
    n_reductions=INT,
    reduced=ADDRESS,  # one row per run
)

SAVED_ARRAY = record(
    array=ADDRESS,
    contents=ADDRESS,  # at the start of a run
    count=INT,  # of its 8-byte numbers
)

RUN_RESULT = record(
    status=INT,  # of the last chunk, or one of those below
    n_steps=INT,
    n_rejected=INT,
    n_events=INT,
    n_log_rows=INT,
    t=FLOAT,  # end of the run [s]
)

INTERRUPTED, OVERFLOW = 100, 101
"""Further statuses: the batch was interrupted; nodes or log exceed their room, so that the run is repeated alone."""

REDUCTION = record(
    table=INT,  # STATE, RATE or SIGNAL
    column=INT,
    kind=INT,
)

STATE, RATE, SIGNAL = range(3)
"""Tables of a node: its state, the rate of change of that, and the signals of elements."""

FINAL, FIRST, MAX, MIN, PEAK, RANGE, TIME_OF_MAX, TIME_OF_MIN = range(8)
"""Kinds of reductions of a series: those of `carom.study.measures` that do not integrate."""
