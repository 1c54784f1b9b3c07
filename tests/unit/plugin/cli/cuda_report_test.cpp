#include "plugin/cli/cuda_report.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

using namespace slimgrad;

namespace {

KernelFigures kernel(std::uint32_t registers, std::uint32_t stack) {
    KernelFigures figures;
    figures.name = "gradMain";
    figures.direction = Direction::backward;
    figures.registers = registers;
    figures.stack_bytes = stack;
    return figures;
}

CudaOutcome measured() {
    CudaOutcome outcome;
    outcome.input = "/p/in.cu";
    CudaVariant generated, single_copy, heap;
    generated.name = "as generated";
    generated.figures.kernels = {kernel(142, 1072)};
    single_copy.name = "single-copy";
    single_copy.figures.kernels = {kernel(47, 528)};
    heap.name = "single-copy, heap";
    heap.allowed = false;
    heap.figures.kernels = {kernel(40, 0)};
    outcome.choice = CudaChoice{{generated, single_copy, heap}, 1, true};
    return outcome;
}

} // namespace

TEST_CASE("notes are lines with a place, as a compiler writes them") {
    CudaOutcome outcome;
    outcome.input = "/p/in.cu";
    outcome.rewritten.notes = {{"error", "repair-extents", {"/p/s/a.slang", 4, 2}, "swapped"},
                               {"note", "single-copy", {}, "left \033alone"}};
    CHECK(cuda_notes_text(outcome, {}, "/p") == "s/a.slang:4:2: error: swapped [repair-extents]\n"
                                                "in.cu: note: left \\x1balone [single-copy]\n");
    outcome.input.clear();
    outcome.rewritten.notes.erase(outcome.rewritten.notes.begin());
    CHECK(cuda_notes_text(outcome, {}, "/p").starts_with("<stdin>: note: "));
}

TEST_CASE("a kernel that needs the host's help says so") {
    CudaOutcome outcome;
    outcome.input = "/p/in.cu";
    CHECK(cuda_notes_text(outcome, {}, "/p").empty());
    outcome.rewritten.heap_kernels = {{"gradMain", 5032}};
    CHECK(cuda_notes_text(outcome, {}, "/p") ==
          "in.cu: note: 'gradMain' keeps 5032 B for each thread in the checkpoint heap; whoever "
          "launches it uses slimgrad_checkpoint_heap.h, else it traps [heap]\n");
    const nlohmann::ordered_json document = cuda_outcome_json(outcome);
    REQUIRE(document["notes"].size() == 1);
    CHECK(document["notes"][0]["message"] ==
          slimgrad::heap_demand(outcome.rewritten.heap_kernels.front()));
}

TEST_CASE("the table says which variant is chosen, and why others are not") {
    const std::string text = cuda_choice_text(measured(), {});
    CHECK(text.find("figures remembered") != std::string::npos);
    CHECK(text.find("as generated       gradMain        142     1072") != std::string::npos);
    CHECK(text.find("chosen") > text.find("single-copy "));
    CHECK(text.find("not asked for") > text.find("single-copy, heap"));
    CHECK(cuda_choice_text({}, {}).empty());
}

TEST_CASE("the document has every variant, the chosen one marked") {
    const nlohmann::ordered_json document = cuda_outcome_json(measured());
    CHECK(document["file"] == "/p/in.cu");
    CHECK(document["layouts"].empty());
    const auto& variants = document["measured"]["variants"];
    REQUIRE(variants.size() == 3);
    CHECK_FALSE(variants[0]["chosen"].get<bool>());
    CHECK(variants[1]["chosen"].get<bool>());
    CHECK_FALSE(variants[2]["allowed"].get<bool>());
    CHECK(variants[1]["kernels"][0]["registers"] == 47);
    CHECK_FALSE(cuda_outcome_json({}).contains("measured"));
}
