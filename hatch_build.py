"""Build hook of the wheel: with prebuilt kernels it is for one platform, without them it is pure Python."""

import importlib.util
import json
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path("src/carom/kernels/prebuilt")


class PrebuiltKernels(BuildHookInterface):
    """Adds the library that ``make prebuilt`` has made of the present sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the library and set the platform of the wheel."""
        table_file = Path(self.root) / FOLDER / "kernels.json"
        if version == "editable" or not table_file.exists():
            return
        table = json.loads(table_file.read_text())["table"]
        content_hash = self._source_digest().content_hash
        package = Path(self.root) / "src/carom"
        changed = [file for file, digest in table["files"].items() if content_hash(package / file).hex()[:16] != digest]
        if changed:
            self.app.display_warning(
                f"prebuilt kernels are left out of the wheel: {', '.join(changed[:3])} changed after they were built; "
                "run 'make prebuilt' to include them"
            )
            return
        build_data["artifacts"].append(f"/{FOLDER.as_posix()}/kernels.*")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{table['wheel_platform']}"

    def _source_digest(self) -> Any:
        """Return the module `carom.kernels.source_digest`, without importing the package and what it needs."""
        path = Path(self.root) / "src/carom/kernels/source_digest.py"
        spec = importlib.util.spec_from_file_location("source_digest", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
