import sys

import numpy as np
import pytest

import carom as cm

pandas = pytest.importorskip("pandas")
xarray = pytest.importorskip("xarray")


def test_dataset_contains_motion_over_time_and_body(throw):
    data = throw.to_xarray()
    assert data["vy"].dims == ("time", "body")
    assert data["vy"].attrs["units"] == "m/s"
    np.testing.assert_array_equal(data["vy"].sel(body="ball"), throw["ball"].vy)
    np.testing.assert_array_equal(data["x"].sel(body="anvil"), 1.0)
    np.testing.assert_array_equal(data["time"], throw.t)
    assert data.attrs == {"name": "throw", "outcome": "FINISHED", "message": throw.message}


def test_dataset_contains_signals_and_energies_with_units(throw):
    data = throw.to_xarray()
    np.testing.assert_array_equal(data["pivot.fy"], throw["pivot"].fy)
    np.testing.assert_array_equal(data["motor.force"], throw.t**2)
    np.testing.assert_array_equal(data["energy.kinetic"], throw.energy.kinetic)
    assert (data["pivot.fy"].attrs["units"], data["energy.kinetic"].attrs["units"]) == ("N", "J")


def test_dataframe_has_one_column_per_series(throw):
    frame = throw.to_dataframe()
    assert frame.index.name == "t"
    assert frame.shape == (11, 2 * 9 + 3 + 7)
    np.testing.assert_array_equal(frame.index, throw.t)
    for column, values in {
        "ball.angle": throw["ball"].angle,
        "anvil.y": throw["anvil"].y,
        "pivot.fx": throw["pivot"].fx,
        "energy.potential": throw.energy.potential,
    }.items():
        np.testing.assert_array_equal(frame[column], values)


def test_both_nodes_of_a_jump_are_exported(make_throw):
    run = make_throw(np.array([0.0, 0.5, 0.5, 1.0]))
    assert run.to_xarray().sizes["time"] == len(run.to_dataframe()) == 4


def test_run_without_bodies_or_elements_is_exported(make_throw):
    none = np.zeros((2, 0))
    run = make_throw(np.array([0.0, 1.0]), q=none, v=none, a=none, signals=none, bodies=(), elements=())
    assert run.to_xarray().sizes == {"time": 2, "body": 0}
    assert list(run.to_dataframe().columns[:1]) == ["energy.kinetic"]


@pytest.mark.parametrize(("method", "module"), [("to_xarray", "xarray"), ("to_dataframe", "pandas")])
def test_missing_library_raises_with_the_install_command(throw, monkeypatch, method, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"{module} is required.*pip install carom\[data\]"):
        getattr(throw, method)()


def test_columns_of_a_dataframe_have_units(throw):
    units = throw.to_dataframe().attrs["units"]
    assert (units["t"], units["ball.omega"], units["pivot.fx"], units["energy.kinetic"]) == ("s", "rad/s", "N", "J")
    assert set(units) == {"t", *throw.to_dataframe().columns}


def test_impacts_are_a_dataframe_with_units():
    impacts = cm.gallery.slider_crank_block().run().impacts
    frame = impacts.to_dataframe()
    assert list(frame["contact"]) == ["touch", "touch"]
    np.testing.assert_array_equal(frame["restitution"], [impact.restitution for impact in impacts])
    assert frame["impulse"].isna().all()
    assert set(frame.attrs["units"]) == set(frame.columns)
    assert len(cm.gallery.pendulum().run(t_end=0.1).impacts.to_dataframe()) == 0
