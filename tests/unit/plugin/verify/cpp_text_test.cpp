#include "plugin/verify/cpp_text.h"

#include <doctest/doctest.h>

using namespace slimgrad::verify;

namespace {

const std::string emitted = R"(struct FixedArray { T& operator[](size_t index); T m_data[SIZE]; };
using namespace SLANG_PRELUDE_NAMESPACE;
#endif
#line 3 "dir/k.slang"
struct s_minCtx_s_bwdCallableCtx_f_0
{
    FixedArray<FixedArray<float, 5> , 14>  value1_0;
    float value2_0;
};

#line 7
static float other_0(float x_0)
{
    for(;;)
    {
        break;
    }
    return x_0; // a [comment] with brackets
}

static void s_apply_f_0(GlobalParams_0 * g_0)
{

#line 20
    for(;;)
    {
        (&_S9)->value1_0[_pc_1][_pc_0] = (&(g_0)->gIn_0)[table_0[i_0] + 1U];

#line 25
        for(;;)
        {
            x_1 = (&_S9)->value1_0[_dc_0];
            y_1 = user_3[_dc_0];
            z_1 = g_0->raw_0.Load<uint32_t >(uint32_t(i_0));
            g_0->raw_0.Store(_S43,(f_0(a_0, b_0)));
            _pc_1 = _pc_1 + int(1);
        }
        if(_runFlag_0)
        {
        }
    }
}

void _gradMain(void* g_1)
{
    s_apply_f_0(g_1);
}
void gradMain(void* g_2)
{
    _gradMain(g_2);
}
)";

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("subscripts announce themselves") {
    const InstrumentedText text = instrument(emitted, "gradMain");
    REQUIRE(text.subscripts.size() == 9);
    CHECK(contains(text.code, "T m_data[SIZE]; }"));
    CHECK(contains(text.code, "(&_S9)->value1_0[slimgrad_at(1, _pc_1)][slimgrad_at(2, _pc_0)] = "));
    CHECK(
        contains(text.code, "(&(g_0)->gIn_0)[slimgrad_at(3, table_0[slimgrad_at(4, i_0)] + 1U)]"));
    CHECK(contains(text.code, "raw_0.Load<uint32_t >(slimgrad_at(7, uint32_t(i_0)))"));
    CHECK(contains(text.code, "raw_0.Store(slimgrad_at(8, _S43),(f_0(a_0, b_0)))"));
    CHECK(contains(text.code, "// a [comment] with brackets"));
    CHECK(text.subscripts[3].name == "gIn");
    CHECK(text.subscripts[3].place == slimgrad::Place{"dir/k.slang", 22, 0});
    CHECK(text.subscripts[4].name == "table");
    CHECK(text.subscripts[7].name == "raw");
}

TEST_CASE("the compiler's counters on its arrays are checkpoints, everything else is the user's") {
    const InstrumentedText text = instrument(emitted, "gradMain");
    const std::vector<bool> expected{false, true, true, false, false, true, false, false, false};
    REQUIRE(text.subscripts.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        CHECK(text.subscripts[i].checkpoint == expected[i]);
    }
}

TEST_CASE("loops count, with their place, form and whether the entry point reaches them") {
    const InstrumentedText text = instrument(emitted, "gradMain");
    REQUIRE(text.loops.size() == 3);
    CHECK(contains(text.code, "for(slimgrad_loop slimgrad_l(2);slimgrad_l.head();)"));
    CHECK(text.loops[0].place.line == 9);
    CHECK_FALSE(text.loops[0].reachable);
    CHECK(text.loops[1].place.line == 20);
    CHECK(text.loops[1].depth == 0);
    CHECK_FALSE(text.loops[1].counted);
    CHECK(text.loops[1].reachable);
    CHECK(text.loops[2].place.line == 25);
    CHECK(text.loops[2].depth == 1);
    CHECK(text.loops[2].counted);
    CHECK(text.loops[2].stores);
    CHECK_FALSE(text.loops[2].flagged);
    CHECK(text.loops[1].flagged);
    CHECK(text.loops[1].lines.contains(22));
    CHECK(text.loops[1].lines.contains(27));
    CHECK_FALSE(text.loops[2].lines.contains(22));
    CHECK(text.used_globals.contains("gIn_0"));
    CHECK_FALSE(text.used_globals.contains("x_0"));
}

TEST_CASE("text that is no emitted code does no harm") {
    CHECK(instrument("", "f").loops.empty());
    CHECK(instrument("}}]])) for(;;) { [", "f").loops.size() == 1);
    CHECK(instrument("x.Load(", "f").subscripts.size() == 2);
    CHECK(instrument("#line 99999999999999999999 \"a", "f").subscripts.size() == 1);
}
