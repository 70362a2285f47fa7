"""``python -m carom`` is the command ``carom``."""

from carom.cli import main

main()
