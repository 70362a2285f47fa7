"""The digest of a function's sources: changes with every file that its code may come from, and with no other."""

import importlib.util
from pathlib import Path

import pytest

from carom.kernels import source_digest as digests

FILES = {
    "__init__.py": "from carom.caller import f\n",
    "caller.py": "from carom.inner.callee import f\nfrom carom.inner import constants\n",
    "inner/__init__.py": "",
    "inner/callee.py": "from .deeper import (\n    a,\n    b,\n)\n\ndef f(x):\n    return a * x + b\n",
    "inner/deeper.py": "import carom.inner.deepest\na = 1\nb = 2\n",
    "inner/deepest.py": "",
    "inner/constants.py": "c = 3\n",
    "inner/other.py": "from carom.caller import caller\n",
}


@pytest.fixture
def digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Give the digest of ``caller`` in a small package after a file was changed."""
    root = tmp_path / "carom"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.setattr(digests, "ROOT", root)

    def digest_after(changed: str | None = None) -> str:
        for function in (digests._files_digest, digests._dependencies, digests._imports, digests.content_hash):
            function.cache_clear()
        if changed is not None:
            (root / changed).write_text(FILES[changed] + "\n")
        code = compile("def caller(x): return x", str(root / "caller.py"), "exec")
        scope: dict = {}
        exec(code, scope)
        return digests.source_digest(scope["caller"])

    yield digest_after
    for function in (digests._files_digest, digests._dependencies, digests._imports, digests.content_hash):
        function.cache_clear()


@pytest.mark.parametrize(
    "name", ["caller.py", "inner/callee.py", "inner/deeper.py", "inner/deepest.py", "inner/constants.py"]
)
def test_changes_with_every_module_that_is_imported(digest, name):
    before = digest()
    assert digest() == before
    assert digest(name) != before


@pytest.mark.parametrize("name", ["__init__.py", "inner/other.py"])
def test_does_not_change_with_other_modules(digest, name):
    before = digest()
    assert digest(name) == before


def test_covers_captured_functions(tmp_path: Path):
    path = tmp_path / "factory.py"
    path.write_text("def made(f):\n    def inner(x):\n        return f(x)\n    return inner\n")
    spec = importlib.util.spec_from_file_location("factory", path)
    factory = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(factory)
    texts = []
    for k in range(2):
        (tmp_path / f"captured{k}.py").write_text(f"def f(x):\n    return {k} * x\n")
        spec = importlib.util.spec_from_file_location(f"captured{k}", tmp_path / f"captured{k}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        texts.append(digests.source_digest(factory.made(module.f)))
    assert texts[0] != texts[1]


def test_finds_the_modules_that_a_real_kernel_uses():
    from carom.solve.compliant.rk_loop import run_chunk

    dependencies = digests._dependencies(Path(run_chunk.function.__code__.co_filename))
    files = {path.relative_to(digests.ROOT).as_posix() for path in dependencies}
    assert {"solve/compliant/rk_loop.py", "solve/runge_kutta/stages.py", "kernels/pointers.py", "errors.py"} <= files
    assert not any(name.startswith(("plot/", "cli/", "study/")) for name in files)
