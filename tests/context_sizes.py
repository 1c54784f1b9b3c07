"""Every context that Slang's report names is a record of the generated CUDA whose values take the reported bytes.

Usage: context_sizes.py ROOT SLIMGRAD-CLANG
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root, clang = Path(sys.argv[1]), sys.argv[2]
ROW = re.compile(r"^E\tnote\t.*\tcheckpointing context of (\d+) bytes associated with: '(.*)'$", re.MULTILINE)
PREFIX = "s_minCtx_s_bwdCallableCtx_"
failures = []
matched = padded = 0


def reported(source, target):
    """Slang's report, as (function, bytes); its CUDA goes to `target`. None: it emits none."""
    command = [root / ".deps/bin/slangc", "-target", "cuda", "-O3", "-report-checkpoint-intermediates",
               "-enable-machine-readable-diagnostics", "-o", target, source]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0 or not target.exists():
        return None
    return [(function, int(size)) for size, function in ROW.findall(done.stderr)]


def laid_out(target):
    text = target.read_text(encoding="utf-8")
    half = ["-DSLANG_CUDA_ENABLE_HALF=1"] if "half" in text[text.find("\n#line "):] else []
    done = subprocess.run([clang, "--passes", "none", *half, target], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        failures.append(f"{target.stem}: {done.stderr.strip()}")
        return []
    return json.loads(done.stdout)["contexts"]


def check_fields(shader, context):
    """Fields follow each other, aligned, inside the record, each at a line of a file."""
    end = 0
    for field in context["fields"]:
        if field["offset"] < end or field["offset"] % field["alignment"] != 0:
            failures.append(f"{shader}: {context['name']}.{field['name']} is at {field['offset']}")
        if not field["file"] or field["line"] == 0:
            failures.append(f"{shader}: {context['name']}.{field['name']} has no place")
        end = field["offset"] + field["size"]
    if context["size"] < end or context["size"] % context["alignment"] != 0 or context["size"] - end >= context["alignment"]:
        failures.append(f"{shader}: {context['name']} has {context['size']} bytes, its fields end at {end}")


with tempfile.TemporaryDirectory() as folder:
    for source in sorted(path for name in ("corpus", "tests/inputs/kernels", "tests/inputs/contexts")
                         for path in (root / name).glob("*.slang")):
        target = Path(folder) / (source.stem + ".cu")
        report = reported(source, target)
        if report is None:
            failures.append(f"{source.name}: slangc emits no CUDA")
            continue
        contexts = laid_out(target)
        for context in contexts:
            check_fields(source.name, context)
        stored = [context for context in contexts if context["kind"] == "stored"]
        for function, size in report:
            same = [context for context in stored if re.fullmatch(f"{PREFIX}{re.escape(function)}_\\d+", context["name"])
                    and context["reported_size"] == size]
            if not same:
                failures.append(f"{source.name}: no record of {function} has the {size} bytes of the report: "
                                f"{[(c['name'], c['reported_size']) for c in stored]}")
                continue
            stored.remove(same[0])
            matched += 1
            padded += same[0]["size"] != size

for failure in failures:
    print(failure)
print(f"{matched} contexts as reported, {padded} of them with other bytes in CUDA (bool, alignment)")
# The shaders are chosen to have both kinds.
sys.exit(0 if not failures and matched >= 40 and padded >= 5 else 1)
