"""Command line ``carom``."""

from carom.cli.app import main

__all__ = ["main"]
