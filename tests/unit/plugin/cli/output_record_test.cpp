#include "plugin/cli/output_record.h"

#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <string>

using namespace slimgrad;

namespace {

/// An output at `path` that needs `text` of a header in place of `original`.
void write_output(const std::string& path, const NeededFiles& needed) {
    OutputRecord record(path);
    CHECK_FALSE(record.conflict(needed));
    record.write(needed);
}

bool conflicts(const std::string& path, const NeededFiles& needed) {
    return OutputRecord(path).conflict(needed).has_value();
}

} // namespace

TEST_CASE("two outputs in a folder may share a copy, but not need different ones") {
    const TemporaryFolder folder;
    const std::string a = folder.write("a.slang", ""), b = folder.write("b.slang", "");
    const std::string place = folder / "h.slangh";
    const NeededFiles changed{{place, {"/p/h.slangh", "1", "2"}}},
        as_it_is{{place, {"/p/h.slangh", "1", "1"}}};
    write_output(a, changed);
    CHECK_FALSE(conflicts(b, changed));
    CHECK_FALSE(conflicts(a, as_it_is)); // its own earlier copy
    CHECK_FALSE(conflicts(b, {}));
    const auto conflict = OutputRecord(b).conflict(as_it_is);
    REQUIRE(conflict);
    CHECK(conflict->find(place) != std::string::npos);
    CHECK(conflict->find("b.slang") != std::string::npos);
    CHECK(conflict->find(a) != std::string::npos);

    // Of another source, whatever it was made from.
    CHECK(conflicts(b, {{place, {"/q/h.slangh", "3", "3"}}}));
    // A newer text of the same: a.slang has to be made again first.
    const NeededFiles newer{{place, {"/p/h.slangh", "3", "3"}}};
    write_output(b, newer);
    CHECK(conflicts(a, {{place, {"/p/h.slangh", "3", "4"}}}));
    // What is gone needs nothing.
    std::filesystem::remove(b);
    CHECK_FALSE(conflicts(a, {{place, {"/p/h.slangh", "3", "4"}}}));
}

TEST_CASE("an output without headers leaves no record, and a broken record is none") {
    const TemporaryFolder folder;
    const std::string a = folder.write("a.slang", ""), b = folder.write("b.slang", "");
    write_output(a, {});
    CHECK_FALSE(std::filesystem::exists(folder / ".slimgrad-outputs"));
    folder.write(".slimgrad-outputs", "[1, {");
    const NeededFiles needed{{folder / "h.slangh", {"/p/h.slangh", "1", "2"}}};
    write_output(a, needed);
    CHECK(conflicts(b, {{folder / "h.slangh", {"/p/h.slangh", "1", "1"}}}));
    write_output(a, {});
    CHECK_FALSE(conflicts(b, {{folder / "h.slangh", {"/p/h.slangh", "1", "1"}}}));
}
