"""Entry point of ``python -m carom``; identical to the command ``carom``."""

from carom.cli import main

main()
