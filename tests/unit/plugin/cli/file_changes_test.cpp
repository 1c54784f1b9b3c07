#include "plugin/cli/file_changes.h"

#include "rewriter/atomic_write.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>

using namespace slimgrad;

TEST_SUITE("plugin/cli/file_changes") {
    TEST_CASE("what cannot be written takes with it what changes together with it") {
        const TemporaryFolder folder;
        const std::string a = folder.write("a", "1"), b = folder.write("b", "1"),
                          c = folder.write("c", "1"), d = folder.write("d", "1");
        // c is not what was read any more; a changes with b, and b with c.
        const std::vector<FileChange> changes{
            {a, "1", "2"}, {b, "1", "2"}, {c, "0", "2"}, {d, "1", "2"}};
        std::set<std::string> written;
        CHECK(write_changes(changes, {{a, b}, {b, c}, {d}}, written) == ExitCode::failed);
        CHECK(written == std::set<std::string>{d});
        CHECK(*read_file(a) == "1");
        CHECK(*read_file(b) == "1");
        CHECK(*read_file(c) == "1");
        CHECK(*read_file(d) == "2");
    }

    TEST_CASE("what changes alone is written all the same") {
        const TemporaryFolder folder;
        const std::string a = folder.write("a", "1"), b = folder.write("b", "1");
        std::set<std::string> written;
        CHECK(write_changes({{a, "0", "2"}, {b, "1", "2"}}, {{a}, {b}}, written) ==
              ExitCode::failed);
        CHECK(written == std::set<std::string>{b});
    }
}
