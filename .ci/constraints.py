"""Prints the lowest version of every dependency that pyproject.toml allows, as constraints for pip."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
wanted = [*project["dependencies"], *(item for extra in project["optional-dependencies"].values() for item in extra)]
for requirement in sorted(set(wanted)):
    found = re.fullmatch(r"([A-Za-z0-9_.-]+)>=([0-9.]+)(?:,<[0-9.]+)?", requirement)
    if found:
        print("==".join(found.groups()))
    elif not requirement.startswith("carom["):
        raise SystemExit(f"{requirement}: every dependency needs a lowest version, name>=version")
