"""The window of a table: the seven steps of L 3.3."""

import copy
import math
import pickle

import numpy as np
import pytest
from numba import njit

import carom as cm
from carom.geometry.lookup.window import update_window
from carom.geometry.surfaces import Sphere, Torus

# 40 points a side, records of 4: ten records along u and v, each 4/39 of the range.


@njit
def kept(address, u, v):
    update_window(int(address), u, v)


class Kept:
    """A window, and records to be looked at."""

    def __init__(self, folder, surface, size):
        self.table = cm.lookup.build(surface, (40, 40), (4, 4), folder / "x.lut", window=size)
        self.window = self.table.window

    def at(self, a: float, b: float):
        """The contact point is in the middle of record (a, b)."""
        header = self.table.header
        u, v = (low + d * (4 * k + 1.5) for low, d, k in zip(header.low, header.increment, (a, b), strict=True))
        kept(self.window.address, u, v)
        return self.window.first, self.window.updates


@pytest.fixture
def plate(tmp_path):
    return Kept(tmp_path, Sphere(1.0, u=(-0.7, 0.6), v=(-0.5, 0.9)), (5, 5))


@pytest.fixture
def ring(tmp_path):
    return Kept(tmp_path, Torus(1.0, 0.3), (5, 3))


def test_before_the_first_search_there_is_none(plate):
    assert plate.window.first is None
    assert plate.at(5, 4) == ((3, 2), 0)


def test_inside_nothing_happens(plate):
    plate.at(5, 4)
    for a in (4, 5, 6):
        for b in (3, 4, 5):
            assert plate.at(a, b) == ((3, 2), 0)


@pytest.mark.parametrize("record", [(3, 4), (7, 4), (5, 2), (5, 6), (3, 2), (7, 6)])
def test_at_a_border_it_is_centred_again(plate, record):
    plate.at(5, 4)
    first = tuple(min(max(k - 2, 0), 5) for k in record)
    assert plate.at(*record) == (first, 1)
    assert plate.at(*record) == (first, 1)


@pytest.mark.parametrize("record", [(0, 0), (9, 9), (9, 4), (5, 8)])
def test_outside_it_is_centred_again(plate, record):
    plate.at(5, 4)
    first = tuple(min(max(k - 2, 0), 5) for k in record)
    assert plate.at(*record) == (first, 1)


def test_at_the_end_of_the_table_there_are_no_endless_updates(plate):
    for k, record in enumerate(((0, 0), (9, 9), (0, 9))):
        for _ in range(5):
            assert plate.at(*record)[1] == k
    # What is beyond the ends belongs to the last records.
    assert plate.at(-3, 12) == ((0, 5), 2)


def test_a_table_that_goes_round_is_followed_round(ring):
    assert ring.at(0, 0) == ((8, 9), 0)  # records 8, 9, 0, 1, 2 along u and 9, 0, 1 along v
    for a in (9, 0, 1):
        assert ring.at(a, 0) == ((8, 9), 0)
    assert ring.at(2, 0) == ((0, 9), 1)
    assert ring.at(2, 1) == ((0, 0), 2)
    for k in range(3, 13):  # once round: at the border after each two records
        ring.at(k % 10, 1)
    assert ring.window.updates == 2 + 5
    assert ring.window.first == (10 % 10, 0)


def test_a_window_as_large_as_the_table_never_moves(tmp_path):
    whole = Kept(tmp_path, Torus(1.0, 0.3), (20, 10))
    assert whole.window.size == (10, 10)
    rng = np.random.default_rng(1)
    for a, b in rng.integers(0, 10, (50, 2)):
        assert whole.at(a, b) == ((0, 0), 0)


@pytest.mark.parametrize("size", [(1, 1), (2, 2)])
def test_small_windows_move_when_the_point_leaves_them(tmp_path, size):
    small = Kept(tmp_path, Sphere(1.0, u=(-0.7, 0.6), v=(-0.5, 0.9)), size)
    first, _ = small.at(5, 5)
    assert small.at(5, 5) == (first, 0)
    assert small.at(8, 5)[1] == 1
    assert small.at(8, 5)[1] == 1


def test_reset_forgets(plate):
    plate.at(5, 4)
    plate.at(9, 9)
    plate.window.reset()
    assert plate.window.first is None
    assert plate.at(0, 0) == ((0, 0), 0)


def test_two_shapes_on_one_table_have_windows_of_their_own(tmp_path):
    table = cm.lookup.build(Torus(1.0, 0.3), (40, 40), (4, 4), tmp_path / "x.lut", window=(3, 3))
    one, other = (cm.Surface(cm.Body(name, 1.0, (1.0, 1.0, 1.0)), table) for name in "ab")
    assert len({one.window.address, other.window.address, table.window.address}) == 3
    cm.closest(cm.Sphere(cm.Body("c", 1.0, (1.0, 1.0, 1.0), position=(1.4, 0.0, 0.0)), 0.1), one)
    assert one.window.first is not None
    assert other.window.first is None


# ---- runs


def marble(law: str, window, interpolation: str = "bicubic"):
    return cm.gallery.cup_and_marble(law=law, points=201, window=window, interpolation=interpolation)


def everything(result) -> tuple[bytes, ...]:
    """All bytes of a result."""
    return tuple(part.tobytes() for part in (result.t, result.q, result.v, result.signals))


@pytest.mark.parametrize("law", ["hertz", "flores"])
def test_a_window_changes_no_bit_of_a_run(law: str):
    whole = everything(marble(law, None).run(t_end=0.1))
    case = marble(law, (3, 3))
    assert everything(case.run(t_end=0.1)) == whole
    shapes = [shape for contact in case.system.contacts for shape in contact.shapes]
    assert all(shape.window.first is not None for shape in shapes)


@pytest.mark.parametrize("window", [None, (3, 3)])
@pytest.mark.parametrize("again", [copy.deepcopy, lambda system: pickle.loads(pickle.dumps(system))])
def test_copies_of_a_system_with_tables_run_alike(window, again):
    system = marble("hertz", window, "bilinear").system
    other = again(system)
    assert everything(cm.simulate(system, 0.03)) == everything(cm.simulate(other, 0.03))


def test_a_table_that_has_changed_since_is_refused(tmp_path):
    table = cm.lookup.build(Sphere(1.0), (10, 10), (4, 4), tmp_path / "x.lut")
    kept_for_later = pickle.dumps(table)
    assert np.array_equal(pickle.loads(kept_for_later).point(0.2, 0.3), table.point(0.2, 0.3))
    cm.lookup.build(Sphere(2.0), (20, 10), (4, 4), tmp_path / "x.lut")
    with pytest.raises(cm.ModelError, match=r"x\.lut has changed since it was opened"):
        pickle.loads(kept_for_later)
    (tmp_path / "x.lut").unlink()
    with pytest.raises(cm.ModelError, match=r"x\.lut: file not found"):
        pickle.loads(kept_for_later)


def test_the_numbers_of_a_window_are_those_of_the_whole_table(tmp_path):
    whole = cm.lookup.build(Torus(1.0, 0.3), (40, 30), (4, 4), tmp_path / "x.lut")
    part = cm.lookup.LookupTable(whole.path, window=(3, 3))
    u, v = np.random.default_rng(2).uniform(0.0, 2.0 * math.pi, (2, 1000))
    assert np.array_equal(whole.evaluate(u, v), part.evaluate(u, v))
