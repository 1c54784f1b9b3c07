#include "plugin/trial/objective.h"

#include <doctest/doctest.h>
#include <functional>

using namespace slimgrad;

namespace {

KernelFigures kernel() {
    KernelFigures k;
    k.name = "gradMain";
    k.direction = Direction::backward;
    k.registers = 100;
    k.stack_bytes = 500;
    k.spill_store_bytes = 40;
    k.spill_load_bytes = 60;
    k.code_bytes = 8000;
    k.local_loads = 20;
    k.local_stores = 30;
    k.warps_per_sm = 20;
    return k;
}

Figures figures(const std::function<void(KernelFigures&)>& change = {},
                std::uint64_t checkpoint_bytes = 300) {
    KernelFigures k = kernel();
    if (change)
        change(k);
    return {{k}, checkpoint_bytes};
}

} // namespace

TEST_SUITE("plugin/trial/objective") {
    TEST_CASE("the same figures") {
        const Comparison same = compare(figures(), figures());
        CHECK(same.change == Change::same);
        CHECK_FALSE(same.minor);
    }

    TEST_CASE("each figure decides where those before it are equal") {
        struct Step {
            Figure figure;
            std::function<void(KernelFigures&)> better;
            bool minor;
        };
        const Step steps[] = {
            {Figure::spill_bytes, [](KernelFigures& k) { k.spill_load_bytes -= 4; }, false},
            {Figure::local_memory, [](KernelFigures& k) { k.stack_bytes -= 8; }, false},
            {Figure::local_accesses, [](KernelFigures& k) { k.local_stores -= 1; }, false},
            {Figure::warps, [](KernelFigures& k) { k.warps_per_sm += 4; }, false},
            {Figure::registers, [](KernelFigures& k) { k.registers -= 1; }, true},
            {Figure::code_bytes, [](KernelFigures& k) { k.code_bytes -= 128; }, true},
        };
        for (const Step& step : steps) {
            CAPTURE(std::string(name(step.figure)));
            const Comparison better = compare(figures(), figures(step.better));
            CHECK(better.change == Change::better);
            CHECK(better.decided_by == step.figure);
            CHECK(better.minor == step.minor);
            const Comparison worse = compare(figures(step.better), figures());
            CHECK(worse.change == Change::worse);
            CHECK(worse.decided_by == step.figure);
            CHECK_FALSE(worse.minor);
        }
        const Comparison bytes = compare(figures(), figures({}, 299));
        CHECK(bytes.change == Change::better);
        CHECK(bytes.decided_by == Figure::checkpoint_bytes);
        CHECK(bytes.minor);
    }

    TEST_CASE("what comes first outweighs everything after it") {
        const Figures fewer_spills = figures(
            [](KernelFigures& k) {
                k.spill_store_bytes = 0;
                k.stack_bytes = 9000;
                k.registers = 255;
                k.warps_per_sm = 8;
                k.code_bytes = 90000;
            },
            9000);
        CHECK(compare(figures(), fewer_spills).change == Change::better);
        const Figures more_spills = figures(
            [](KernelFigures& k) {
                k.spill_store_bytes += 4;
                k.stack_bytes = 0;
                k.registers = 30;
            },
            0);
        CHECK(compare(figures(), more_spills).change == Change::worse);
    }

    TEST_CASE(
        "fewer registers at the same number of warps are minor, with more warps they are not") {
        CHECK(compare(figures(), figures([](KernelFigures& k) { k.registers = 98; })).minor);
        const Comparison more_warps = compare(figures(), figures([](KernelFigures& k) {
                                                  k.registers = 80;
                                                  k.warps_per_sm = 24;
                                              }));
        CHECK_FALSE(more_warps.minor);
        CHECK(more_warps.decided_by == Figure::warps);
    }

    TEST_CASE("kernels are added up") {
        Figures before = figures(), after = figures();
        before.kernels.push_back(kernel());
        after.kernels.push_back(kernel());
        after.kernels[0].stack_bytes += 100;
        after.kernels[1].stack_bytes -= 101;
        CHECK(compare(before, after).change == Change::better);
        CHECK(value(before, Figure::local_memory) == 1000);
        CHECK(value(before, Figure::spill_bytes) == 200);
        CHECK(value(before, Figure::local_accesses) == 100);
        CHECK(value(before, Figure::warps) == 40);
        CHECK(value(before, Figure::checkpoint_bytes) == 300);
        CHECK(name(Figure::local_memory) == "stack bytes");
    }
}
