#include "plugin/slangc/slangc_call.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using slimgrad::slangc::read_slangc_call;
using slimgrad::slangc::SlangcCall;
using Arguments = std::vector<std::string>;

namespace {

std::string cuda_file(const Arguments& arguments) {
    return read_slangc_call(arguments).cuda_file;
}

std::string why_not(const Arguments& arguments) {
    const SlangcCall call = read_slangc_call(arguments);
    CHECK(call.cuda_file.empty());
    return call.why_not;
}

} // namespace

TEST_CASE("one file of CUDA is what -target or the output's extension say") {
    CHECK(cuda_file({"a.slang", "-target", "cuda", "-o", "x.cu"}) == "x.cu");
    CHECK(cuda_file({"-o", "x.cu", "a.slang"}) == "x.cu");
    CHECK(cuda_file({"a.slang", "-o", "dir.d/x.cuh"}) == "dir.d/x.cuh");
    CHECK(cuda_file({"a.slang", "-target", "cuda", "-o", "x.txt"}) == "x.txt");
    CHECK(cuda_file({"a.slang", "-target", "cu", "-o", "x"}) == "x");
    CHECK(cuda_file({"a.slang", "-target", "cuh", "-o", "x"}) == "x");
    CHECK(cuda_file({"a.slang", "-target", "cuda", "-o", "x.cpp"}) == "x.cpp");
}

TEST_CASE("everything else is passed through, with the reason") {
    CHECK(why_not({}) == "no output file");
    CHECK(why_not({"-v"}) == "no output file");
    CHECK(why_not({"a.slang", "-target", "cuda"}) == "no output file");
    CHECK(why_not({"a.slang", "-target", "cuda", "-o", "-"}) == "no output file");
    CHECK(why_not({"a.slang", "-target", "cuda", "-o"}) == "no output file");
    CHECK(why_not({"a.slang", "-o", "x.ptx"}) == "target ptx");
    CHECK(why_not({"a.slang", "-o", "x.CU"}) == "target CU");
    CHECK(why_not({"a.slang", "-target", "spirv", "-o", "x.cu"}) == "target spirv");
    CHECK(why_not({"a.slang", "-target", "torch-binding", "-o", "x.cpp"}) ==
          "target torch-binding");
    CHECK(why_not({"a.slang", "-o", "x.cu", "-o", "y.cpp"}) == "several outputs");
    CHECK(why_not({"a.slang", "-target", "cuda", "-target", "cpp", "-o", "x.cu"}) ==
          "several outputs");
    CHECK(why_not({"a.slang", "-o", "x.cu", "-E"}) == "-E");
    CHECK(why_not({"a.slang", "-o", "x.cu", "-no-codegen"}) == "-no-codegen");
    CHECK(why_not({"a.slang", "-o", "x.cu", "-source-embed-style", "text"}) ==
          "-source-embed-style");
    CHECK(why_not({"-h", "target", "-o", "x.cu"}) == "-h");
}

TEST_CASE("values of options are no options, and inputs are none") {
    CHECK(cuda_file({"-I", "-o", "-o", "x.cu", "a.slang"}) == "x.cu");
    CHECK(cuda_file({"-D", "-target", "-o", "x.cu", "a.slang"}) == "x.cu");
    CHECK(cuda_file({"-DN=4", "-Iinclude", "-O3", "-g2", "-o", "x.cu", "a.slang"}) == "x.cu");
    CHECK(cuda_file({"-trace-coverage-binding", "-o", "-o", "-o", "x.cu", "a.slang"}) == "x.cu");
    CHECK(cuda_file({"-fvk-b-shift", "-o", "1", "-o", "x.cu", "a.slang"}) == "x.cu");
    CHECK(cuda_file({"-Xnvrtc", "-o", "-o", "x.cu", "a.slang"}) == "x.cu");
    CHECK(cuda_file({"-Xnvrtc...", "-o", "y", "-target", "z", "-X.", "-o", "x.cu"}) == "x.cu");
    CHECK(cuda_file({"-nvrtc-path", "-o", "-o", "x.cu", "a.slang"}) == "x.cu");
    CHECK(cuda_file({"-o", "x.cu", "--", "a.slang", "-o", "y.cpp"}) == "x.cu");
    CHECK(cuda_file({"-o", "x.cu", "-lang", "slang", "-", "-an-option-of-tomorrow"}) == "x.cu");
}

TEST_CASE("the depfile and the form of diagnostics are read as well") {
    const SlangcCall call = read_slangc_call(
        {"a.slang", "-o", "x.cu", "-depfile", "x.d", "-enable-machine-readable-diagnostics"});
    CHECK(call.depfile == "x.d");
    CHECK(call.machine_readable);
    CHECK(read_slangc_call({"a.slang", "-o", "x.spv", "-depfile", "x.d"}).depfile == "x.d");
    CHECK_FALSE(read_slangc_call({"-I", "-enable-machine-readable-diagnostics"}).machine_readable);
}
