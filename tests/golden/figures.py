"""figures.py REPORT EXPECTATION...

Reads a report of `slimgrad check|fix --output-format json` of one module with one kernel and checks figures. Each
EXPECTATION is `[after.]NAME OP NUMBER` as one argument, such as "registers == 255" or "after.stack_bytes <= 336";
NAME is a key of the kernel object. `after.` is the kernel with all fixes. `bit-equal N`: the gradients are bit-equal
on N inputs. Prints what it checked; fails at the first that does not hold.
"""

import json
import operator
import sys

COMPARISONS = {"==": operator.eq, "<=": operator.le}


def main(report, expectations):
    with open(report) as file:
        modules = json.load(file)["modules"]
    (module,) = modules
    (before,) = module["kernels"]
    for expectation in expectations:
        words = expectation.split()
        if words[0] == "bit-equal":
            verified = module["verified"]
            holds = verified["verdict"] == "equal" and verified["bit_equal"] and verified["samples"] == int(words[1])
            seen = verified["reason"]
        else:
            name, comparison, number = words
            kernel = before
            if name.startswith("after."):
                (kernel,) = module["kernels_after"]
            seen = kernel[name.removeprefix("after.")]
            holds = COMPARISONS[comparison](seen, int(number))
        print(f"{expectation}: {seen}")
        if not holds:
            sys.exit(f"figures: {expectation} does not hold: {seen}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
