"""Order of the tests of studies."""


def pytest_collection_modifyitems(items):
    """Run the Dask tests last: their threads persist, and beside threads processes are spawned slowly, not forked."""
    items.sort(key=lambda item: item.path.name == "test_dask_executor.py")
