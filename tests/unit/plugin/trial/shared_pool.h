#pragma once

#include "plugin/trial/trial_pool.h"

#include <doctest/doctest.h>

/// Two workers with the real compilers, for all tests of a process.
inline slimgrad::TrialPool& pool() {
    static const auto started = [] {
        using namespace slimgrad;
        const Result<CudaToolkit> toolkit = CudaToolkit::find();
        REQUIRE(toolkit);
        auto result = TrialPool::start({2,
                                        *toolkit,
                                        {SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}},
                                        {"g++", SLIMGRAD_BUILD_DIR "/slimgrad-run"}});
        REQUIRE(result);
        return std::move(*result);
    }();
    return *started;
}
