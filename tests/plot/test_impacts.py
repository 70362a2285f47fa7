import pytest

from carom.plot import plot_impacts


def cells(figure):
    """Rows of the table as text."""
    (table,) = (child for child in figure.get_axes()[0].get_children() if hasattr(child, "get_celld"))
    drawn = table.get_celld()
    rows, columns = (1 + max(place[k] for place in drawn) for k in range(2))
    return [[drawn[row, column].get_text().get_text() for column in range(columns)] for row in range(rows)]


def test_a_row_is_an_impact_in_convenient_units(bouncing):
    _, result = bouncing
    head, *rows = cells(plot_impacts(result))
    assert len(rows) == 3
    assert head[:4] == ["contact", "start [s]", "duration [ms]", "approach [m/s]"]
    assert head[-2:] == ["indentation [mm]", "energy lost [J]"]
    for row, impact in zip(rows, result.impacts, strict=True):
        assert row[0] == "floor"
        assert float(row[1]) == pytest.approx(impact.t_start, rel=1e-5)
        assert float(row[2]) == pytest.approx(1e3 * impact.duration, rel=1e-3)
        assert float(row[5]) == pytest.approx(impact.restitution, rel=1e-3)
        assert float(row[6]) == pytest.approx(impact.peak_force, rel=1e-3)


def test_a_long_table_reports_its_number_of_rows(bouncing):
    figure = plot_impacts(bouncing[1], "floor", rows=2)
    assert len(cells(figure)) == 3
    assert figure.get_axes()[0].get_title(loc="left") == "the first 2 of 3 impacts"


def test_a_run_without_impacts_has_an_empty_table(throw):
    assert cells(plot_impacts(throw))[1] == ["none", *[""] * 8]


def test_the_table_lies_inside_the_figure(bouncing):
    figure = plot_impacts(bouncing[1])
    figure.draw_without_rendering()
    (table,) = (child for child in figure.get_axes()[0].get_children() if hasattr(child, "get_celld"))
    extent = table.get_window_extent()
    assert extent.x0 >= 0.0
    assert extent.x1 <= figure.bbox.x1
    for cell in table.get_celld().values():
        text = cell.get_text().get_window_extent()
        assert text.width <= cell.get_window_extent().width
