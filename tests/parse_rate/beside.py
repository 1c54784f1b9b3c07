"""Parses files with slimgrad's grammar and with the published tree-sitter-slang, one run-time library for both.

  beside.py GRAMMAR.so NAMES     GRAMMAR.so: slimgrad's parser; NAMES: a file with a path a line

Each file is parsed by both, one after the other, from memory; the time is the processor's, for the parse alone. The size
is that of code and tables (.text, .rodata, .data.rel.ro) of the two shared libraries: slimgrad's own as built here, the
other's as it is published.
"""

import ctypes
import re
import subprocess
import sys
import time
import warnings
from importlib import metadata

import tree_sitter_slang
from tree_sitter import Language, Parser

LOADED = re.compile(r"^\.(?:text|rodata|data\.rel\.ro) +(\d+)", re.MULTILINE)


class Contestant:
    def __init__(self, name, language, library):
        self.name, self.parser = name, Parser(language)
        self.clean, self.seconds = 0, 0.0
        sections = subprocess.run(["size", "-A", library], capture_output=True, text=True, check=True).stdout
        self.size = sum(map(int, LOADED.findall(sections)))

    def parse(self, text):
        start = time.thread_time_ns()
        tree = self.parser.parse(text)
        self.seconds += (time.thread_time_ns() - start) / 1e9
        self.clean += not tree.root_node.has_error


def slimgrad_language(library):
    function = ctypes.CDLL(library).tree_sitter_slang
    function.restype = ctypes.c_void_p
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a pointer, where the package would have a capsule
        return Language(function())


def main():
    library, names = sys.argv[1:]
    own = Contestant("slimgrad", slimgrad_language(library), library)
    version = metadata.version("tree-sitter-slang")
    other = Contestant(f"tree-sitter-slang {version}", Language(tree_sitter_slang.language()),
                       tree_sitter_slang._binding.__file__)
    with open(names, "rb") as file:
        paths = file.read().split(b"\n")[:-1]
    size = 0
    for number, path in enumerate(paths):
        with open(path, "rb") as file:
            text = file.read()
        size += len(text)
        for contestant in (own, other) if number % 2 == 0 else (other, own):
            contestant.parse(text)
    print(f"beside each other, run by tree-sitter {metadata.version('tree-sitter')}:")
    for each in (own, other):
        rate = 100 * each.clean / max(len(paths), 1)
        print(f"  {each.name}: {each.clean}/{len(paths)} files clean ({rate:.2f} %), {each.seconds:.2f} s, "
              f"{size / 1e6 / max(each.seconds, 1e-9):.1f} MB/s, {each.size} bytes of code and tables")
    print(f"  {other.seconds / max(own.seconds, 1e-9):.2f} times as fast, {own.size / other.size:.3f} of the size")


if __name__ == "__main__":
    main()
