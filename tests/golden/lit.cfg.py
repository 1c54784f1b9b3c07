# Goldens: every .slang or .test file here is a test, see README.md. scripts/test runs them.

import os
import shutil

import lit.formats

source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
build = lit_config.params.get("build", os.path.join(source, "build"))
here = os.path.join(source, "tests", "golden")

config.name = "golden"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".slang", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = here
config.test_exec_root = os.path.join(build, "golden")

# A golden that hangs fails; slimgrad's own limits are far below this.
program = f"timeout --kill-after=10 900 {build}/slimgrad"
llvm = "/usr/lib/llvm-19/bin"
config.environment["PATH"] = os.pathsep.join([llvm, os.environ["PATH"]])
config.environment["SLIMGRAD"] = program
config.environment["NO_COLOR"] = "1"
config.environment["LC_ALL"] = "C.UTF-8"
for name in ("HOME", "SLANG_ROOT", "CUDA_HOME", "CUDA_PATH", "CCACHE_DIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# Results are kept from one test to the next, but not from one run of the tests to the next.
cache = os.path.join(config.test_exec_root, "cache")
shutil.rmtree(cache, ignore_errors=True)
config.environment["SLIMGRAD_CACHE_DIR"] = cache
if "update" in lit_config.params:
    config.environment["SLIMGRAD_UPDATE_GOLDEN"] = "1"
if "long" in lit_config.params:
    config.available_features.add("long")
config.available_features.add("root" if os.geteuid() == 0 else "user")

config.substitutions += [
    ("%slimgrad", program),
    ("%slangc", f"{source}/.deps/bin/slangc"),
    ("%FileCheck", f"{llvm}/FileCheck"),
    ("%fix-twice", f"/usr/bin/python3 {here}/fix_twice.py"),
    ("%exits", f"bash {here}/exits.sh"),
    ("%expect", f"bash {here}/expect.sh"),
    ("%corpus", f"{source}/corpus"),
    ("%golden", here),
]
