"""The order of these tests."""


def pytest_collection_modifyitems(items):
    """The cluster comes last: its threads stay, and beside threads processes are spawned, slowly, not forked."""
    items.sort(key=lambda item: item.path.name == "test_cluster.py")
