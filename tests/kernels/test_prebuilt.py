"""The library of prebuilt kernels: what is in it, and when it is not used."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.geometry.pairs.sphere_plane import sphere_plane
from carom.kernels import jit, library_builder, prebuilt
from carom.kernels.argument_types import c_function
from carom.kernels.prebuilt import LIBRARY, TABLE, KernelLibrary, LibraryError, kernel_name, signature_text
from carom.laws.normal.power_law import power_law

KERNELS = (sphere_plane, power_law)
NAME = kernel_name(sphere_plane.function)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the folder of a library of two kernels."""
    folder = tmp_path_factory.mktemp("library")
    library_builder.build({kernel_name(k.function): k for k in KERNELS}, folder)
    return folder


@pytest.fixture
def copied(built, tmp_path):
    """Return a copy of the library that may be damaged."""
    return shutil.copytree(built, tmp_path / "copy")


@pytest.fixture
def installed(copied, monkeypatch):
    """Use the copy in place of the library of this installation."""
    monkeypatch.setattr(prebuilt, "FOLDER", copied)
    monkeypatch.delenv("NUMBA_CPU_NAME", raising=False)
    monkeypatch.delenv("CAROM_PREBUILT", raising=False)
    for function in (prebuilt.library, prebuilt._warn_of_other_sources):
        function.cache_clear()
    yield copied
    for function in (prebuilt.library, prebuilt._warn_of_other_sources):
        function.cache_clear()


def read(folder):
    return json.loads((folder / TABLE).read_text())["table"]


def edit(folder, **values):
    (folder / TABLE).write_text(prebuilt.written_table(read(folder) | values))


def address_in(library, kernel):
    name = kernel_name(kernel.function)
    return library.address_of(name, kernel.function.__module__, signature_text(kernel.signature))


def test_a_prebuilt_kernel_computes_the_gap_of_a_sphere_above_a_plane(built):
    address = address_in(KernelLibrary(built), sphere_plane)
    pose = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
    raised = pose.copy()
    raised[2] = 0.7
    params = np.array([0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    out, unused = np.zeros(PAIR_OUTPUT.size), np.zeros(1)
    call = c_function(sphere_plane.signature)(address)
    call(*(array.ctypes.data for array in (raised, pose, params, unused, out)))
    assert out.view(PAIR_OUTPUT.dtype)[0]["gap"] == pytest.approx(0.2, rel=1e-15)
    assert out.view(PAIR_OUTPUT.dtype)[0]["normal"].tolist() == [0.0, 0.0, 1.0]


def test_the_table_lists_the_kernels_and_the_sources_they_depend_on(built):
    table = read(built)
    assert sorted(table["kernels"]) == sorted(kernel_name(k.function) for k in KERNELS)
    assert "geometry/pairs/base.py" in table["modules"][sphere_plane.function.__module__]
    assert table["wheel_platform"].startswith(("manylinux", "macosx", "win"))


def test_a_library_calls_nothing_but_mathematics(built):
    if sys.platform != "linux":
        pytest.skip("nm reads ELF libraries")
    listed = subprocess.run(["nm", "-D", "-u", built / LIBRARY], check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1].split("@")[0] for line in listed.splitlines() if " U " in line}
    assert names <= library_builder.MATHEMATICS | {"fputs", "fwrite", "stderr", "abort"}


def test_every_kernel_of_the_package_is_found():
    found = library_builder.all_kernels()
    assert NAME in found
    assert len(found) > 150
    assert all(kernel_name(kernel.function) == name for name, kernel in found.items())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not version their C library")
def test_a_library_runs_with_a_c_library_of_2019(built):
    """Functions of the C library have versions; that of the wheel is the newest of those that kernels call."""
    assert int(read(built)["wheel_platform"].split("_")[2]) <= 29


def test_symbols_are_unique():
    names = list(library_builder.all_kernels())
    assert len({library_builder.symbol_of(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda folder: (folder / LIBRARY).write_bytes((folder / LIBRARY).read_bytes()[:5000]), "damaged"),
        (lambda folder: (folder / LIBRARY).unlink(), "cannot be read"),
        (lambda folder: (folder / TABLE).unlink(), "cannot be read"),
        (lambda folder: (folder / TABLE).write_text("{"), "is not what was written"),
        (lambda folder: (folder / TABLE).write_text("[\n]\n"), "is not what was written"),
        (lambda folder: (folder / TABLE).write_text(prebuilt.written_table({"machine": "Plan9"})), "has no processor"),
        (lambda folder: edit(folder, machine="Plan9 z80"), "built for Plan9 z80"),
    ],
)
def test_a_library_that_cannot_be_used_is_reported_with_the_reason(copied, damage, reason):
    damage(copied)
    with pytest.raises(LibraryError, match=reason):
        KernelLibrary(copied)


def test_one_changed_byte_is_noticed(copied):
    content = bytearray((copied / LIBRARY).read_bytes())
    content[len(content) // 2] ^= 1
    (copied / LIBRARY).write_bytes(content)
    with pytest.raises(LibraryError, match="damaged"):
        KernelLibrary(copied)


def test_the_code_of_another_kernel_is_not_used_where_the_table_is_damaged(copied):
    """The table is still JSON, and both kernels exist."""
    names = [library_builder.symbol_of(kernel_name(k.function)) for k in KERNELS]
    content = (copied / TABLE).read_text()
    (copied / TABLE).write_text(content.replace(f'"symbol": "{names[0]}"', f'"symbol": "{names[1]}"'))
    with pytest.raises(LibraryError, match="is not what was written"):
        KernelLibrary(copied)


def test_a_function_with_captured_values_is_not_taken_for_the_one_of_its_name(installed):
    def factory(value):
        def function():
            return value

        return function

    other = factory(1.0)
    other.__module__, other.__qualname__ = sphere_plane.function.__module__, sphere_plane.function.__qualname__
    assert prebuilt.address_of(other, sphere_plane.signature) is None


def test_a_processor_without_the_instructions_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(library_builder.PROCESSOR_CHECKS, library_builder.processor(), "0")
    library_builder.build({NAME: sphere_plane}, tmp_path)
    with pytest.raises(LibraryError, match="lacks instructions"):
        KernelLibrary(tmp_path)


def test_a_kernel_with_another_signature_is_not_used(built):
    library = KernelLibrary(built)
    assert library.address_of(NAME, sphere_plane.function.__module__, signature_text(power_law.signature)) is None


def test_a_kernel_that_is_not_in_the_library_is_compiled(installed):
    from carom.geometry.pairs.sphere_sphere import sphere_sphere

    assert prebuilt.address_of(sphere_sphere.function, sphere_sphere.signature) is None
    assert prebuilt.address_of(sphere_plane.function, sphere_plane.signature) is not None


def test_a_kernel_of_changed_sources_is_not_used_and_one_warning_says_why(installed):
    files = read(installed)["files"]
    edit(installed, files=files | {"geometry/pairs/base.py": "0" * 16})
    with pytest.warns(UserWarning, match="built from other sources.*make prebuilt") as caught:
        addresses = [prebuilt.address_of(sphere_plane.function, sphere_plane.signature) for _ in range(2)]
    assert addresses == [None, None]
    assert len(caught) == 1
    assert prebuilt.address_of(power_law.function, power_law.signature) is not None


def test_a_kernel_whose_code_is_missing_is_compiled(installed):
    kernels = read(installed)["kernels"]
    edit(installed, kernels=kernels | {NAME: kernels[NAME] | {"symbol": "other"}})
    with pytest.warns(UserWarning, match="used in part"):
        assert prebuilt.address_of(sphere_plane.function, sphere_plane.signature) is None


@pytest.mark.parametrize("file", [LIBRARY, TABLE])
def test_half_a_library_is_reported(installed, file):
    (installed / file).unlink()
    with pytest.warns(UserWarning, match=f"are not used: it cannot be read .*{file}"):
        assert prebuilt.library() is None


def test_a_folder_that_cannot_be_read_is_reported(installed, monkeypatch):
    def refuse(folder):
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(prebuilt.os, "listdir", refuse)
    assert prebuilt.library_folder() == installed  # reading it then says why


def test_no_library_gives_no_warning(installed, recwarn):
    shutil.rmtree(installed)
    assert prebuilt.library() is None
    assert not recwarn.list


def test_a_damaged_library_gives_one_warning(installed):
    (installed / LIBRARY).write_bytes(b"no library")
    with pytest.warns(UserWarning, match="are not used: it is damaged") as caught:
        addresses = [prebuilt.address_of(sphere_plane.function, sphere_plane.signature) for _ in range(2)]
    assert addresses == [None, None]
    assert len(caught) == 1


def test_a_chosen_processor_has_its_kernels_compiled(installed, monkeypatch):
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    prebuilt.library.cache_clear()
    assert prebuilt.address_of(sphere_plane.function, sphere_plane.signature) is None


def test_the_library_can_be_switched_off_or_chosen(installed, built, monkeypatch):
    monkeypatch.setenv("CAROM_PREBUILT", "0")
    assert prebuilt.library_folder() is None
    monkeypatch.setenv("CAROM_PREBUILT", str(built))
    assert prebuilt.library_folder() == built
    monkeypatch.delenv("CAROM_PREBUILT")
    assert prebuilt.library_folder() == installed


def test_functions_that_need_python_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(library_builder, "undefined_symbols", lambda objects: {"PyErr_Clear", "sin", "PyList_New"})
    with pytest.raises(RuntimeError, match="call PyList_New"):
        library_builder.link([], tmp_path / LIBRARY)


def test_a_kernel_that_raises_is_refused():
    @jit
    def helper(x):
        assert x > 0.0
        return x

    def careless(x):
        return helper(x)

    with pytest.raises(RuntimeError, match=r"kernel careless has a raise or an assert.*status"):
        library_builder.refuse_exceptions("careless", careless)
    library_builder.refuse_exceptions(NAME, sphere_plane.function)


def test_an_unchanged_kernel_is_not_compiled_again(built, tmp_path, monkeypatch):
    from carom.kernels import numba_compat

    monkeypatch.setattr(numba_compat, "object_code", lambda *arguments: pytest.fail("compiled again"))
    folder = library_builder.cache_folder() or tmp_path
    objects = f"{folder}/objects"
    assert library_builder.build_object(NAME, objects).endswith(".o")
