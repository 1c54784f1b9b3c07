#include "plugin/cuda/cuda_toolkit.h"
#include "temporary_folder.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <optional>
#include <string>
#include <unistd.h>

using namespace slimgrad;

namespace {

/// Sets or unsets a variable for one test case.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name))
            old_ = old;
        value != nullptr ? setenv(name, value, 1) : unsetenv(name);
    }
    ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
    std::optional<std::string> old_;
};

} // namespace

TEST_CASE("CudaToolkit: what scripts/setup left, when nothing is set") {
    Variable home("CUDA_HOME", nullptr), path("CUDA_PATH", "");
    auto toolkit = CudaToolkit::find();
    REQUIRE_MESSAGE(toolkit, toolkit.error().message);
    CHECK(toolkit->nvcc == SLIMGRAD_SOURCE_DIR "/.deps/bin/nvcc");
    CHECK(toolkit->nvdisasm == SLIMGRAD_SOURCE_DIR "/.deps/bin/nvdisasm");
}

TEST_CASE("CudaToolkit: one that is set goes first") {
    const std::string root = std::filesystem::canonical(SLIMGRAD_SOURCE_DIR "/.deps/cuda");
    Variable home("CUDA_HOME", nullptr), path("CUDA_PATH", root.c_str());
    auto toolkit = CudaToolkit::find();
    REQUIRE_MESSAGE(toolkit, toolkit.error().message);
    CHECK(toolkit->nvcc == root + "/bin/nvcc");
    CHECK(access(toolkit->nvdisasm.c_str(), X_OK) == 0);
}

TEST_CASE("CudaToolkit: one that is set and broken is an error") {
    TemporaryFolder folder;
    const std::string root = folder.path().string();
    Variable home("CUDA_HOME", root.c_str()), path("CUDA_PATH", SLIMGRAD_SOURCE_DIR "/.deps/cuda");
    auto without = CudaToolkit::find();
    REQUIRE_FALSE(without);
    CHECK(without.error().message ==
          "CUDA_HOME=" + root + " has no bin/nvcc; unset CUDA_HOME or point it to a CUDA toolkit");

    const std::string nvcc = folder.write("bin/nvcc", "#!/bin/sh\nexit 3\n");
    std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
    auto broken = CudaToolkit::find();
    REQUIRE_FALSE(broken);
    CHECK(broken.error().message == "CUDA_HOME=" + root +
                                        ": bin/nvcc does not run: exit code 3; unset CUDA_HOME or "
                                        "point it to a CUDA toolkit");
}
