"""json_schema.py ROOT: runs slimgrad with --output-format json in many situations and checks what it prints."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema

root = Path(sys.argv[1])
slimgrad = os.environ["SLIMGRAD"]
schema = json.loads((root / "plugin/cli/report.schema.json").read_text())
jsonschema.Draft7Validator.check_schema(schema)
# The two kinds of documents apart: a mistake is then named where it is, not as "neither of two".
kinds = {"verify": "verify_document", "check": "modules_document", "tune": "tune_document", "fix": "modules_document", "report": "modules_document",
         "cuda": "cuda_document", "--model": "models_document"}

KERNEL = {"name", "direction", "registers", "stack_bytes", "spill_store_bytes", "spill_load_bytes", "code_bytes",
          "warps_per_sm", "checkpoint_bytes"}


def run(expected_status, *arguments):
    """Runs slimgrad; gives the document, which is valid and names its own exit status."""
    command = [slimgrad, *map(str, arguments), "--output-format", "json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == expected_status, (command, done.returncode, done.stderr)
    document = json.loads(done.stdout)
    jsonschema.validate(document, schema)
    jsonschema.validate(document, {**schema["definitions"][kinds["--model" if "--model" in arguments else arguments[0]]], "definitions": schema["definitions"]})
    assert document["exit_code"] == done.returncode, command
    return document


def tune_project():
    """A copy of tests/tune, where a lock may be written."""
    folder = Path(tempfile.mkdtemp()) / "tune"
    shutil.copytree(root / "tests/tune", folder)
    (folder / "slimgrad.toml").touch()
    return folder


def main():
    shaders = root / "tests/preprocess/shaders"
    entry = ["-entry", "gradMain", "-stage", "compute"]

    report = run(0, "report", shaders / "march.slang", *entry)
    (module,) = report["modules"]
    (kernel,) = module["kernels"]
    assert KERNEL <= kernel.keys() and kernel["direction"] == "backward" and kernel["checkpoint_bytes"] > 0, kernel
    assert module["contexts"][0]["values"], module["contexts"]
    stored = [layout for layout in module["layouts"] if layout["kind"] == "stored"]
    assert stored[0]["reported_size"] == module["contexts"][0]["bytes"] and stored[0]["fields"], module["layouts"]
    assert any(layout["kind"] == "parameters" for layout in module["layouts"]) and not module["no_layouts"], module

    (tuning,) = run(0, "tune", "--lock", tune_project() / "long.slang")["tunings"]
    assert tuning["kept"] and tuning["combinations"] and tuning["kernels_after"], tuning
    assert not tuning["out_of_time"] and tuning["budget_is_met"] and tuning["verified"]["verdict"] == "equal", tuning

    (model,) = run(0, "report", "--model", root / "corpus/volume_march.slang")["models"]
    march = next(f for f in model["functions"] if f["name"] == "march")
    assert march["is_differentiated"] and march["loops"][0]["trips"]["exact"] == 32, march["loops"]
    sample = next(c for c in march["calls"] if c["callee"] == "sampleGrid")
    assert model["functions"][sample["target"]]["name"] == "sampleGrid" and sample["kind"] == "function", sample
    assert model["stored_values"] and all(row["answered"] for row in model["stored_values"]), model["stored_values"]

    check = run(1, "check", shaders, *entry)
    assert len(check["modules"]) == 2, check
    finding = next(f for f in check["modules"][0]["findings"] if f["state"] == "fixed")
    fix = finding["fixes"][0]
    assert fix["outcome"] == "applied" and fix["verified"]["verdict"] == "equal", fix
    assert sum(k["registers"] for k in fix["after"]) < sum(k["registers"] for k in fix["before"]), fix

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        broken = folder / "broken.slang"
        broken.write_text("float f( {\n")
        assert run(3, "check", broken)["modules"][0]["status"] == "rejected"
        (model,) = run(3, "report", "--model", broken)["models"]
        assert model["problem"] and model["syntax_errors"], model
        (folder / "empty.slang").touch()
        assert run(0, "check", folder / "empty.slang")["left_out"][0]["is_error"] is False
        assert run(2, "check", folder / "missing.slang")["left_out"][0]["is_error"] is True

        before = (shaders / "plain.slang").read_text().replace('#include "../common/grid.slang"\n', "")
        (folder / "before.slang").write_text(before)
        (folder / "after.slang").write_text(before.replace("x * x", "x * x * 1.5f"))
        run(0, "verify", folder / "before.slang", folder / "before.slang", "--gpu")
        different = run(1, "verify", folder / "before.slang", folder / "after.slang")
        assert different["results"][0]["difference"]["buffer"] == "gradient", different
        run(3, "verify", folder / "before.slang", broken)

        cuda = folder / "march.cu"
        slangc = [root / ".deps/bin/slangc", shaders / "march.slang", *entry, "-target", "cuda", "-O3", "-o", cuda]
        subprocess.run(slangc, check=True)
        rewritten = run(0, "cuda", cuda, "-o", folder / "rewritten.cu")
        assert rewritten["changed"] and "single-copy" in rewritten["passes"], rewritten
        assert rewritten["changed"] == (cuda.read_bytes() != (folder / "rewritten.cu").read_bytes())
        variants = run(0, "cuda", cuda, "--measure")["measured"]["variants"]
        assert [v["chosen"] for v in variants].count(True) == 1 and variants[0]["kernels"], variants
        (folder / "foreign.cu").write_text("__global__ void k() {}\n")
        assert run(0, "cuda", folder / "foreign.cu")["of_slang"] is False

        # The schema refuses what it does not know: it is no rubber stamp.
        for spoil in (lambda d: d.update(surprise=1), lambda d: d["modules"][0]["kernels"][0].pop("registers"),
                      lambda d: d["modules"][0]["kernels"][0].update(registers=-1)):
            spoiled = json.loads(json.dumps(report))
            spoil(spoiled)
            try:
                jsonschema.validate(spoiled, schema)
            except jsonschema.ValidationError:
                continue
            raise AssertionError("the schema accepts a spoiled document")


main()
