"""Functions from generated source files."""

import os

from carom.kernels import generated_source


def test_only_the_newest_files_stay_and_code_goes_with_its_text(tmp_path, monkeypatch):
    monkeypatch.setattr(generated_source, "MAX_FILES", 2)
    home, code = tmp_path / "written", tmp_path / "written_0a1b"
    code.mkdir()
    for k in range(4):
        path = generated_source._stored(home, str(k), f"def written(t, q, u, out):\n    out[0] = {k}.0\n")
        os.utime(path, (1e9 + k, 1e9 + k))
        (code / f"w{k}.written-.abc.nbc").write_text("")
    assert generated_source._stored(home, "4", "def written(t, q, u, out):\n    out[0] = 4.0\n") == home / "w4.py"
    assert sorted(path.name for path in home.iterdir()) == ["w3.py", "w4.py"]
    assert [path.name for path in code.iterdir()] == ["w3.written-.abc.nbc"]
