"""slangtorch_calls.py ROOT DROP_IN SLANGC: an unmodified slangtorch compiles a shader with slangc and with slimgrad-slangc.

slangtorch's own code makes the calls, reads the depfile and decides what is out of date. torch is not there: what
slangtorch imports of it belongs to the step after the calls, which is not run.
"""

import contextlib
import importlib
import io
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path

root, drop_in, slangc = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
(package,) = (root / ".deps/packages").glob("slangtorch-*")
sys.path.insert(0, str(package))


class Absent(types.ModuleType):
    """A module that can be imported from, and fails when what it gives is used."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None


for name in ("torch", "torch.utils", "torch.utils.cpp_extension", "torch.utils.file_baton", "torch.utils.hipify",
             "torch.utils.hipify.hipify_python", "torch.torch_version", "filelock"):
    sys.modules[name] = Absent(name)
sys.modules["torch"].__version__ = "absent"


def load(compiler):
    """slangtorch as a program gets it that has SLANGC_PATH set."""
    os.environ["SLANGC_PATH"] = compiler
    for name in [name for name in sys.modules if name.startswith("slangtorch")]:
        del sys.modules[name]
    module = importlib.import_module("slangtorch.slangtorch")
    assert module.slangcPath == os.path.realpath(compiler)
    return module


def compile_both(module, folder, metadata, dry_run=False):
    """What slangtorch does for a module: its binding, then its CUDA. Returns whether each was out of date."""
    stale = {}
    for kind, target, output in (("cpp", "torch-binding", "field.cpp"), ("cuda", "cuda", "field_cuda.cu")):
        stale[kind], data = module.compileSlang(metadata.get(kind), str(folder / "field.slang"), target, ["-DN=200"],
                                                str(folder / output), dryRun=dry_run,
                                                extraSlangFlags=["-line-directive-mode", "none"])
        if not dry_run:
            metadata[kind] = data
    return stale


def main():
    with tempfile.TemporaryDirectory() as work:
        folders = {}
        for name, compiler in (("slangc", slangc), ("drop_in", drop_in)):
            folder = Path(work) / name
            folder.mkdir()
            shutil.copy(root / "tests/slangc/field.slang", folder)
            module, metadata = load(compiler), {}
            assert compile_both(module, folder, metadata) == {"cpp": True, "cuda": True}
            assert compile_both(module, folder, metadata, dry_run=True) == {"cpp": False, "cuda": False}, name
            folders[name] = (folder, module, metadata)

        (plain, _, plain_metadata), (rewritten, module, metadata) = folders["slangc"], folders["drop_in"]
        names = sorted(path.name for path in plain.iterdir())
        assert names == sorted(path.name for path in rewritten.iterdir()) == ["field.cpp", "field.slang", "field_cuda.cu"]
        assert (plain / "field.cpp").read_bytes() == (rewritten / "field.cpp").read_bytes()
        assert (plain / "field_cuda.cu").read_bytes() != (rewritten / "field_cuda.cu").read_bytes(), "nothing was rewritten"

        # The same dependencies, Slang's library among them, and slimgrad's own for the CUDA.
        def depends(data, folder):
            return [path.replace(str(folder), "FOLDER") for path, _ in data["deps"]]

        beside = os.path.join(os.path.dirname(drop_in), "slimgrad-clang")
        for kind in ("cpp", "cuda"):
            before = [drop_in if path == slangc else path for path in depends(plain_metadata[kind], plain)]
            after = depends(metadata[kind], rewritten)
            assert any("libslang" in path for path in after), after
            added = [path for path in after if path not in before]
            assert not [path for path in before if path not in after], (before, after)
            if kind == "cpp":
                assert not added, added
            else:
                assert len(added) == 2 and added[0] == beside and "slangc-state-" in added[1], added

        # A rebuilt slimgrad, and turning it off, make the CUDA out of date, and nothing else.
        def is_stale():
            return compile_both(module, rewritten, metadata, dry_run=True)

        os.utime(beside)
        assert is_stale() == {"cpp": False, "cuda": True}
        compile_both(module, rewritten, metadata)
        assert is_stale() == {"cpp": False, "cuda": False}
        os.environ["SLIMGRAD"] = "off"
        subprocess.run([drop_in, "-v"], check=True, stderr=subprocess.DEVNULL)
        assert is_stale() == {"cpp": False, "cuda": True}
        compile_both(module, rewritten, metadata)
        assert (plain / "field_cuda.cu").read_bytes() == (rewritten / "field_cuda.cu").read_bytes(), "off, and rewritten"
        del os.environ["SLIMGRAD"]
        subprocess.run([drop_in, "-v"], check=True, stderr=subprocess.DEVNULL)
        assert is_stale() == {"cpp": False, "cuda": True}

        # An error of slangc's is slangtorch's error.
        (rewritten / "field.slang").write_text("float broken( {\n")
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                compile_both(module, rewritten, {})
        except RuntimeError as error:
            assert "Compilation failed" in str(error), error
        else:
            raise AssertionError("a shader that does not compile compiles")

        added_time(Path(work), plain / "field.slang")


def added_time(work, shader):
    """States what the drop-in adds to slangc's time, runs of both taken in turns."""
    def seconds(program, environment):
        start = time.perf_counter()
        subprocess.run([program, shader, "-DN=200", "-target", "cuda", "-o", work / "timed.cu", "-ignore-capabilities"],
                       check=True, env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
        return time.perf_counter() - start

    kinds = {"slangc": [], "rewriting": [], "from the cache": []}
    for run in range(5):
        kinds["slangc"].append(seconds(slangc, {}))
        fresh = {"SLIMGRAD_CACHE_DIR": str(work / f"cache-{run}")}
        kinds["rewriting"].append(seconds(drop_in, fresh))
        kinds["from the cache"].append(seconds(drop_in, fresh))
    print("slangc.sh: median of 5: " + ", ".join(f"{kind} {statistics.median(times) * 1000:.0f} ms"
                                                 for kind, times in kinds.items()))


main()
