#include "plugin/slangc/warnings.h"

#include <doctest/doctest.h>

using slimgrad::RewrittenCuda;
using slimgrad::slangc::warning_text;
using slimgrad::slangc::warnings_text;

TEST_CASE("a warning looks like slangc's") {
    CHECK(warning_text("said", {"a.slang", 3, 7}, false) ==
          "warning[slimgrad]: said\n --> a.slang:3:7\n");
    CHECK(warning_text("said", {"x.cu"}, false) == "warning[slimgrad]: x.cu: said\n");
    CHECK(warning_text("said", {}, false) == "warning[slimgrad]: said\n");
    CHECK(warning_text("said", {"a.slang", 3, 7}, true) ==
          "slimgrad\twarning\ta.slang\t3\t7\t3\t7\tsaid\n");
    CHECK(warning_text("a\tb\nc\033", {"x\ny.cu"}, false) == "warning[slimgrad]: x y.cu: a b c \n");
}

TEST_CASE("notes are not warnings; errors are, for the exit code is slangc's") {
    RewrittenCuda rewritten;
    rewritten.passes = {"single-copy"};
    rewritten.notes = {{"note", "single-copy", {"a.slang", 1, 1}, "left alone"},
                       {"warning", "frame-limit", {"a.slang", 2, 1}, "much"},
                       {"error", "frame-limit", {}, "too much"}};
    CHECK(warnings_text(rewritten, "x.cu", false) == "warning[slimgrad]: much\n --> a.slang:2:1\n"
                                                     "warning[slimgrad]: too much\n");
}

TEST_CASE("that gradients changed is said once, however many places there are") {
    RewrittenCuda rewritten;
    rewritten.passes = {"repair-extents", "single-copy"};
    const std::string said = "warning[slimgrad]: ";
    CHECK(warnings_text(rewritten, "x.cu", false) ==
          said + "transposed checkpoint arrays of nested loops are repaired: gradients change\n");
    rewritten.notes.push_back({"error", "repair-extents", {"a.slang", 4, 2}, "[8][3] swapped"});
    CHECK(warnings_text(rewritten, "x.cu", false) == said + "[8][3] swapped\n --> a.slang:4:2\n");
    rewritten.notes.push_back({"error", "repair-extents", {"a.slang", 9, 2}, "another"});
    CHECK(warnings_text(rewritten, "x.cu", false) ==
          said + "[8][3] swapped (and 1 more)\n --> a.slang:4:2\n");
    // Not repaired: each place is a warning of its own.
    rewritten.passes = {"single-copy"};
    CHECK(warnings_text(rewritten, "x.cu", false) ==
          "warning[slimgrad]: [8][3] swapped\n --> "
          "a.slang:4:2\nwarning[slimgrad]: another\n --> "
          "a.slang:9:2\n");
}

TEST_CASE("kernels that trap without a heap are named, for nobody here prepares one") {
    RewrittenCuda rewritten;
    rewritten.passes = {"heap"};
    rewritten.heap_kernels = {{"bwd", 6528}};
    CHECK(warnings_text(rewritten, "o/x.cu", false) ==
          "warning[slimgrad]: o/x.cu: 'bwd' keeps 6528 B for each thread in the checkpoint heap; "
          "whoever launches it uses slimgrad_checkpoint_heap.h, else it traps\n");
    rewritten.heap_kernels.push_back({"other", 8});
    CHECK(warnings_text(rewritten, "o/x.cu", false).ends_with("else it traps (and 1 more)\n"));
}
