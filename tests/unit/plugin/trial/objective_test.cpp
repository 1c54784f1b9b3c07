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

    TEST_CASE("local memory is weighed against warps") {
        const auto with = [](std::uint32_t stack, std::uint32_t accesses, std::uint32_t warps) {
            return figures([&](KernelFigures& k) {
                k.stack_bytes = stack;
                k.local_loads = accesses;
                k.local_stores = 0;
                k.warps_per_sm = warps;
            });
        };
        // A thread's share of the register file: 171 B of 48 warps, 256 B of 32, 683 B of 12.
        const Figures often = with(376, 50, 32), seldom = with(168, 50, 12);
        CHECK(compare(often, seldom).change == Change::worse);
        CHECK(compare(often, seldom).decided_by == Figure::warps);
        CHECK(compare(seldom, often).change == Change::better);
        CHECK(compare(seldom, often).decided_by == Figure::warps);
        CHECK_FALSE(compare(seldom, often).minor);
        CHECK(compare(often, with(0, 0, 12)).change == Change::better);
        CHECK(compare(with(96, 27, 48), with(0, 0, 24)).change == Change::better);
        CHECK(compare(with(176, 51, 36), with(0, 0, 12)).change == Change::worse);
        CHECK(compare(with(1168, 50, 48), with(0, 0, 8)).change == Change::better);
        CHECK(compare(with(1168, 50, 48), with(0, 0, 8)).decided_by == Figure::local_memory);
        CHECK(compare(with(424, 50, 32), with(424, 40, 28)).change == Change::worse);
        CHECK(compare(with(424, 50, 32), with(424, 40, 28)).decided_by == Figure::warps);
        CHECK(compare(with(424, 50, 32), with(424, 40, 32)).decided_by == Figure::local_accesses);

        Figures two = often, two_seldom = seldom; // the other kernel's warps do not hide it
        two.kernels.push_back(with(0, 0, 48).kernels[0]);
        two_seldom.kernels.push_back(with(0, 0, 48).kernels[0]);
        CHECK(compare(two, two_seldom).change == Change::worse);

        Objective asked;
        asked.order = *parse_order("stack");
        CHECK(compare(often, seldom, asked).change == Change::better);
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

    TEST_CASE("the estimate decides only where it is asked for") {
        const Figures slower = figures([](KernelFigures& k) { k.estimate = 10; });
        CHECK(compare(figures(), slower).change == Change::same);
        Objective objective;
        objective.order = *parse_order("estimate");
        CHECK(compare(figures(), slower, objective).change == Change::worse);
        CHECK(compare(slower, figures(), objective).change == Change::better);
        CHECK_FALSE(compare(slower, figures(), objective).minor);
    }

    TEST_CASE("an order that is asked for decides") {
        const auto order = parse_order("regs,ckpt");
        REQUIRE(order);
        REQUIRE(order->size() == 7);
        CHECK((*order)[0] == Figure::registers);
        CHECK((*order)[1] == Figure::checkpoint_bytes);
        CHECK((*order)[2] == Figure::spill_bytes);
        Objective objective;
        objective.order = *order;
        const Figures fewer = figures([](KernelFigures& k) {
            k.registers = 90;
            k.spill_store_bytes = 400;
        });
        CHECK(compare(figures(), fewer, objective).change == Change::better);
        CHECK_FALSE(compare(figures(), fewer, objective).minor);
        CHECK(compare(figures(), fewer).change == Change::worse);
        CHECK(parse_order("regs,regs").error().message == "'regs' stands there twice");
        CHECK(parse_order("registers").error().message ==
              "'registers' is none of spills, stack, local, warps, regs, code, ckpt, estimate");
    }

    TEST_CASE("a budget replaces the order: nearer to it is better, and met is enough") {
        Objective objective;
        objective.budget = *parse_budget("regs=96,spills=50");
        CHECK(excess(figures(), objective) == doctest::Approx(4.0 / 96 + 50.0 / 50));
        const Figures nearer = figures([](KernelFigures& k) {
            k.registers = 96;
            k.stack_bytes = 5000; // does not count
        });
        CHECK(compare(figures(), nearer, objective).change == Change::better);
        CHECK(compare(figures(), nearer, objective).decided_by == Figure::registers);
        CHECK(compare(nearer, figures(), objective).change == Change::worse);
        const Figures met = figures([](KernelFigures& k) {
            k.registers = 90;
            k.spill_store_bytes = k.spill_load_bytes = 0;
        });
        CHECK(excess(met, objective) == 0);
        const Figures beyond = figures([](KernelFigures& k) {
            k.registers = 40;
            k.spill_store_bytes = k.spill_load_bytes = 0;
        });
        CHECK(compare(met, beyond, objective).change == Change::same);
        objective.budget = *parse_budget("warps=24,ckpt=100");
        CHECK(excess(figures(), objective) == doctest::Approx(4.0 / 24 + 200.0 / 100));
        CHECK(parse_budget("regs").error().message == "'regs' is no limit such as regs=128");
        CHECK(parse_budget("regs=many").error().message == "'many' is no whole number");
        CHECK(parse_budget("regs=-1").error().message == "'-1' is no whole number");
        CHECK(parse_budget("regs=1,regs=2").error().message == "'regs' has two limits");
        CHECK_FALSE(parse_budget(""));
    }

    TEST_CASE("a forward kernel that loses warps makes it worse, unless that is allowed") {
        const auto with_forward = [](std::uint32_t warps, std::uint32_t backward_stack) {
            Figures both = figures([&](KernelFigures& k) { k.stack_bytes = backward_stack; });
            KernelFigures forward = kernel();
            forward.name = "primalMain";
            forward.direction = Direction::forward;
            forward.warps_per_sm = warps;
            both.kernels.push_back(forward);
            return both;
        };
        const Comparison guarded = compare(with_forward(48, 500), with_forward(40, 0));
        CHECK(guarded.change == Change::worse);
        CHECK(guarded.forward_regression);
        Objective allowed;
        allowed.allow_forward_regression = true;
        CHECK(compare(with_forward(48, 500), with_forward(40, 0), allowed).change ==
              Change::better);
        CHECK(compare(with_forward(48, 500), with_forward(48, 0)).change == Change::better);
    }

    TEST_CASE("worse in every way") {
        CHECK_FALSE(worse_in_every_way(figures(), figures()));
        CHECK(worse_in_every_way(figures(), figures([](KernelFigures& k) { ++k.registers; })));
        CHECK_FALSE(worse_in_every_way(figures(), figures([](KernelFigures& k) {
                                           k.registers = 40;
                                           k.stack_bytes = 5000;
                                       })));
        CHECK(worse_in_every_way(figures(), figures({}, 301)));
    }
}
