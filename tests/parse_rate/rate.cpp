#include "tests/parse_rate/rate.h"

#include "rewriter/source_file.h"
#include "rewriter/syntax_tree.h"

#include <ctime>
#include <fmt/format.h>

namespace slimgrad::parse_rate {
namespace {

/// Of this thread: what else the machine does is not the parser's.
std::chrono::nanoseconds processor_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

} // namespace

ParsedFile parse_file(const std::string& path, const std::string& text) {
    ParsedFile file;
    file.path = path;
    file.bytes = text.size();
    const auto begin = processor_time();
    const SyntaxTree tree = SyntaxTree::parse(text);
    file.time = processor_time() - begin;
    file.errors = static_cast<std::uint32_t>(tree.errors().size());
    for (const ByteRange error : tree.errors())
        file.bytes_in_error += error.end - error.begin;
    if (!file.clean())
        file.first_error = SourceFile(path, text).place(tree.errors().front().begin);
    return file;
}

void Rate::add(const ParsedFile& file) {
    ++files;
    clean += file.clean();
    bytes += file.bytes;
    bytes_in_error += file.bytes_in_error;
    time += file.time;
}

std::string to_string(const Rate& rate) {
    const double seconds = std::chrono::duration<double>(rate.time).count();
    return fmt::format(
        "{}/{} files clean ({:.2f} %), {} of {} bytes in ERROR, {:.2f} s, {:.1f} MB/s", rate.clean,
        rate.files,
        rate.files == 0 ? 100.0
                        : 100.0 * static_cast<double>(rate.clean) / static_cast<double>(rate.files),
        rate.bytes_in_error, rate.bytes, seconds,
        seconds == 0 ? 0.0 : static_cast<double>(rate.bytes) / 1e6 / seconds);
}

} // namespace slimgrad::parse_rate
