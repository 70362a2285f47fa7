"""Records and checkpoint of a process that is killed while it writes them."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from carom.io.checkpoint_file import CheckpointWriter
from carom.io.locks import FileLock
from carom.io.records import VERSION, CheckpointContents, read_run, records_path
from carom.solve.node_batches import NodeBatch

RESULT = {"name": "run", "dim": 2, "bodies": [], "elements": [], "smooth": True}
HEAD = {"version": VERSION, "run": "id", "options": {}, "model": None, "reason": "", "result": RESULT, "settings": {},
        "digest": ""}  # fmt: skip
STATUS = {"outcome": "FINISHED", "message": "", "stats": {}}


def batch(first: int, stop: int) -> NodeBatch:
    """Return nodes whose numbers are all their index."""
    rows = np.arange(first, stop, dtype=float)
    return NodeBatch(rows, *(np.tile(rows[:, None], (1, width)) for width in (30, 30, 30, 11, 7)))


def write_until_killed(path: Path, report: int) -> None:
    """Resume the run in ``path`` and write chunks of random lengths; report the nodes on disk after each chunk."""
    contents = read_run(path) or CheckpointContents(records_path(path), HEAD)
    chance = random.Random(os.getpid())
    with CheckpointWriter.reopen(path, contents, FileLock("resume", path)) as writer:
        if contents.checkpoint is not None:
            assert writer.state is not None
            assert writer.state["n_nodes"] == writer.n_nodes
        while True:
            stop = writer.n_nodes + chance.randint(1, 400)
            writer.write(batch(writer.n_nodes, stop), (), (), STATUS, {"n_nodes": np.array(stop)})
            os.write(report, f"{stop}\n".encode())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_writer_keeps_all_reported_nodes(tmp_path):
    """Kill a process twenty times while it writes; each process resumes the run of the one before."""
    path, chance, saved = tmp_path / "run.h5", random.Random(3), 0
    for _ in range(20):
        receive, send = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                write_until_killed(path, send)
            finally:
                os._exit(1)
        os.close(send)
        first = os.read(receive, 20)
        time.sleep(chance.uniform(0.0, 0.02))
        os.kill(child, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
        with open(receive, "rb") as stream:
            reported = int((first + stream.read()).split()[-1])
        contents = read_run(path)
        assert contents.n_nodes >= reported > saved
        saved = contents.n_nodes
        np.testing.assert_array_equal(
            np.concatenate([nodes.q[:, 29] for nodes in contents.node_batches()]), range(saved)
        )
        assert contents.checkpoint[0]["count"] == saved


def test_old_names_of_signals_become_current():
    contact = {"name": "touch", "kind": "Contact", "family": "contact", "members": (), "columns": (0, 2),
               "signals": ("rate", "mode"), "units": ("m/s", "1")}  # fmt: skip
    head = HEAD | {"result": RESULT | {"elements": [contact]}}
    assert CheckpointContents(Path(), head).metadata().elements[0].signals == ("indentation_rate", "contact_mode")
