#include "plugin/nvrtc/no_library.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad::nvrtc;

namespace {

template <class Signature> Signature get(Function function) {
    return reinterpret_cast<Signature>(without_library(function, "no NVRTC here"));
}

} // namespace

TEST_CASE("without NVRTC: a program is made, does not compile, and its log says why") {
    Program program = nullptr, other = nullptr;
    const auto create = get<CreateProgram>(Function::nvrtcCreateProgram);
    CHECK(create(&program, "text", "name", 0, nullptr, nullptr) == Status::success);
    CHECK(create(&other, "text", nullptr, 0, nullptr, nullptr) == Status::success);
    CHECK(program != nullptr);
    CHECK(program != other);
    CHECK(get<AddNameExpression>(Function::nvrtcAddNameExpression)(program, "x") ==
          Status::success);
    CHECK(get<CompileProgram>(Function::nvrtcCompileProgram)(program, 0, nullptr) ==
          Status::compilation);

    std::size_t size = 0;
    get<Status (*)(Program, std::size_t*)>(Function::nvrtcGetProgramLogSize)(program, &size);
    REQUIRE(size == sizeof "no NVRTC here");
    std::string text(size, '?');
    get<Status (*)(Program, char*)>(Function::nvrtcGetProgramLog)(program, text.data());
    CHECK(text == std::string("no NVRTC here") + '\0');

    for (Program* each : {&program, &other}) {
        CHECK(get<DestroyProgram>(Function::nvrtcDestroyProgram)(each) == Status::success);
        CHECK(*each == nullptr);
    }
}

TEST_CASE("without NVRTC: the rest fails") {
    int major = 7, minor = 7;
    CHECK(get<Status (*)(int*, int*)>(Function::nvrtcVersion)(&major, &minor) ==
          Status::internal_error);
    CHECK(major == 0);
    CHECK(minor == 0);
    std::size_t size = 0;
    CHECK(get<Status (*)(Program, std::size_t*)>(Function::nvrtcGetPTXSize)(nullptr, &size) ==
          Status::internal_error);
    CHECK(std::string(get<const char* (*)(Status)>(Function::nvrtcGetErrorString)(
              Status::compilation)) == "NVRTC_ERROR unknown");
}
